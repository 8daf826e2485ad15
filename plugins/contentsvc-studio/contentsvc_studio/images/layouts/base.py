"""Base assets of a film: a person, a product, a place, three views of either."""

from __future__ import annotations

from PIL import Image

from contentsvc_studio.images import light, masks
from contentsvc_studio.images.figure.likeness import paper_for
from contentsvc_studio.images.figure.traits import draw_traits
from contentsvc_studio.images.figure.turned import three_views
from contentsvc_studio.images.layouts import art
from contentsvc_studio.images.places.draw import draw_place
from contentsvc_studio.images.sets import place_person
from contentsvc_studio.images.shots import Shot
from contentsvc_studio.images.stage import Box, Stage


def person(stage: Stage) -> None:
    """A person alone, head and shoulders, before plain paper."""
    who = stage.person
    if who is None:
        raise ValueError("this layout needs a person")
    if stage.traits is None or who.cut is None:
        stage.picture.paste(stage.render(who, stage.width, stage.height))
        return
    # Plain paper far from the figure's colours, so that it is recognised in a storyboard.
    stage.fill(paper_for(stage.traits))
    _stand(stage.picture, who.cut, stage.whole, 0.86)


def _stand(picture: Image.Image, cut: Image.Image, box: Box, share: float) -> None:
    """A figure at a box's lower edge without a shadow on the paper behind it."""
    scale = min(box.h * share / cut.height, box.w * 1.06 / cut.width)
    size = (max(2, round(cut.width * scale)), max(2, round(cut.height * scale)))
    sized = cut.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    inner = picture.crop((box.x, box.y, box.x + box.w, box.y + box.h))
    inner.paste(sized.convert("RGB"), ((box.w - size[0]) // 2, box.h - size[1]), sized.getchannel("A"))
    picture.paste(inner, (box.x, box.y))


def product(stage: Stage) -> None:
    """The product alone: in a quiet set where it can be cut out, else the photograph itself.
    Without a photograph an empty podium."""
    if stage.shots:
        # Another order of the same picture comes a little nearer or stays back.
        zoom = stage.rng.choice((1.0, 1.1, 1.22))
        stage.picture.paste(stage.render(stage.shot, stage.width, stage.height, zoom))
        return
    stage.notes["illustration"] = True
    art.podium(stage)


def scene(stage: Stage) -> None:
    """An empty place: the photograph that was given, else an illustration."""
    if stage.shots:
        stage.picture.paste(stage.render(stage.shot, stage.width, stage.height))
        return
    picture, name = draw_place(stage.picture.size, stage.text, stage.theme, stage.rng)
    stage.picture.paste(picture)
    stage.notes.update(illustration=True, place=name)


def _panels(stage: Stage) -> list[Box]:
    """Three equal boxes, beside each other or, in upright pictures, below each other."""
    count = 3
    if stage.width >= stage.height * 0.9:
        third = stage.width // count
        return [Box(at * third, 0, third, stage.height) for at in range(count)]
    third = stage.height // count
    return [Box(0, at * third, stage.width, third) for at in range(count)]


def figure_views(stage: Stage) -> None:
    """Front, half side and back of an illustrated figure: the one on the portrait where it
    is Studio's own, one by the words where there is no portrait. A photograph of somebody
    is only framed in three ways."""
    if stage.traits is None and stage.person is not None:
        _photo_views(stage, stage.person, (1.0, 1.45, 2.1))
        return
    traits = stage.traits or draw_traits(stage.theme, stage.rng, stage.palette.hue)
    stage.fill(paper_for(traits))
    panels = _panels(stage)
    for box, view in zip(panels, three_views(traits, min(900, panels[0].h)), strict=True):
        bounds = view.getchannel("A").getbbox()
        _stand(stage.picture, view.crop(bounds) if bounds else view, box.inset(box.w * 0.05, 0), 0.86)
    stage.notes.update(
        illustration=True, illustration_label=traits.label, views=["front", "half side", "back"]
    )


def product_views(stage: Stage) -> None:
    """Three framings of the product's photograph; nothing is shown that it doesn't show."""
    _photo_views(stage, stage.shot, (1.0, 1.5, 2.2))


def _photo_views(stage: Stage, shot: Shot, zooms: tuple[float, float, float]) -> None:
    """The whole subject, nearer, and a detail, as three panels."""
    stage.fill(stage.palette.ground)
    gap = round(1.2 * stage.unit)
    spots = ((0.5, 0.5), (0.42, 0.44), (0.58, 0.56))
    for box, zoom, spot in zip(_panels(stage), zooms, spots, strict=True):
        inner = box.inset(gap)
        if zoom == 1.0:
            view = stage.render(shot, inner.w, inner.h)
        else:
            view = shot.detail(inner.w, inner.h, spot, 0.94 / zoom)
        stage.picture.paste(
            view, (inner.x, inner.y), masks.frame("rounded", inner.w, inner.h, 1.6 * stage.unit)
        )
    stage.notes["views"] = ["whole", "nearer", "detail"]


def place_behind(stage: Stage, zoom: float, blur: float) -> Image.Image:
    """The scene of a shot at the stage's size: the reference, else drawn from the words.
    ``blur`` as a share of the long side."""
    size = stage.picture.size
    if stage.place is not None:
        picture = stage.place.crop(*size, zoom=zoom)
    else:
        picture, _ = draw_place(size, stage.text, stage.theme, stage.rng)
        stage.notes["illustration"] = True
        if zoom > 1:
            across, down = size[0] / zoom, size[1] / zoom
            left, top = (size[0] - across) / 2, (size[1] - down) * 0.42
            picture = picture.resize(
                size, Image.Resampling.BICUBIC, box=(left, top, left + across, top + down)
            )
    return light.softened(picture, blur) if blur else picture


def standing(stage: Stage, picture: Image.Image, box: Box, share: float) -> None:
    """The shot's person at the lower edge of a box."""
    who = stage.person
    if who is None:
        return
    if who.cut is not None:
        place_person(picture, who, box, share)
        return
    # A photograph that can't be cut stands in the scene as a print.
    side = round(box.w * 0.8)
    frame = Box(box.x + (box.w - side) // 2, box.y + round(box.h * 0.2), side, round(side * 1.2))
    mask = masks.frame("rounded", frame.w, frame.h, 2.4 * stage.unit)
    light.lift(picture, mask, (frame.x, frame.y), 1.8 * stage.unit)
    picture.paste(stage.render(who, frame.w, frame.h), (frame.x, frame.y), mask)
