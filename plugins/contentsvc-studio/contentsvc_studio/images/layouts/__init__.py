"""Which layout a request gets, in the order of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from contentsvc.plugin import ImagePurpose, ImageRequest
from contentsvc_studio.images.layouts import art, base, board, kit, kit_more, portrait, tryon
from contentsvc_studio.images.shots import Shot
from contentsvc_studio.images.stage import Stage
from contentsvc_studio.images.words import read_theme

Layout: TypeAlias = Callable[[Stage], None]

KIT: tuple[Layout, ...] = (
    kit.hero, kit.selling_points, kit.close_up, kit_more.cover, kit.spec_sheet, kit.poster,
    kit_more.arch_window, kit.ambience, kit_more.mosaic, kit.single_point, kit_more.triptych,
    kit_more.label, kit_more.window_card,
)  # fmt: skip
TRY_ON: tuple[Layout, ...] = (
    tryon.beside, tryon.arch_and_disc, tryon.cover_story, tryon.pair, tryon.spotlight, tryon.prints,
)  # fmt: skip
FIGURE: tuple[Layout, ...] = (
    tryon.presented, tryon.beside, tryon.arch_and_disc, tryon.presented_disc, tryon.pair, tryon.spotlight,
)  # fmt: skip
PORTRAIT: tuple[Layout, ...] = (
    portrait.sunlit, portrait.disc, portrait.arch, portrait.leaves, portrait.halves, portrait.glow,
    portrait.frame,
)  # fmt: skip
WITH_PHOTO: tuple[Layout, ...] = (
    kit_more.arch_window, kit.ambience, kit_more.cover, kit_more.triptych, kit.poster, kit_more.label,
    kit_more.mosaic, kit.close_up, kit_more.window_card, kit.hero,
)  # fmt: skip
ART: tuple[Layout, ...] = (
    art.podium, art.hills, art.waves, art.leaves, art.sun, art.lights, art.shapes, art.lettering,
)  # fmt: skip
SINGLE: dict[ImagePurpose, Layout] = {
    ImagePurpose.PERSON: base.person,
    ImagePurpose.PRODUCT: base.product,
    ImagePurpose.SCENE: base.scene,
    ImagePurpose.STORYBOARD: board.frame,
}
HOLDING = (tryon.presented, tryon.presented_disc)


@dataclass(frozen=True, slots=True)
class Choice:
    """A layout and how it is turned. ``turn`` counts how often the list was used up."""

    layout: Layout
    name: str
    turn: int
    mirrored: bool
    needs_figure: bool = False
    holding: bool = False
    grain: int = 4


def choose(request: ImageRequest, shots: Sequence[Shot], person: Shot | None) -> Choice:
    """The layout of a request. Within one batch no name comes twice."""
    purpose = request.purpose
    if purpose in SINGLE or purpose is ImagePurpose.THREE_VIEW:
        return _base_asset(request, shots, person)
    if purpose is ImagePurpose.TRY_ON:
        return _pick(TRY_ON if person else FIGURE, request, figure=person is None)
    if purpose is ImagePurpose.PORTRAIT:
        return _pick(PORTRAIT, request, offset=request.seed, figure=person is None)
    if not shots:
        return _pick(_art_first(request), request)
    if purpose is ImagePurpose.PLATFORM_KIT:
        return _pick(_suited(KIT, shots), request)
    several = (kit_more.gallery,) if len(shots) > 1 else ()
    suited = _suited((*several, *WITH_PHOTO), shots)
    return _pick(suited, request, offset=0 if several else request.seed)


def _base_asset(request: ImageRequest, shots: Sequence[Shot], person: Shot | None) -> Choice:
    """The one layout of a film's picture; its number only varies the framing."""
    purpose = request.purpose
    views = base.product_views if shots and person is None else base.figure_views
    layout = SINGLE.get(purpose, views)
    invents = purpose is ImagePurpose.STORYBOARD and board.wants_person(request.brief)
    figure = person is None and (purpose is ImagePurpose.PERSON or invents)
    return Choice(layout, layout.__name__, 0, False, figure, grain=2)


def _suited(choices: Sequence[Layout], shots: Sequence[Shot]) -> tuple[Layout, ...]:
    """Without the layouts that need a scene around the subject where there is none."""
    if all(shot.cut is None for shot in shots):
        return tuple(choices)
    return tuple(layout for layout in choices if layout is not kit_more.triptych)


def _art_first(request: ImageRequest) -> tuple[Layout, ...]:
    """The art layouts, beginning with the motif the brief names."""
    motif = read_theme(request.brief).motif
    first = next((at for at, layout in enumerate(ART) if layout.__name__ == motif), None)
    start = request.seed % len(ART) if first is None else first
    return (*ART[start:], *ART[:start])


def _pick(choices: Sequence[Layout], request: ImageRequest, offset: int = 0, figure: bool = False) -> Choice:
    turn, _ = divmod(request.index, len(choices))
    layout = choices[(request.index + offset) % len(choices)]
    mirrored = turn % 2 == 1
    name = layout.__name__ + ("_mirrored" if mirrored else "")
    if turn > 1:
        name += f"_{turn}"
    return Choice(layout, name, turn, mirrored, figure, figure and layout in HOLDING)
