"""Lines of copy for each beat of a film. They speak of the viewer's life and of looking at
the product; whatever is claimed of the product comes from the customer's own facts.

A line is used where every field it names is known: name, short, brand, audience, theme,
spec (a label), value.
"""

from __future__ import annotations

from collections.abc import Mapping

Lines = Mapping[str, tuple[str, ...]]

HOOK: Lines = {
    "neutral": (
        "{theme}.",
        "Look.",
        "Wait.",
        "Give this one ten seconds.",
        "Wait. Look at this.",
        "Before you scroll on: this is {name}.",
        "There is a better way to start this day.",
        "If you only look at one thing today, look at this.",
        "You know that feeling when something is simply right?",
        "This one is for {audience}.",
    ),
    "funny": (
        "{theme}. What could possibly go wrong?",
        "Breaking news from the kitchen table.",
        "Hold my phone. No, really, hold it.",
        "Nobody asked. We made a film about it anyway.",
        "My plants don't listen to me. You might.",
        "This one is for {audience}. You know who you are.",
    ),
    "formal": (
        "{theme}.",
        "Allow us to introduce {name}.",
        "A closer look at {name}.",
        "Made with one audience in mind: {audience}.",
        "Here are the facts about {name}.",
    ),
    "warm": (
        "{theme}.",
        "Some moments deserve a little more care.",
        "Do you remember the last time you took a minute for yourself?",
        "Good days are made of small things.",
        "This is for {audience}, and for everyone they love.",
    ),
    "bold": (
        "{theme}. Now.",
        "Stop. Look. {name}.",
        "Forget the usual.",
        "Ready? Because this is {name}.",
        "Calling {audience}!",
    ),
    "calm": (
        "{theme}.",
        "Quiet, please.",
        "One thing. Done well.",
        "Take a breath.",
        "Slow down for a moment.",
        "For {audience}.",
    ),
}

REVEAL: Lines = {
    "neutral": (
        "Here it is.",
        "This one.",
        "Meet {name}.",
        "This is {name}.",
        "Then {name} came along.",
        "So here it is: {name}.",
        "Say hello to {name}.",
    ),
    "funny": (
        "Enter {name}. Applause, please.",
        "And then, dramatic pause: {name}.",
        "Plot twist: {name}.",
    ),
    "formal": ("May we present {name}.", "The answer is {name}.", "We present {name}."),
    "warm": ("And then there was {name}.", "Here is {name}, made to be part of your day."),
    "bold": ("Here it comes: {name}!", "One answer. {name}."),
    "calm": ("{name}.", "Simply {name}."),
}

LEAD: Lines = {
    "neutral": (
        "First things first.",
        "Here is why.",
        "And there is more.",
        "Look closer.",
        "That's not all.",
        "It gets better.",
        "What does that mean for you?",
        "The little things count.",
    ),
    "funny": (
        "Reason one, and I can count.",
        "Fine print? No, good print.",
        "Wait, it gets better.",
        "Cue the drum roll.",
        "My mother asked, so:",
        "No, we are not done yet.",
    ),
    "formal": (
        "To begin with.",
        "In detail.",
        "In addition.",
        "Also worth noting.",
        "Specifically.",
        "Finally.",
    ),
    "warm": (
        "You will notice it.",
        "With you in mind.",
        "It's the small things.",
        "And you can feel it.",
        "Just the way you like it.",
        "One more thing to love.",
    ),
    "bold": ("Number one!", "Next!", "More?", "Check this.", "And again!", "Top that."),
    "calm": ("Look.", "Feel.", "Again, closer.", "And this.", "Notice.", "Nothing more."),
}

PROOF: Lines = {
    "neutral": (
        "The facts: {facts}.",
        "In numbers and names: {facts}.",
        "What it says on the label: {facts}.",
        "For the ones who like to know: {facts}.",
    ),
    "funny": (
        "For the nerds, and we love you: {facts}.",
        "Now the part your dad will quote: {facts}.",
    ),
    "formal": ("The specification: {facts}.", "In figures: {facts}."),
    "warm": ("So that you know what you hold: {facts}.", "Because you care: {facts}."),
    "bold": ("Hard facts! {facts}.", "The stats: {facts}."),
    "calm": ("{facts}.", "Only this: {facts}."),
}

