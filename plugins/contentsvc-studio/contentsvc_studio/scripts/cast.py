"""Who is in the film and where it plays: names and looks that stay the same in every shot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from contentsvc_studio.scripts.material import Material


@dataclass(frozen=True, slots=True)
class Person:
    """``look`` describes the person so that every picture shows the same one."""

    name: str
    look: str

    @property
    def introduced(self) -> str:
        """As a visual prompt names the person."""
        return f"{self.name}, {self.look},"


@dataclass(frozen=True, slots=True)
class Place:
    """``name`` opens a visual prompt, ``detail`` says what is seen there."""

    name: str
    detail: str


_WOMEN = ("Maya", "Elena", "Nora", "Amina", "Clara", "Sofia", "Ines", "Lena")
_MEN = ("Tom", "Leo", "Daniel", "Marco", "Sam", "Adam", "Jonas", "Ravi")
_AGES = (
    ("in her twenties", "in her thirties", "in her forties"),
    ("in his twenties", "in his thirties", "in his forties"),
)
_HAIR = (
    ("wavy brown hair", "a black bob", "long auburn hair", "curly black hair", "blond hair in a bun"),
    ("short brown hair", "curly black hair", "a short beard and black hair", "grey short hair", "blond hair"),
)
_CLOTHES = ("a green shirt", "a navy blazer", "a cream roll-neck", "a terracotta shirt", "a grey sweater",
            "a mustard sweater")  # fmt: skip

KINDS: Mapping[str, frozenset[str]] = {
    "coffee": frozenset({"coffee", "espresso", "tea", "cappuccino", "latte", "roast", "roasted", "drink"}),
    "beauty": frozenset({"beauty", "skin", "skincare", "cream", "serum", "makeup", "cosmetics", "perfume",
                         "hair", "shampoo", "lipstick", "soap"}),
    "pets": frozenset({"dog", "cat", "pet", "pets", "dogs", "cats"}),
    "children": frozenset({"toy", "toys", "kids", "children", "baby", "child"}),
    "sport": frozenset({"sport", "sports", "fitness", "running", "yoga", "bike", "outdoor", "gym", "training",
                        "hiking", "camping"}),
    "fashion": frozenset({"fashion", "shoe", "shoes", "sneakers", "dress", "shirt", "jacket", "bag", "watch",
                          "jewelry", "jewellery", "clothing", "hat", "jeans", "scarf", "apparel"}),
    "tech": frozenset({"tech", "electronics", "phone", "headphones", "earbuds", "laptop", "speaker",
                       "charger", "camera", "gadget", "keyboard", "usb", "wireless"}),
    "kitchen": frozenset({"kitchen", "cup", "mug", "pan", "knife", "pot", "cooking", "plate", "bowl",
                          "dining", "bottle", "glass"}),
    "food": frozenset({"food", "snack", "chocolate", "sauce", "honey", "bread", "pasta", "organic", "fruit",
                       "oil", "wine"}),
    "home": frozenset({"home", "lamp", "sofa", "chair", "table", "candle", "pillow", "blanket", "furniture",
                       "decor", "garden", "bed", "vase"}),
}  # fmt: skip

PLACES: Mapping[str, tuple[Place, ...]] = {
    "coffee": (
        Place("Corner café", "a wooden counter, warm lamps, tall windows to the street"),
        Place("Bright kitchen", "a pale counter, open shelves, light through the window"),
    ),
    "food": (
        Place("Bright kitchen", "a pale counter, open shelves, light through the window"),
        Place("Dining room", "a long wooden table, linen, a low lamp"),
    ),
    "kitchen": (
        Place("Bright kitchen", "a pale counter, open shelves, light through the window"),
        Place("Dining room", "a long wooden table, linen, a low lamp"),
    ),
    "beauty": (
        Place("Sunlit bathroom", "pale tiles, a round mirror, a plant on the sill"),
        Place("Bedroom", "a made bed, soft curtains"),
    ),
    "fashion": (
        Place("City street", "house fronts, a tree-lined pavement, late sun"),
        Place("Bedroom", "a made bed, soft curtains"),
    ),
    "tech": (
        Place("Home office", "a tidy desk, a shelf of books, a window to the side"),
        Place("Living room", "a sofa, a rug, a floor lamp, plants"),
    ),
    "home": (
        Place("Living room", "a sofa, a rug, a floor lamp, plants"),
        Place("Bedroom", "a made bed, soft curtains"),
    ),
    "sport": (
        Place("City park", "a path, old trees, open sky"),
        Place("Gym", "a wooden floor, a rack of weights, high windows"),
    ),
    "children": (
        Place("Children's room", "a low shelf, a bright rug, paper stars on the wall"),
        Place("Living room", "a sofa, a rug, a floor lamp, plants"),
    ),
    "pets": (
        Place("Living room", "a sofa, a rug, a floor lamp, plants"),
        Place("City park", "a path, old trees, open sky"),
    ),
    "anything": (
        Place("Living room", "a sofa, a rug, a floor lamp, plants"),
        Place("Photo studio", "a seamless backdrop, one soft light from the left"),
    ),
}
WORDS_FOR_PLACES: Mapping[str, Place] = {
    "beach": Place("Beach", "pale sand, a calm sea, a wide sky"),
    "park": PLACES["sport"][0],
    "garden": Place("Garden", "a green lawn, flowering beds, an old tree"),
    "kitchen": PLACES["kitchen"][0],
    "café": PLACES["coffee"][0],
    "cafe": PLACES["coffee"][0],
    "office": PLACES["tech"][0],
    "street": PLACES["fashion"][0],
    "city": PLACES["fashion"][0],
    "bathroom": PLACES["beauty"][0],
    "bedroom": PLACES["beauty"][1],
    "forest": Place("Forest", "tall trunks, moss, light between the leaves"),
    "mountain": Place("Mountain trail", "a stony path, ridges in the distance, clear air"),
    "mountains": Place("Mountain trail", "a stony path, ridges in the distance, clear air"),
    "studio": PLACES["anything"][1],
    "gym": PLACES["sport"][1],
    "market": Place("Street market", "stalls with awnings, crates, strings of lamps"),
}


def kind_of(material: Material) -> str:
    """The kind of product its words speak of; ``anything`` where none is recognised."""
    best = max(KINDS, key=lambda kind: len(KINDS[kind] & material.words))
    return best if KINDS[best] & material.words else "anything"


def choose_people(rng: Random, words: str) -> tuple[Person, Person]:
    """Two people, the second of the other sex; ``words`` may ask for the first one's."""
    drawn = rng.random() < 0.5
    asked = {word.strip(".,!") for word in words.lower().split()}
    if asked & {"woman", "women", "mother", "girl", "her", "she"}:
        drawn = False
    elif asked & {"man", "men", "father", "boy", "his", "he"}:
        drawn = True
    return _person(rng, int(drawn)), _person(rng, int(not drawn))


def _person(rng: Random, man: int) -> Person:
    name = rng.choice(_MEN if man else _WOMEN)
    look = (
        f"a {'man' if man else 'woman'} {rng.choice(_AGES[man])} with {rng.choice(_HAIR[man])} "
        f"and {rng.choice(_CLOTHES)}"
    )
    return Person(name, look)


def choose_places(kind: str, words: str) -> tuple[Place, Place]:
    """The film's two places: those the words name first, then those of the kind."""
    small = [word.strip(".,!?'\"") for word in words.lower().split()]
    asked = [WORDS_FOR_PLACES[word] for word in small if word in WORDS_FOR_PLACES]
    both = list(dict.fromkeys([*asked, *PLACES[kind]]))
    return both[0], both[1]
