"""Numbers as text, the same way in every output: percentages, points, counts, p values."""

from __future__ import annotations

MINUS = "−"


def count_text(count: float) -> str:
    """Thousands separated by a comma: `1,200`."""
    return f"{count:,.0f}".replace("-", MINUS)


def of_things(count: int, one: str, many: str | None = None) -> str:
    """`1 item`, `1,200 items`."""
    return f"{count_text(count)} {one if count == 1 else many or f'{one}s'}"


def percent(value: float | None) -> str:
    """A share of 1 as a percentage; a dash where there is none. Never 0% or 100% of what is not that."""
    if value is None:
        return "—"
    if 0 < value < 0.005:
        return "<1%"
    if 0.995 <= value < 1:
        return ">99%"
    return f"{100 * value:.0f}%".replace("-0%", "0%").replace("-", MINUS)


def point_number(difference: float) -> str:
    """A difference of two shares in percentage points, without the unit: `31`, `0.4`, `−2`."""
    size = abs(100 * difference)
    text = f"{size:.1f}" if 0.05 <= size < 1 else f"{size:.0f}"
    return f"{MINUS}{text}" if difference < 0 and float(text) > 0 else text


def points(difference: float | None) -> str:
    """`31 points`, `1 point`; a dash where there is none."""
    if difference is None:
        return "—"
    number = point_number(difference)
    return f"{number} point" if number in ("1", f"{MINUS}1") else f"{number} points"


def points_between(difference: float | None, low: float | None, high: float | None) -> str:
    """`31 points (25 to 37)`."""
    if difference is None or low is None or high is None:
        return points(difference)
    return f"{points(difference)} ({point_number(low)} to {point_number(high)})"


def percent_between(value: float | None, low: float | None, high: float | None) -> str:
    """`92% (88% to 95%)`."""
    if value is None or low is None or high is None:
        return percent(value)
    return f"{percent(value)} ({percent(low)} to {percent(high)})"


def p_text(p: float | None) -> str:
    """`p = .004`, `p < .001`; never 0, since no test can say that."""
    if p is None:
        return "p not known"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def p_number(p: float | None) -> str:
    """For a column of p values: `.004`, `< .001`."""
    return "—" if p is None else p_text(p).removeprefix("p ").removeprefix("= ")


def about(count: int) -> str:
    """Two digits of a count that is not known better: `1,400`."""
    if count < 100:
        return count_text(count)
    size = 10 ** (len(str(count)) - 2)
    return count_text(round(count / size) * size)
