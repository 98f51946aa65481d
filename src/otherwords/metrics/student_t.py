"""Student's t: its tail and its quantile, for degrees of freedom that need not be whole."""

from __future__ import annotations

import math
from functools import lru_cache


def student_t_above(t: float, freedom: float) -> float:
    """The chance that Student's t with these degrees of freedom, which need not be whole, is above `t`."""
    tail = 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return tail if t >= 0 else 1 - tail


@lru_cache(maxsize=4096)
def student_t(level: float, freedom: float) -> float:
    """The quantile of Student's t; `freedom` need not be whole."""
    if level < 0.5:
        return -student_t(1 - level, freedom)
    low, high = 0.0, 2.0
    while student_t_above(high, freedom) > 1 - level and high < 1e9:
        low, high = high, 2 * high
    t = (low + high) / 2
    half = (freedom + 1) / 2
    top = math.exp(math.lgamma(half) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(100):
        above = student_t_above(t, freedom) - (1 - level)
        low, high = (t, high) if above > 0 else (low, t)
        # Newton's step, or halving where it leaves what is left
        step = t + above / (top * math.exp(-half * math.log1p(t * t / freedom)))
        step = step if low < step < high else (low + high) / 2
        if abs(step - t) < 1e-10 * (1 + t):
            return step
        t = step
    return t


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 400):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d, tiny)
            c = _away_from_zero(1 + term / c, tiny)
            fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return front * fraction / a


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
