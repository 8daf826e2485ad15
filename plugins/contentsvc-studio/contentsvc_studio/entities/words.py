"""The words people and places are recognised by."""

from __future__ import annotations

PEOPLE = (
    "woman", "man", "girl", "boy", "lady", "gentleman", "mother", "father", "mom", "mum", "dad",
    "grandmother", "grandfather", "couple", "child", "kid", "toddler", "teenager", "student", "teacher",
    "doctor", "nurse", "chef", "cook", "barista", "waiter", "waitress", "baker", "runner", "athlete",
    "cyclist", "climber", "commuter", "traveller", "traveler", "tourist", "office worker", "businesswoman",
    "businessman", "artist", "designer", "musician", "gardener", "farmer", "florist", "shopkeeper",
    "customer", "host", "presenter", "friend", "neighbour", "neighbor", "dancer", "photographer",
    "mechanic", "craftsman", "potter", "person",
)  # fmt: skip
PLACES = (
    "coffee shop", "coffee bar", "living room", "dining room", "home office", "children's room",
    "photo studio", "train station", "subway station", "bus stop", "parking lot", "swimming pool",
    "mountain trail", "street market", "kitchen", "café", "cafe", "bar", "restaurant", "bistro", "bakery",
    "office", "bedroom", "bathroom", "studio", "street", "park", "garden", "beach", "forest", "woods",
    "gym", "shop", "store", "boutique", "supermarket", "market", "city", "rooftop", "balcony", "terrace",
    "patio", "car", "train", "bus", "subway", "station", "airport", "plane", "school", "classroom",
    "library", "workshop", "warehouse", "factory", "hotel", "lobby", "hallway", "apartment", "house",
    "cabin", "mountain", "mountains", "trail", "lake", "river", "sea", "ocean", "field", "meadow", "desert",
    "square", "alley", "bridge", "playground", "farm", "barn", "vineyard", "hospital", "clinic", "salon",
    "spa", "stage", "court", "stadium", "pool", "garage", "attic", "basement", "greenhouse", "museum",
    "gallery", "laundromat", "nursery", "porch",
)  # fmt: skip
VERBS = (
    "smiles", "laughs", "looks", "walks", "holds", "picks", "drinks", "sips", "sits", "stands", "opens",
    "takes", "turns", "runs", "wears", "says", "asks", "nods", "reaches", "pours", "sighs", "grins",
    "waves", "enters", "leaves", "wakes", "eats", "tastes", "types", "reads", "shows", "lifts", "places",
    "puts", "wipes", "dances", "stretches", "yawns", "points", "leans", "closes", "unpacks", "unboxes",
    "applies", "tries", "frowns", "speaks", "talks", "watches", "waits", "rubs", "stops", "checks",
    "raises", "presents", "hugs", "jogs",
)  # fmt: skip
# Capitalised words that open sentences about the picture, not people.
NOT_NAMES = frozenset({
    "A", "An", "And", "As", "At", "But", "By", "Camera", "Caption", "Close", "Closeup", "Cut", "Direction",
    "Everyone", "Everything", "Fade", "Final", "Finally", "First", "He", "Her", "Here", "His", "I", "In",
    "It", "Its", "Later", "Light", "Logo", "Meanwhile", "Medium", "Mood", "Music", "Narrator", "Nobody",
    "Now", "On", "One", "Our", "Product", "Scene", "Screen", "She", "Shot", "Slow", "Soft", "Somebody",
    "Someone", "Steam", "Suddenly", "Sunlight", "Text", "That", "The", "Their", "Then", "There", "They",
    "This", "Title", "Top", "Voice", "Warm", "We", "Who", "Wide", "You", "Your",
})  # fmt: skip
NARRATORS = frozenset({
    "announcer", "host vo", "narrator", "off", "speaker", "v.o.", "vo", "voice over", "voice-over",
    "voiceover", "旁白", "解说",
})  # fmt: skip
TIMES = (
    "morning", "noon", "afternoon", "evening", "night", "day", "dawn", "dusk", "sunset", "sunrise",
)  # fmt: skip
CHINESE_PEOPLE = (
    "女人", "女孩", "女士", "妈妈", "男人", "男孩", "男士", "爸爸", "孩子", "老人", "咖啡师", "厨师",
)  # fmt: skip
CHINESE_PLACES = (
    "厨房", "咖啡馆", "咖啡厅", "办公室", "客厅", "卧室", "浴室", "街道", "公园", "海滩", "餐厅", "商店",
    "花园", "森林", "健身房", "教室", "书房", "阳台", "城市",
)  # fmt: skip
