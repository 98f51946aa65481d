"""How many bad rewrites the checks catch, how many good ones they reject, and how fast they are."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

FLOORS = (0.65, 0.7, 0.75, 0.8, 0.85)


def gate() -> ModuleType:
    """The corpus and its measure live with the tests, which hold the bars."""
    file = Path(__file__).parents[1] / "tests" / "checks" / "gate.py"
    spec = importlib.util.spec_from_file_location("gate", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gate"] = module
    spec.loader.exec_module(module)
    return module


def shown(rate: tuple[int, int]) -> str:
    return f"{rate[0] / rate[1]:6.1%} {f'({rate[0]}/{rate[1]})':>10}"


def main() -> None:
    corpus = gate()
    extra = embedding_check()
    columns = {f"{half}, hard checks": corpus.measure(half) for half in corpus.HALVES}
    if extra is not None:
        for half in corpus.HALVES:
            columns[f"{half}, with embedding"] = corpus.measure(half, [extra])
    print(f"{'rejected':12}" + "".join(f"{name:>26}" for name in columns))
    for kind in (corpus.GOOD, *corpus.MECHANICAL, *corpus.OTHERS):
        print(f"{kind:12}" + "".join(f"{shown(column[kind]):>26}" for column in columns.values()))
    print(
        f"bars: at most {corpus.HIGHEST_REJECTION:.0%} of the good,"
        f" at least {corpus.LOWEST_CATCH:.0%} of {', '.join(corpus.MECHANICAL)}"
    )
    if extra is not None:
        print_floors(corpus, extra)
    print_speed(corpus)


def embedding_check():  # type: ignore[no-untyped-def]
    from otherwords.checks import make_check
    from otherwords.core.errors import MissingDependencyError

    check = make_check("embedding")
    try:
        check.likeness([("one", "two")])
    except MissingDependencyError as error:
        print(f"without the embedding check: {error}\n")
        return None
    return check


def print_floors(corpus: ModuleType, check) -> None:  # type: ignore[no-untyped-def]
    every = [case for half in corpus.HALVES for case in corpus.cases(half)]
    likeness = check.likeness([(case.item.prompt, case.variant.prompt) for case in every])
    print(f"\n{'embedding alone, floor':24}" + "".join(f"{floor:>8}" for floor in FLOORS))
    for kind in (corpus.GOOD, *corpus.MECHANICAL, *corpus.OTHERS):
        own = [value for case, value in zip(every, likeness, strict=True) if case.kind == kind]
        shares = [sum(value < floor for value in own) / len(own) for floor in FLOORS]
        print(f"{kind:24}" + "".join(f"{share:>8.0%}" for share in shares))


def print_speed(corpus: ModuleType) -> None:
    from otherwords.checks import vet
    from otherwords.checks.reading import read
    from otherwords.english.spans import find_spans

    every = [case for half in corpus.HALVES for case in corpus.cases(half)]
    best = float("inf")
    for _ in range(3):
        read.cache_clear()
        find_spans.cache_clear()
        start = time.perf_counter()
        for case in every:
            vet(case.item, [case.variant])
        best = min(best, time.perf_counter() - start)
    print(f"\n{len(every)} free rewrites vetted with nothing cached: {len(every) / best:,.0f} a second")


if __name__ == "__main__":
    main()
