"""Things of one kind: a beetle is no spider. One that stands for another changes the problem.

Kinds are parted by blank lines; words joined by a slash are one thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

_KINDS = """
ant bee beetle butterfly moth fly mosquito spider scorpion wasp worm snail slug cricket grasshopper

whale dolphin shark seal otter octopus squid crab lobster shrimp salmon tuna trout cod herring goldfish

frog toad newt salamander lizard snake turtle tortoise crocodile alligator

chicken/hen duck goose turkey pigeon crow raven sparrow robin eagle hawk falcon owl parrot penguin ostrich
swan gull

oak maple pine birch beech willow elm palm cedar spruce fir

rose tulip lily daisy sunflower orchid violet poppy

apple pear banana orange lemon lime grape cherry peach plum mango melon strawberry raspberry blueberry
pineapple kiwi

potato tomato carrot onion garlic cucumber pepper lettuce spinach cabbage broccoli bean pea corn/maize
pumpkin mushroom

bread rice pasta/spaghetti noodles pizza soup salad sandwich burger cake cookie/biscuit pie chocolate cereal

beef pork lamb ham bacon sausage veal

milk butter cheese yogurt cream egg honey jam sugar salt flour oil vinegar

tea coffee water juice beer wine whisky vodka soda lemonade

nut/nuts peanut almond walnut gluten soy lactose milk shellfish egg sesame

red blue green yellow purple brown black white grey/gray pink

gold silver copper iron steel aluminium/aluminum tin lead zinc nickel bronze brass platinum mercury titanium

wood plastic glass paper rubber leather cotton wool silk linen nylon concrete brick clay graphite

insulin glucagon cortisol adrenaline/epinephrine melatonin oestrogen/estrogen testosterone thyroxine

aspirin ibuprofen paracetamol/acetaminophen penicillin amoxicillin warfarin heparin metformin insulin
morphine codeine

antibiotic antiseptic antiviral antihistamine antidepressant antacid vaccine painkiller sedative steroid

diabetes asthma cancer malaria influenza/flu measles cholera tuberculosis pneumonia hypertension
anaemia/anemia arthritis

fever cough headache nausea rash dizziness fatigue vomiting diarrhoea/diarrhea

heart liver kidney lung brain stomach spleen pancreas bladder intestine

hand foot arm leg knee elbow shoulder ankle wrist hip neck finger toe thumb

eye ear nose mouth tongue tooth chin cheek

artery vein capillary nerve tendon ligament

mitochondria/mitochondrion nucleus ribosome chloroplast vacuole lysosome

rain snow hail fog wind frost thunder lightning

rainfall snowfall hailstorm

spring summer autumn winter

monday tuesday wednesday thursday friday saturday sunday

january february march april june july august september october november december

mercury venus earth mars jupiter saturn uranus neptune pluto

car/automobile bike/bicycle/cycle bus train tram plane/airplane/aeroplane/aircraft ship boat ferry
truck/lorry van

brother sister mother/mum/mom father/dad uncle aunt cousin nephew niece grandmother/grandma
grandfather/grandpa son daughter husband wife

doctor/physician nurse dentist surgeon pharmacist lawyer/attorney teacher engineer plumber electrician baker
butcher farmer soldier pilot chef/cook waiter

customer/client supplier employee employer manager investor landlord tenant

guitar piano violin cello drum flute trumpet harp saxophone clarinet

football/soccer basketball tennis hockey golf cricket rugby baseball volleyball swimming cycling

circle square triangle rectangle pentagon hexagon octagon ellipse trapezoid rhombus

sphere cube cylinder cone pyramid prism

addition subtraction multiplication division

sine cosine tangent logarithm

mean median mode variance

perimeter area volume circumference diameter radius

voltage current resistance capacitance

velocity acceleration momentum mass

heat electricity sound light gravity magnetism

entanglement tunnelling/tunneling superposition decoherence

haiku sonnet limerick ballad ode essay novel

poem story song letter email/e-mail tweet speech

noun verb adjective adverb pronoun preposition conjunction

pen pencil ruler eraser notebook marker crayon stapler

