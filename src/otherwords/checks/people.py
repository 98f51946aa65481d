"""Names: capitalised words, and the first names and peoples that are known as such."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CAPITALISED = re.compile(r"(?<![\w.'’/@#&`$<\\-])[A-Z][a-zà-ÿ]+(?:[A-Z][a-z]*)*(?![\w(@`]|-[a-z])")
_OPENS_AFTER = frozenset(".!?:;\n\"“”‘'([{*_>|•-—–`")
_TITLES = frozenset(("Mr", "Mrs", "Ms", "Dr", "St", "Prof", "Jr", "Mt"))
FIRST_NAMES = frozenset(
    """
    aaron abby abdul abigail adam adrian ahmed aisha alan albert alejandro alex alexander alexandra alice
    alicia alina allison amanda amber amelia amir amy ana anders andre andrea andrew andy angela anita ann
    anna anne anthony antonio anya arjun arthur asha ashley audrey ava barbara beatrice ben benjamin
    bernard beth betty bianca billy bob bobby brad brandon brenda brian bruno cameron camila carl carla
    carlos carmen carol caroline carrie catherine cathy cecilia charles charlie charlotte chen chloe chris
    christina christine christopher cindy claire clara claudia cody colin connor craig cynthia dan dana
    daniel daniela danny darren dave david deborah dennis derek diana diego dmitri dominic donald donna
    doris dorothy doug douglas dylan ed eddie edgar edith edward eileen elena eli elias elijah elizabeth
    ella ellen elsa emily emma eric erica erik erin ethan eva evan evelyn fatima felix fiona florence
    frances francis fred freddie frida gabriel gabriela gary gavin george gerald gina giulia gloria greg
    gregory gwen hannah hans harold harriet harry hassan heather hector helen helena henry hiro holly
    howard hugo ian ibrahim ida ines ingrid irene isaac isabel isabella ivan jack jackson jacob jada jake
    james jamie jan jane janet janice jason javier jay jayden jeff jeffrey jenna jennifer jenny jeremy
    jerry jesse jessica jill jim jimmy joan joanna joe joel john johnny jon jonas jonathan jorge jose
    joseph josh joshua joyce juan juana judith judy julia julian julie juliet justin kai karen karim karl
    kate katherine kathleen kathy katie kayla keith kelly ken kenji kenneth kevin kim kimberly kristen
    kyle lara larry laura lauren leah lena leo leon leonard leslie liam lily linda lisa liz logan lola
    lori louis louise luca lucas lucia lucy luis luke lydia madison maggie malik marc marco marcus
    margaret maria marie marina mario marta martha martin mary mason matt matthew maya megan mei melanie
    melissa mia michael michelle miguel mike mila milo miriam mohamed mohammed molly monica nadia nancy
    naomi natalia natalie natasha nathan neil nicholas nick nicole nina noah nora norman oliver olivia
    omar oscar owen pablo pam pamela patricia patrick paul paula pauline pedro peggy pete peter phil
    philip phoebe priya rachel raj ralph ravi raymond rebecca ricardo richard rick rita robert roberta
    roger ron ronald rosa rosie ross roy ruth ryan sadie sally sam samantha samuel sandra sanjay sara
    sarah scott sean sebastian serena shannon sharon sheila shirley simon sofia sonia sophia sophie stacy
    stan stella stephanie stephen steve steven stuart susan suzanne sven sylvia tamara tanya tara ted
    teresa terry theo theresa thomas tim timothy tina todd tom tommy tony tracy tyler uma valerie vanessa
    vera veronica victor victoria vincent vivian walter wanda wayne wei wendy william yolanda yuki yusuf
    zach zara zoe
    """.split()
)
"""Without those that are words as well, such as Will and Grace."""

PEOPLES: Mapping[str, str] = dict(
    pair.split(":")
    for pair in (
        "france:french germany:german spain:spanish england:english britain:british greece:greek"
        " netherlands:dutch"
        " holland:dutch wales:welsh switzerland:swiss poland:polish denmark:danish sweden:swedish"
        " finland:finnish"
        " ireland:irish scotland:scottish turkey:turkish norway:norwegian portugal:portuguese china:chinese"
        " japan:japanese vietnam:vietnamese thailand:thai iceland:icelandic pakistan:pakistani"
        " israel:israeli iraq:iraqi"
        " america:american europe:european"
    ).split()
)
_ENDINGS = ("n", "an", "ian", "ese", "ish", "i", "ic", "s")


def are_related(one: str, other: str) -> bool:
    """ "Italy" and "Italian": a place and what belongs to it."""
    if PEOPLES.get(one) == other or PEOPLES.get(other) == one:
        return True
    root, longer = sorted((one, other), key=len)
    stems = (root, root[:-1]) if len(root) > 4 else (root,)
    return any(longer == stem + ending for stem in stems for ending in _ENDINGS)


def find_names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Capitalised words in lower case: those within a sentence, and those that open one."""
    inside: set[str] = set()
    openers: set[str] = set()
    for match in _CAPITALISED.finditer(text):
        start = match.start()
        at = start - 1
        while at >= 0 and text[at] == " ":
            at -= 1
        opens = at < 0 or (text[at] in _OPENS_AFTER and not _is_title(text, at))
        (openers if opens else inside).add(match.group().lower())
    return frozenset(inside), frozenset(openers)


def _is_title(text: str, dot: int) -> bool:
    return text[dot] == "." and text[max(0, dot - 4) : dot].rsplit(" ", 1)[-1] in _TITLES
