"""What a model is told: the stage's template, its quality words, and the product's facts."""

from __future__ import annotations

import string
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from contentsvc.generation.models import PromptTemplate, QualityWord, TemplateKey, WordSlot
from contentsvc.plugin import ImagePurpose, ProductFacts

VIDEO_RATIO = "9:16"
PLACEHOLDERS = frozenset({"prompt", "product", "ratio"})

DEFAULT_TEMPLATES: dict[TemplateKey, tuple[str, str]] = {
    TemplateKey.PERSON_PORTRAIT: (
        "Portrait photograph of {prompt}. Head and shoulders, facing us, soft light, plain background.",
        "3:4",
    ),
    TemplateKey.PERSON_THREE_VIEW: (
        "The same person three times: front, side and back, whole figure, plain background. {prompt}",
        "16:9",
    ),
    TemplateKey.PRODUCT_THREE_VIEW: (
        "{product} three times side by side: front, side and back, same scale, plain background. {prompt}",
        "16:9",
    ),
    TemplateKey.SCENE_IMAGE: ("An empty place, no people, ready to film in: {prompt}", "9:16"),
    TemplateKey.STORYBOARD_IMAGE: ("One frame of an advertising film for {product}: {prompt}", "9:16"),
    TemplateKey.VIDEO: ("{prompt}", "9:16"),
}

DEFAULT_WORDS: tuple[tuple[TemplateKey, WordSlot, str], ...] = (
    (TemplateKey.PERSON_PORTRAIT, WordSlot.SUFFIX, "natural skin, sharp eyes, true colours"),
    (TemplateKey.PERSON_PORTRAIT, WordSlot.NEGATIVE, "distorted face, extra fingers, writing, watermark"),
    (TemplateKey.PERSON_THREE_VIEW, WordSlot.SUFFIX, "same clothes and face in all three views"),
    (TemplateKey.PRODUCT_THREE_VIEW, WordSlot.SUFFIX, "shape, colour and markings exactly as in the photo"),
    (TemplateKey.SCENE_IMAGE, WordSlot.SUFFIX, "believable light, depth, fine detail"),
    (TemplateKey.SCENE_IMAGE, WordSlot.NEGATIVE, "people, writing, watermark"),
    (TemplateKey.STORYBOARD_IMAGE, WordSlot.SUFFIX, "film still, consistent characters and product"),
    (TemplateKey.VIDEO, WordSlot.SUFFIX, "steady camera, natural movement"),
)

# One sentence a layout; the picture's index in its batch picks one.
LAYOUTS = (
    "The product large and centred, much empty space around it.",
    "The product on one third, the other two thirds calm for writing.",
    "A close view that shows material and finish.",
    "The product in use in its everyday place.",
    "Seen from above, arranged with a few fitting objects.",
    "A low camera, the product tall against the background.",
    "A strong diagonal, light from one side, long shadow.",
    "A symmetrical arrangement on a plinth.",
    "Seen through a blurred foreground, the product sharp behind it.",
    "A wide view, the product small in an inviting place.",
    "Two views of the product beside each other.",
    "The product half in shadow, one bright edge.",
)


@dataclass(frozen=True)
class Composed:
    """A finished prompt and what to avoid."""

    prompt: str
    negative: str


def stage_prompt(
    session: Session,
    stage: TemplateKey,
    brief: str,
    product: ProductFacts | None,
    ratio: str | None = None,
) -> Composed:
    """The stage's template filled in, with the stage's words around it.

    ``ratio`` is that of the order, the stage's own unless told. A disabled template leaves
    the customer's words as they are.
    """
    template = session.scalars(select(PromptTemplate).where(PromptTemplate.key == stage)).one()
    text = brief
    if template.enabled:
        shape = ratio or _ratio_of(template)
        text = fill(template.template, prompt=brief, product=product_name(product), ratio=shape)
    words: dict[str, list[str]] = {slot: [] for slot in WordSlot}
    statement = (
        select(QualityWord)
        .where(QualityWord.stage == stage, QualityWord.enabled)
        .order_by(QualityWord.sort, QualityWord.id)
    )
    for word in session.scalars(statement):
        words[word.slot].append(word.text)
    parts = [*words[WordSlot.PREFIX], text.rstrip(". "), *words[WordSlot.SUFFIX]]
    return Composed(prompt=", ".join(parts), negative=", ".join(words[WordSlot.NEGATIVE]))


def stage_ratio(session: Session, stage: TemplateKey) -> str:
    """The ratio the administrator has set for a stage; videos are upright whatever he has."""
    return _ratio_of(session.scalars(select(PromptTemplate).where(PromptTemplate.key == stage)).one())


def _ratio_of(template: PromptTemplate) -> str:
    return VIDEO_RATIO if template.key == TemplateKey.VIDEO else template.ratio


def picture_prompt(purpose: ImagePurpose, brief: str, product: ProductFacts | None, index: int) -> Composed:
    """The prompt of a try-on, a platform picture or a free creation."""
    parts = [brief.rstrip(". ") + "."]
    if purpose is ImagePurpose.TRY_ON:
        parts.append("The person of the first reference picture shows or wears the product.")
    if product is not None and (name := product_name(product)):
        parts.append(f"The product: {name}. Its shape, colour and markings stay exactly as in the photo.")
        if points := ", ".join(point.title for point in product.selling_points if point.title):
            parts.append(f"What should come across: {points}.")
    if purpose is not ImagePurpose.FREE_CREATION or index:
        parts.append(LAYOUTS[index % len(LAYOUTS)])
    return Composed(prompt=" ".join(parts), negative="")


def product_name(product: ProductFacts | None) -> str:
    """Brand and title, as one would say it."""
    if product is None:
        return "the product"
    return " ".join(part for part in (product.brand, product.title) if part) or "the product"


def fill(template: str, **values: str) -> str:
    """A template with its placeholders replaced. Raises ValueError for an unknown one."""
    check_template(template)
    return template.format(**values)


def check_template(template: str) -> None:
    """Raise ValueError unless the template only has placeholders the service fills."""
    try:
        fields = [field for field in string.Formatter().parse(template) if field[1] is not None]
    except ValueError as error:
        raise ValueError("the braces of the template don't match") from error
    if any(spec or conversion for _, _, spec, conversion in fields):
        raise ValueError("placeholders take no format")
    if unknown := sorted({str(name) for _, name, _, _ in fields} - PLACEHOLDERS):
        raise ValueError(f"unknown placeholder: {', '.join(unknown)}")


def ensure_templates(session: Session) -> None:
    """The six templates, and on a fresh database the first quality words; edits are kept."""
    fresh = session.scalars(select(PromptTemplate.id).limit(1)).first() is None
    for key, (template, ratio) in DEFAULT_TEMPLATES.items():
        session.execute(
            insert(PromptTemplate)
            .values(key=key, template=template, ratio=ratio)
            .on_conflict_do_nothing(index_elements=["key"])
        )
    if fresh:
        session.add_all(
            QualityWord(stage=stage, slot=slot, text=text, sort=number)
            for number, (stage, slot, text) in enumerate(DEFAULT_WORDS)
        )