shirt trousers/pants skirt dress jacket coat hat scarf sock/socks shoe/shoes glove/gloves boot/boots

table chair sofa/couch bed desk shelf wardrobe stool

knife fork spoon plate bowl cup mug

glue varnish paint nail screw bolt cement

kitchen bathroom bedroom garage basement attic balcony

phone/telephone passport licence/license

library museum school hospital pharmacy bakery bank cinema theatre/theater church stadium

river lake sea ocean mountain desert forest island valley volcano

bitcoin dollar euro yen

python java javascript ruby rust php perl kotlin haskell

windows linux macos android

mysql postgresql/postgres sqlite mongodb redis

json xml yaml csv html pdf

stack queue heap tree graph

english french german spanish italian portuguese russian chinese japanese arabic korean dutch swedish polish
turkish greek latin hindi

nasal throat oral

virus bacterium/bacteria fungus/fungi parasite

gluten sugar caffeine alcohol

boiling melting freezing

latitude longitude

hydrogen helium lithium carbon nitrogen oxygen fluorine neon sodium magnesium silicon phosphorus
sulfur/sulphur chlorine argon potassium calcium chromium manganese cobalt bromine iodine barium uranium
ozone methane ethane propane butane ammonia ethanol methanol acetone benzene glucose fructose sucrose
lactose starch cellulose protein fat fibre/fiber carbohydrate vitamin mineral

cat/kitten dog/puppy horse cow/cattle pig sheep goat donkey rabbit/bunny mouse rat hamster squirrel lion
tiger leopard cheetah wolf fox bear panda elephant giraffe zebra hippo rhino camel deer moose kangaroo koala
monkey gorilla chimpanzee ape

ice water oil steam

vegan/vegans vegetarian/vegetarians

rouble rupee peso franc krona

stroke seizure migraine concussion

chapter appendix preface
"""
_FAMILIES = (
    *("anol", "cillin", "statin", "pril", "olol", "sartan", "azole", "mycin", "itis", "emia", "aemia"),
    *("ectomy", "ology", "phobia", "saurus", "thermia", "tension", "glycemia", "kalemia", "natremia"),
)
"""Endings of technical terms whose openings tell them apart."""
_SHORTEST_OPENING = 2


def _kinds() -> dict[str, frozenset[tuple[int, str]]]:
    found: dict[str, frozenset[tuple[int, str]]] = {}
    for number, things in enumerate(_KINDS.split("\n\n")):
        for thing in things.split():
            names = thing.split("/")
            for form in (form for name in names for form in (name, *_plurals(name))):
                found[form] = found.get(form, frozenset()) | {(number, names[0])}
    return found


def _plurals(name: str) -> Iterator[str]:
    yield name + ("es" if name.endswith(("s", "x", "ch", "sh", "o")) else "s")
    if name.endswith("y"):
        yield name[:-1] + "ies"


_KIND_OF: Mapping[str, frozenset[tuple[int, str]]] = _kinds()


def exchanged_things(before: Set[str], after: Set[str]) -> tuple[str, str] | None:
    """A word that is gone and one that came in its place, of the same kind and not the same thing."""
    lost = [word for word in before - after if has_kind(word)]
    new = [word for word in after - before if has_kind(word)] if lost else []
    if not new:
        return None
    was, now = _all_things(before), _all_things(after)
    for one in sorted(lost):
        gone = _things(one) - now
        for other in sorted(new):
            came = _things(other) - was
            if {kind for kind, _ in gone} & {kind for kind, _ in came} and not _things(one) & _things(other):
                return one, other
    return None


def has_kind(word: str) -> bool:
    return word in _KIND_OF or word.endswith(_FAMILIES)


def _all_things(words: Iterable[str]) -> set[tuple[int, str]]:
    return {thing for word in words if has_kind(word) for thing in _things(word)}


def _things(word: str) -> frozenset[tuple[int, str]]:
    known = _KIND_OF.get(word, frozenset())
    families = (
        (-1 - place, word.removesuffix(ending))
        for place, ending in enumerate(_FAMILIES)
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_OPENING
    )
    return known | frozenset(families)
