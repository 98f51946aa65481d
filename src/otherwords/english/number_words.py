"""A whole number → the words that say it."""

from __future__ import annotations

from otherwords.english.lexicon import read_lexicon


def in_words(value: int) -> str:
    """`value`, from 0 to 9,999, as it is said.

    Examples:
        >>> in_words(0), in_words(42), in_words(1305)
        ('zero', 'forty two', 'one thousand three hundred five')
    """
    read = read_lexicon("numbers")
    if value >= 1000:
        rest = f" {in_words(value % 1000)}" if value % 1000 else ""
        return f"{in_words(value // 1000)} thousand{rest}"
    if value >= 100:
        rest = f" {in_words(value % 100)}" if value % 100 else ""
        return f"{in_words(value // 100)} hundred{rest}"
    if value < len(read["ones"]):
        return str(read["ones"][value])
    tens = str(read["tens"][value // 10 - 2])
    return f"{tens} {read['ones'][value % 10]}" if value % 10 else tens
