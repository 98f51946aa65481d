"""What a variant family is, what it declares of itself for other rooms, and the registry of families."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from otherwords.core.contract import FAULT, KINDS
from otherwords.core.errors import InputError
from otherwords.core.registry import Registry
from otherwords.core.types import Item, Variant


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


def traits_of(kind: str) -> FamilyTraits:
    """What the family of that name declares; the defaults for a kind that no family has."""
    return declared_traits(FAMILIES.find(kind))


def is_wording(kind: str) -> bool:
    """Whether variants of this kind ask the same problem under the same conditions: no control, no fault."""
    return kind != FAULT and not traits_of(kind).is_control
