"""`Registry` of named things, ours and of entry points; `FAMILIES` of variants and traits they declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from otherwords.core.contract import FAULT, KINDS, PLACES, TEMPLATE, VOICES
from otherwords.core.errors import InputError, MissingDependencyError, UnknownNameError
from otherwords.core.types import Item, Variant

T = TypeVar("T")


class Registry(Generic[T]):
    """Things by name. An entry point of `group` is imported when its thing is first asked for.

    One of another package that cannot be imported is named in a warning, once, and is left out.
    """

    def __init__(self, what: str, group: str | None = None, *, own: Sequence[str] = ()) -> None:
        """`own` are the names of our own entry points, in the order in which they are listed."""
        self.what, self.group, self.own = what, group, tuple(own)
        self._things: dict[str, T] = {}
        self._changed_here: set[str] = set()
        self._broken: dict[str, str] = {}
        self._entry_points: dict[str, EntryPoint] | None = None

    def add(self, name: str, thing: T) -> T:
        """Register `thing`. The same definition may come again, as from a notebook; another may not."""
        if name in self._things and not _same_definition(self._things[name], thing):
            raise InputError(f"{self.what} '{name}' is registered twice")
        self._things[name] = thing
        self._changed_here.add(name)
        return thing

    def remove(self, name: str) -> None:
        """Forget what was added under `name`, if anything was."""
        if name not in self._things:
            return
        del self._things[name]
        if name in self._changed_here:
            self._changed_here.remove(name)
        elif name not in self._points:
            self._changed_here.add(name)

    def register(self, name: str) -> Callable[[T], T]:
        return lambda thing: self.add(name, thing)

    def seal_own(self) -> None:
        """All that was added until now is added by our own modules wherever they are imported."""
        self._changed_here.clear()

    @property
    def changed_here(self) -> list[str]:
        """Names that a script or notebook has added or removed: other processes do not know of it."""
        return sorted(self._changed_here)

    def find(self, name: str) -> T | None:
        """The thing, or None if nothing of that name is registered or it cannot be imported."""
        if name not in self._things and name in self._points and name not in self._broken:
            self._load(self._points[name])
            if name in self._broken:
                _warn(f"Skipped: {self._broken[name]}")
        if name not in self._things and name in self.own:
            raise MissingDependencyError(
                f"the {self.what} '{name}' is not registered: otherwords was installed before it was there",
                "pip install -e . (in a clone), or pip install --force-reinstall otherwords",
            )
        return self._things.get(name)

    def get(self, name: str) -> T:
        """The thing; raises `InputError` if there is none of that name or it cannot be imported.

        Only the one asked for is imported. Where none has that name, all are: those that cannot be imported
        are named in a warning.
        """
        if name not in self._things and name in self._points and name not in self._broken:
            self._load(self._points[name])
        thing = self.find(name)
        if thing is not None:
            return thing
        if name in self._broken:
            raise InputError(self._broken[name])
        self.import_others()
        raise UnknownNameError(self.what, name, self.names())

    def import_others(self) -> list[str]:
        """Import what other packages add, and name it; what cannot be imported is named in a warning."""
        others = [name for name, point in self._points.items() if not _is_ours(point)]
        return [name for name in others if self.find(name) is not None]

    def names(self) -> list[str]:
        """Our own, then those that were added, then those of other packages; imports nothing."""
        known = dict.fromkeys([*self._things, *sorted(self._points)])
        ordered = [name for name in self.own if name in known]
        return [*ordered, *(name for name in known if name not in self.own)]

    def __len__(self) -> int:
        return len(self.names())

    def __iter__(self) -> Iterator[tuple[str, T]]:
        """Each name with its thing, without those that cannot be imported."""
        found = [(name, self.find(name)) for name in self.names()]
        return iter([(name, thing) for name, thing in found if thing is not None])

    @property
    def _points(self) -> dict[str, EntryPoint]:
        if self._entry_points is None:
            found = entry_points(group=self.group) if self.group else ()
            ours_last = sorted(found, key=_is_ours)
            self._entry_points = {point.name: point for point in ours_last}
        return self._entry_points

    def _load(self, point: EntryPoint) -> None:
        try:
            self._things[point.name] = point.load()
            self._changed_here.discard(point.name)  # its module may have registered it as well
        except (Exception, SystemExit) as error:
            if _is_ours(point):
                raise
            package = f" of the package {point.dist.name}" if point.dist else ""
            cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._broken[point.name] = (
                f"the {self.what} '{point.name}'{package} cannot be loaded ({point.value}): {cause}"
            )


def _same_definition(one: object, other: object) -> bool:
    """Whether both are made by the same class or function of the same module."""
    if one is other:
        return True
    names = [
        (getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)) for thing in (one, other)
    ]
    return names[0] == names[1] and None not in names[0]


def _is_ours(point: EntryPoint) -> bool:
    return point.value.startswith("otherwords.")


def _warn(text: str) -> None:
    """On standard error, unless the user has set up logging otherwise."""
    from logging import getLogger

    from otherwords.core.secret_patterns import redacted

    getLogger("otherwords").warning("%s", redacted(" ".join(text.split())))


@dataclass(frozen=True, slots=True)
class FamilyTraits:
    """What checks, runs, metrics and reports must know of a family. The defaults hold for unknown kinds."""

    summary: str = ""
    """What it changes, in a few words, for the help of `--families`."""
    keeps_words: bool = False
    """The words stay: layout, marks, or the order of parts change."""
    keeps_meaning: bool = False
    """Its rules keep the meaning by their preconditions: only invariants are checked, no flags raised."""
    changes_form: bool = False
    """A change of spaces, marks, case or place alone makes another wording."""
    is_control: bool = False
    """It changes the problem on purpose, so that the answer must change."""
    is_informal: bool = False
    """It is written as people type in a hurry; checks read it in standard English."""
    moves_options: bool = False
    """The options of a multiple-choice item change places."""
    moves_text: bool = False
    """Paragraphs change places."""
    needs_model: bool = False
    """A model writes it."""
    english_only: bool = False
    """It knows English words, and makes nothing of a prompt in another language."""
    shared_by_items: bool = False
    """The same change is made to all items, such as another layout; else each item has its own."""
    seeded: bool = True
    """What it makes depends on the seed."""
    metadata_key: str = ""
    """The metadata key of a sample that names the variant, beside `variant`: `paraphrase_id` or
    `perturbation_kind`."""
    advice: str = "look at these wordings first"
    """What to do when its variants cost accuracy."""
    remedy: str = ""
    """A sentence for a template under which they do, which `repair` tries."""

    @property
    def rewords(self) -> bool:
        """Whether its variants are other wordings: no layout, option orders, slips or controls."""
        moved = self.keeps_words or self.moves_options or self.moves_text
        return not (moved or self.is_control or self.is_informal)


class Family(Protocol):
    """Makes candidates for an item: without the original, in a fixed order, the same for the same seed."""

    name: str
    version: int
    traits: FamilyTraits

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]: ...


class FamilyRegistry(Registry[Family]):
    """The families by name. `typing=0.8` is the family `typing` with a strength of 0.8."""

    def find(self, name: str) -> Family | None:
        """The family, or None if there is none of that name or it cannot be imported.

        Raises:
            InputError: The family has no strength, or it is not from 0 to 1.
        """
        base, _, strength = name.partition("=")
        family = super().find(base)
        if not strength or family is None:
            return family
        if name not in self._with_strength:
            at: Callable[[float], Family] | None = getattr(family, "at", None)
            if at is None:
                raise InputError(f"the variant family '{base}' has no strength", hint=f"Name it as {base}.")
            try:
                wanted = float(strength)
            except ValueError:
                raise InputError(f"the strength of {base} must be a number, got {strength}") from None
            self._with_strength[name] = at(wanted)
        return self._with_strength[name]

    _with_strength: ClassVar[dict[str, Family]] = {}


FAMILIES = FamilyRegistry("variant family", "otherwords.variants", own=KINDS)
_DEFAULTS = FamilyTraits()


def declared_traits(family: Family | None) -> FamilyTraits:
    """What `family` declares; the defaults if it declares nothing, as those written for 0.1 do."""
    return getattr(family, "traits", _DEFAULTS)


_GIVEN = FamilyTraits(
    keeps_meaning=True,
    shared_by_items=True,
    advice="the template matters: compare your templates with `otherwords rank`",
)
"""Of templates that the user gave."""
_BY_HAND = FamilyTraits(
    seeded=False,
    advice="who speaks matters: read the conversations of this voice, and test with your users' own words",
)
"""Of the wordings that ship with otherwords."""
_IF_ANY = ("changes_form", "is_control", "is_informal", "moves_options", "moves_text", "needs_model")
_IF_ALL = ("keeps_words", "keeps_meaning", "shared_by_items")


def traits_of(kind: str) -> FamilyTraits:
    """What the family of that name declares; the defaults for a kind that no family has.

    `template:format` is a format of the template, which all items share; `template:format+paraphrase` is that
    together with a paraphrase of the item; `template` is another template that the user gave; a voice
    is a wording that ships with otherwords.
    """
    if "+" in kind:
        parts = [traits_of(part) for part in kind.split("+")]
        found: dict[str, Any] = {name: any(getattr(one, name) for one in parts) for name in _IF_ANY}
        found |= {name: all(getattr(one, name) for one in parts) for name in _IF_ALL}
        return replace(_DEFAULTS, **found)
    place, colon, family = kind.partition(":")
    if kind == TEMPLATE:
        return _GIVEN
    if kind in VOICES:
        return _BY_HAND
    if not colon or place not in PLACES:
        return declared_traits(FAMILIES.find(kind))
    return replace(declared_traits(FAMILIES.find(family)), shared_by_items=True, metadata_key="")


def is_wording(kind: str) -> bool:
    """Whether variants of this kind ask the same problem under the same conditions: no control, no fault."""
    return kind != FAULT and not traits_of(kind).is_control
