"""Named things that third parties can add to, through Python entry points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from otherwords.core.errors import InputError, UnknownNameError

T = TypeVar("T")


class Registry(Generic[T]):
    """Keeps registration order; entry points of `group` are read at the first look-up."""

    def __init__(self, what: str, group: str | None = None) -> None:
        self.what, self.group = what, group
        self._things: dict[str, T] = {}
        self._loaded = group is None

    def add(self, name: str, thing: T) -> T:
        if name in self._things:
            raise InputError(f"{self.what} '{name}' is registered twice")
        self._things[name] = thing
        return thing

    def register(self, name: str) -> Callable[[T], T]:
        return lambda thing: self.add(name, thing)

    def get(self, name: str) -> T:
        if not self._loaded:
            self._load()
        try:
            return self._things[name]
        except KeyError:
            raise UnknownNameError(self.what, name, self._things) from None

    def names(self) -> list[str]:
        self._load()
        return list(self._things)

    def __len__(self) -> int:
        if not self._loaded:
            self._load()
        return len(self._things)

    def __iter__(self) -> Iterator[tuple[str, T]]:
        self._load()
        return iter(list(self._things.items()))

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for point in entry_points(group=self.group or ""):
            if point.name not in self._things:
                self.add(point.name, point.load())
