"""The image backend: from a request to a finished file, in stages that can be stopped."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from random import Random

from PIL import Image

from contentsvc.plugin import (
    Context,
    Done,
    GeneratedFile,
    ImagePurpose,
    ImageReference,
    ImageRequest,
    ImageResult,
    Pending,
    ProviderError,
    ReferenceRole,
    Usage,
)
from contentsvc_studio.images import layouts, light
from contentsvc_studio.images.facts import Facts, read_facts
from contentsvc_studio.images.figure.cast import cast_figure, cast_known
from contentsvc_studio.images.figure.likeness import traits_of
from contentsvc_studio.images.figure.traits import Traits
from contentsvc_studio.images.fonts import Fonts
from contentsvc_studio.images.palette import SCHEMES, Palette, for_picture
from contentsvc_studio.images.references import load
from contentsvc_studio.images.saliency import CENTRE
from contentsvc_studio.images.shots import Shot, make_shot
from contentsvc_studio.images.sizes import size_for
from contentsvc_studio.images.stage import Stage
from contentsvc_studio.images.words import Theme, read_theme

QUALITY = 92
MOST_SHOTS = 4
PEOPLE = (ReferenceRole.PRESENTER, ReferenceRole.CHARACTER)
FILM = (ImagePurpose.THREE_VIEW, ImagePurpose.STORYBOARD)
# Their colours come from what they show, not from the words for somebody's hair or shirt.
BASE_ASSETS = (ImagePurpose.PERSON, ImagePurpose.THREE_VIEW)


class StudioImages:
    """Composes one picture per request. The same request gives the same bytes."""

    def start(self, request: ImageRequest, ctx: Context) -> Done[ImageResult]:
        """Make the picture; ProviderError for references that can't be read, for ratios
        outside the contract and once the order is cancelled."""
        size = size_for(request.ratio)
        _go_on(ctx, 0.05)
        fonts = Fonts(ctx.settings.get("font", ""))
        theme = read_theme(request.brief)
        references = _read_references(request)
        _go_on(ctx, 0.35)
        choice = layouts.choose(request, references.shots, references.person)
        stage = _set_up(request, size, fonts, theme, references, choice.turn)
        stage.mirrored = choice.mirrored
        if references.figure is not None:
            cast_known(stage, references.figure)
        elif choice.needs_figure:
            cast_figure(stage, holding=choice.holding)
        _go_on(ctx, 0.5)
        choice.layout(stage)
        _go_on(ctx, 0.85)
        light.grain(stage.picture, request.seed * 31 + request.index, choice.grain)
        path = ctx.work_dir / "studio.jpg"
        _save(stage.picture, path)
        ctx.progress(1.0)
        return Done(ImageResult(GeneratedFile(path, _metadata(stage, choice.name)), _usage(size)))

    def poll(self, job_id: str, ctx: Context) -> Pending | Done[ImageResult]:  # noqa: ARG002 - the protocol's names
        """Studio finishes at once and never hands out jobs."""
        raise ProviderError("Studio has no work that could be asked for later.")


def _go_on(ctx: Context, fraction: float) -> None:
    if ctx.cancelled:
        raise ProviderError("The picture is no longer wanted.")
    ctx.progress(fraction)


@dataclass(frozen=True, slots=True)
class References:
    """The pictures a request works from: products and others, the person, the place.
    ``figure`` are the traits of a person that Studio itself has drawn."""

    shots: tuple[Shot, ...] = ()
    person: Shot | None = None
    figure: Traits | None = None
    place: Shot | None = None


def _read_references(request: ImageRequest) -> References:
    """Of several product pictures, and of several people and places, each index of the batch
    starts with another; a shot of a film keeps to the first."""
    purpose, given = request.purpose, request.references
    people = [ref for ref in given if ref.role in PEOPLE]
    places = [ref for ref in given if ref.role is ReferenceRole.SCENE]
    things = [ref for ref in given if ref.role not in PEOPLE and ref.role is not ReferenceRole.SCENE]
    if purpose in (ImagePurpose.PORTRAIT, ImagePurpose.PERSON):
        people, things, places = people or things, [], []
    elif purpose is ImagePurpose.THREE_VIEW:
        things = [] if people else [*things, *places]
    elif purpose not in (ImagePurpose.TRY_ON, ImagePurpose.STORYBOARD):
        people, things = [], [*things, *places, *people]
    most = MOST_SHOTS if purpose is ImagePurpose.FREE_CREATION else 1
    start = 0 if purpose is ImagePurpose.STORYBOARD else request.index
    person, place = _from(people, start)[:1], places[:1] if purpose is ImagePurpose.STORYBOARD else []
    portrait = load(person[0]) if person else None
    return References(
        tuple(make_shot(load(ref), person=ref.role in PEOPLE) for ref in _from(things, start)[:most]),
        make_shot(portrait, person=True) if portrait else None,
        traits_of(portrait) if portrait and purpose in FILM else None,
        Shot(load(place[0]).convert("RGB"), None, CENTRE, 0.0, 0.0) if place else None,
    )


def _from(references: list[ImageReference], index: int) -> list[ImageReference]:
    start = index % len(references) if references else 0
    return [*references[start:], *references[:start]]


def _set_up(
    request: ImageRequest,
    size: tuple[int, int],
    fonts: Fonts,
    theme: Theme,
    references: References,
    turn: int,
) -> Stage:
    facts = read_facts(request, fonts)
    if "no text" in request.brief.lower() or "without text" in request.brief.lower():
        facts = Facts(omitted=facts.omitted)
    elif request.product is not None and request.purpose is not ImagePurpose.FREE_CREATION:
        # A brief for a product's picture is an instruction; only free work prints it.
        facts = replace(facts, headline="")
    shots, person = references.shots, references.person
    # Variety, not secrecy. The shots of a film go by their words, to show the same people.
    seed = request.brief if request.purpose is ImagePurpose.STORYBOARD else f"{request.seed}:{request.index}"
    rng = Random(f"{seed}:{request.purpose}")  # noqa: S311
    return Stage(
        picture=Image.new("RGB", size),
        palette=_palette(request, theme, shots, person, rng, turn),
        fonts=fonts,
        facts=facts,
        theme=theme,
        rng=rng,
        seed=request.seed + request.index,
        shots=shots,
        person=person,
        place=references.place,
        text=request.brief or request.prompt,
        turn=request.index,
    )


def _palette(
    request: ImageRequest,
    theme: Theme,
    shots: tuple[Shot, ...],
    person: Shot | None,
    rng: Random,
    turn: int,
) -> Palette:
    source = shots[0] if shots else person
    if theme.hue is not None and request.purpose not in BASE_ASSETS:
        hue, chroma = theme.hue, theme.chroma
    elif source is not None:
        hue, chroma = source.hue, source.chroma
    else:
        hue, chroma = rng.choice((35, 60, 90, 150, 200, 255, 300, 350)), rng.uniform(0.07, 0.12)
    schemes = theme.schemes or SCHEMES
    return for_picture(hue, chroma, request.index + turn, request.seed, schemes)


def _save(picture: Image.Image, path: Path) -> None:
    picture.save(path, "JPEG", quality=QUALITY, subsampling=0, progressive=True)


def _usage(size: tuple[int, int]) -> Usage:
    return Usage(Decimal(1), {"images": 1, "width": size[0], "height": size[1]})


def _metadata(stage: Stage, layout: str) -> dict[str, object]:
    notes: dict[str, object] = {
        "generator": "studio",
        "layout": layout,
        "palette": stage.palette.name,
        "illustration": False,
    }
    if stage.facts.omitted:
        notes["text_omitted"] = True
    return {**notes, **stage.notes}
