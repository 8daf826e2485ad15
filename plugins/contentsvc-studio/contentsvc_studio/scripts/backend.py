"""The script backend: thinks aloud, drafts segment by segment, hands in the finished script."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from random import Random

from contentsvc.plugin import (
    Context,
    DialogueLine,
    ProviderError,
    ScriptDraft,
    ScriptEvent,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
    ScriptText,
    ScriptTool,
    Usage,
)
from contentsvc_studio.scripts import revise
from contentsvc_studio.scripts.beats import Purpose, count_of, durations, plan, word_budgets
from contentsvc_studio.scripts.cast import choose_people, choose_places, kind_of
from contentsvc_studio.scripts.material import Material, read_material, spoken_words
from contentsvc_studio.scripts.wishes import Wishes, read_wishes
from contentsvc_studio.scripts.writer import Writer

# A reader follows the text as it comes; all pauses of a stream together stay under this.
MOST_SILENCE = 1.2


class StudioScripts:
    """Composes a script from the customer's facts. The same request gives the same script."""

    def stream(self, request: ScriptRequest, ctx: Context) -> Iterator[ScriptEvent]:
        """Write the script; ProviderError once it's no longer wanted."""
        material = read_material(request.product)
        wishes = read_wishes(request.instruction)
        writer = _writer(request, material, wishes)
        events = [*_preface(request, material, wishes), *_write(request, writer)]
        pause = min(0.06, MOST_SILENCE / len(events))
        for event in events:
            if ctx.cancelled:
                raise ProviderError("The script is no longer wanted.")
            yield event
            if not isinstance(event, ScriptResult):
                time.sleep(pause)


def _writer(request: ScriptRequest, material: Material, wishes: Wishes) -> Writer:
    # Variety, not secrecy.
    rng = Random(f"{request.seed}:{request.mode}:{request.target_index}")  # noqa: S311
    words = f"{material.audience} {request.instruction}"
    kind = kind_of(material)
    people = choose_people(rng, words)
    if request.segments:
        people = revise.known_people(request.segments, people)
    return Writer(
        material=material,
        wishes=wishes,
        rng=rng,
        people=people,
        places=choose_places(kind, request.instruction),
        aspect_ratio=request.aspect_ratio,
        kind=kind,
    )


def _preface(request: ScriptRequest, material: Material, wishes: Wishes) -> Iterator[ScriptEvent]:
    yield ScriptTool("read_product", "Reading what is known of the product")
    yield from _thoughts(_what_is_known(material))
    yield ScriptTool("read_product", "Reading what is known of the product", is_done=True)
    yield ScriptTool("plan", "Planning the shots")
    yield from _thoughts(_what_is_meant(request, material, wishes))
    yield ScriptTool("plan", "Planning the shots", is_done=True)


def _what_is_known(material: Material) -> str:
    text = f"This film is about {material.name}. "
    if material.points:
        titles = ", ".join(point.title.rstrip(".").lower() for point in material.points[:4])
        text += f"What speaks for it: {titles}. "
    else:
        text += "No selling points are given, so the pictures have to carry it. "
    if material.audience:
        text += f"It is meant for {material.audience}. "
    return text


def _what_is_meant(request: ScriptRequest, material: Material, wishes: Wishes) -> str:
    if request.mode is ScriptMode.REVISE and request.target_index is not None:
        text = f"Only shot {request.target_index + 1} changes; everything around it stays. "
    elif request.mode is ScriptMode.REVISE:
        text = "The order of the shots and what they show stay; the words are written anew. "
    else:
        text = "It opens with a hook, names what everybody knows, answers with the product, and "
        text += "ends with an invitation. "
        if material.specs:
            text += "The plain facts stand near the end, where they count. "
    if wishes.tone:
        text += f"The tone is {wishes.tone}. "
    if request.total_duration is not None:
        text += f"Together it takes {request.total_duration:g} seconds. "
    return text


def _thoughts(text: str) -> Iterator[ScriptText]:
    """A text in pieces of a few words."""
    words = text.split(" ")
    for at in range(0, len(words), 4):
        piece = " ".join(words[at : at + 4])
        yield ScriptText(piece + (" " if at + 4 < len(words) else ""))


def _write(request: ScriptRequest, writer: Writer) -> Iterator[ScriptEvent]:
    yield ScriptTool("write", "Writing the script")
    segments = _segments(request, writer)
    for count in range(1, len(segments) + 1):
        yield ScriptDraft(tuple(segments[:count]))
    yield ScriptTool("write", "Writing the script", is_done=True)
    words = sum(spoken_words(segment.narration) for segment in segments)
    yield ScriptResult(tuple(segments), Usage(Decimal(1), {"segments": len(segments), "words": words}))


def _segments(request: ScriptRequest, writer: Writer) -> Sequence[ScriptSegment]:
    if request.mode is ScriptMode.REVISE and request.segments:
        if request.target_index is not None:
            if not 0 <= request.target_index < len(request.segments):
                raise ProviderError("The script has no segment with that number.")
            return [revise.rewrite_one(writer, request.segments, request.target_index)]
        if writer.wishes.count in (None, len(request.segments)):
            return revise.rewrite_all(writer, request.segments, request.total_duration)
        return _compose(writer, revise.length_of(request.segments, writer, request.total_duration))
    return _compose(writer, request.total_duration)


def _compose(writer: Writer, total: float | None) -> Sequence[ScriptSegment]:
    beats = plan(writer.material, count_of(writer.material, total, writer.wishes.count))
    # A film without a scene of trouble would otherwise have nobody who speaks.
    writer.hook_by_person = all(beat.purpose is not Purpose.WORRY for beat in beats)
    said: list[tuple[DialogueLine, ...]] = []
    benefits = 0
    for beat, budget in zip(beats, word_budgets(beats, total), strict=True):
        said.append(writer.say(beat, budget, benefits))
        benefits += beat.purpose is Purpose.BENEFIT
    seconds = durations([sum(spoken_words(line.line) for line in lines) for lines in said], total)
    return [
        writer.segment(beat, lines, length, at, len(beats))
        for at, (beat, lines, length) in enumerate(zip(beats, said, seconds, strict=True))
    ]