MOMENT: Lines = {
    "neutral": (
        "Look closer.",
        "See?",
        "Here.",
        "There it is.",
        "See it from every side.",
        "Take a good look.",
        "Some things you have to see for yourself.",
        "Picture it in your day.",
        "This is what it looks like, up close.",
    ),
    "funny": ("Yes, this is a beauty shot. No, we are not sorry.", "We could watch this all day. We did."),
    "formal": ("A closer view.", "Every side deserves a look."),
    "warm": ("Imagine it beside you, tomorrow morning.", "There it is, waiting for you."),
    "bold": ("Look at that!", "All eyes here."),
    "calm": ("Just look.", "A moment longer."),
}

CALL: Lines = {
    "neutral": (
        "{name}. See it for yourself.",
        "Ready for {name}? Have a look today.",
        "{name}. Yours is waiting.",
        "Get to know {name}. Tap to see more.",
        "Make it yours. {name}.",
        "Have a look.",
        "{name}.",
    ),
    "funny": (
        "{name}. Your thumb knows what to do.",
        "Go on, tap. {name} won't bite.",
        "{name}. You have watched this far anyway.",
    ),
    "formal": (
        "{name}. Discover more today.",
        "Learn more about {name} in the shop.",
        "{name}. We look forward to your visit.",
    ),
    "warm": (
        "{name}. Treat yourself, or someone you love.",
        "{name}. Come and see.",
        "Take {name} home.",
    ),
    "bold": ("{name}. Get yours now!", "Don't wait. {name}!", "Tap. Order. {name}!"),
    "calm": ("{name}.", "{name}. Whenever you are ready.", "{name}. Nothing else."),
}

WORRY: Mapping[str, tuple[str, ...]] = {
    "coffee": (
        "Mornings rush. Coffee shouldn't have to.",
        "Too many coffees are swallowed on the way to somewhere else.",
        "You wait in line, and then it's over in three tired sips.",
    ),
    "food": (
        "Another evening, another quick bite you forget at once.",
        "You read the back of the pack and put it down again.",
        "Good taste is easy to promise and hard to find.",
    ),
    "kitchen": (
        "The drawer is full, and still the right thing is missing.",
        "Cooking is fun, until the tools get in your way.",
        "Every day you use it, every day it annoys you a little.",
    ),
    "beauty": (
        "A full shelf, the same mirror, and still no favourite.",
        "You have tried so many. Most of them stay in the drawer.",
        "Long lists of promises. Short list of things you keep.",
    ),
    "fashion": (
        "A full wardrobe, and still nothing to wear.",
        "It looked good in the shop. Then came the first long day.",
        "You try on ten things and keep none.",
    ),
    "tech": (
        "Another gadget, another box of cables.",
        "You wanted it simple. You got a manual.",
        "It works, mostly. Mostly isn't good enough.",
    ),
    "home": (
        "You tidy up, and the room still doesn't feel like yours.",
        "Something is missing here, and you can't say what.",
        "Home should be where things are easy.",
    ),
    "sport": (
        "The plan is good. The excuses are better.",
        "Halfway through, you notice what doesn't fit.",
        "You bring the will. Your gear should keep up.",
    ),
    "children": (
        "They want to play. You want five minutes.",
        "New toy on Monday, forgotten by Tuesday.",
        "Small hands, big questions, short evenings.",
    ),
    "pets": (
        "They can't tell you what they need. They look at you instead.",
        "Happy paws, tired human. You know that look.",
    ),
    "anything": (
        "You have seen a hundred of these. Most just promise.",
        "The usual choice is fine. Fine isn't what you wanted.",
        "So many offers, and none that feels made for you.",
        "You compare, you read, you close the tab again.",
    ),
}

COMPLAINTS = (
    "Again?",
    "Not again.",
    "There has to be a better one.",
    "I have had enough of this.",
    "Not today. Please, not today.",
    "Why is this always so hard?",
    "I only wanted one good thing.",
)

QUESTIONS = (
    "So what makes it different?",
    "Okay, tell me more.",
    "Wait, can I see that?",
    "Is that the one?",
    "And what's in it for me?",
    "Go on, I'm listening.",
)

REPLIES = ("That's it.", "Oh, I see.", "Now I get it.", "Yes, this one.", "I'm keeping it.")
