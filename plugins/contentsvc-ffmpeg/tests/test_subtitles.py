from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contentsvc.plugin import ProviderError, Subtitle, SubtitleStyle
from contentsvc_ffmpeg.faces import Face, open_face, packaged_face
from contentsvc_ffmpeg.subtitles import Script, clean, escape, wrap, write_script

FACE = packaged_face()
SIZE = (1080, 1920)


def script(
    *subtitles: Subtitle, seconds: float = 10.0, faces: tuple[Face, ...] = (FACE,), **style: object
) -> Script:
    return write_script(subtitles, SubtitleStyle(**style), faces, SIZE, seconds)  # type: ignore[arg-type]


def events(found: Script) -> list[str]:
    assert found.text is not None
    return [line for line in found.text.splitlines() if line.startswith("Dialogue:")]


def style_of(found: Script) -> list[str]:
    assert found.text is not None
    (line,) = [line for line in found.text.splitlines() if line.startswith("Style:")]
    return line.partition(": ")[2].split(",")


def test_a_subtitle_becomes_an_event_with_its_times() -> None:
    (event,) = events(script(Subtitle("Good morning", 1.25, 3.5)))
    assert event == "Dialogue: 0,0:00:01.25,0:00:03.50,Face0,,0,0,0,,Good morning"


def test_what_lies_behind_the_end_of_the_film_is_cut() -> None:
    found = events(script(Subtitle("one", 8, 12), Subtitle("two", 10, 12)))
    assert [event.split(",")[2] for event in found] == ["0:00:10.00"]


def test_nothing_to_show_makes_no_script() -> None:
    assert script(Subtitle("  \n", 0, 1), Subtitle("late", 20, 21)).text is None


def test_hours_are_told() -> None:
    (event,) = events(script(Subtitle("late", 3661.5, 3662), seconds=4000))
    assert event.split(",")[1] == "1:01:01.50"


def test_tags_and_breaks_of_the_format_are_only_text() -> None:
    assert escape(r"{\b1}a\Nb") == "\\{\\\u2060b1\\}a\\\u2060Nb"


def test_line_breaks_and_control_characters_become_spaces_or_nothing() -> None:
    assert clean(" one\r\ntwo\x00\ufeff\tthree ") == "one two three"


@given(st.text(alphabet="ab cdWö-", max_size=120), st.integers(100, 600))
@settings(deadline=None)
def test_wrapping_loses_no_letter(text: str, box: int) -> None:
    lines = wrap(FACE, clean(text), 54, box)
    assert "".join(lines).replace(" ", "") == clean(text).replace(" ", "")
    assert all(FACE.width(line, 54) <= box or len(line) == 1 for line in lines)


def test_lines_are_even() -> None:
    lines = wrap(FACE, "a thick walled cup that keeps the heat for long", 54, 1000)
    widths = [FACE.width(line, 54) for line in lines]
    assert len(lines) == 2
    assert max(widths) / min(widths) < 1.35


def test_a_word_that_is_wider_than_a_line_is_broken() -> None:
    lines = wrap(FACE, "W" * 60, 54, 900)
    assert len(lines) > 1
    assert all(FACE.width(line, 54) <= 900 for line in lines)


def test_scripts_without_spaces_are_wrapped_between_letters_but_not_before_a_full_stop() -> None:
    lines = wrap(FACE, "浓缩咖啡杯。浓缩咖啡杯。", 54, 54 * 5)
    assert len(lines) > 1
    assert not any(line.startswith("。") for line in lines)


def test_long_texts_are_shown_page_by_page_over_their_time() -> None:
    found = events(script(Subtitle("the heat of the cup stays where it belongs " * 6, 0, 9)))
    pages = [event.split(",", 9)[9] for event in found]
    assert len(pages) > 1
    assert all(page.count("\\N") < 3 for page in pages)
    assert found[0].split(",")[1] == "0:00:00.00"
    assert found[-1].split(",")[2] == "0:00:09.00"
    assert [event.split(",")[2] for event in found[:-1]] == [event.split(",")[1] for event in found[1:]]


def test_colours_are_written_in_the_order_of_the_format() -> None:
    style = style_of(script(Subtitle("x", 0, 1), color="#FF8800", outline_color="#0011cc"))
    assert (style[3], style[5]) == ("&H000088FF", "&H00CC1100")


@pytest.mark.parametrize(("position", "alignment"), [("top", "8"), ("middle", "5"), ("bottom", "2")])
def test_position_is_kept(position: str, alignment: str) -> None:
    assert style_of(script(Subtitle("x", 0, 1), position=position))[18] == alignment


def test_the_font_size_is_that_of_the_letters_not_of_the_line() -> None:
    style = style_of(script(Subtitle("x", 0, 1), font_size=60))
    assert float(style[2]) == pytest.approx(60 * 1.366, rel=0.01)


@pytest.mark.parametrize("text", ["Żółć Ärger", "Привет, мир", "Καλημέρα", "Crème brûlée № 5"])
def test_european_scripts_are_drawn_by_the_packaged_font(text: str) -> None:
    assert script(Subtitle(text, 0, 1)).omitted == 0


def test_a_text_no_font_can_draw_is_left_out_and_counted() -> None:
    found = script(Subtitle("浓缩咖啡", 0, 1))
    assert (found.text, found.omitted) == (None, 1)


def test_symbols_no_font_can_draw_are_dropped_from_the_text() -> None:
    (event,) = events(script(Subtitle("Hot 🔥 coffee", 0, 1)))
    assert event.endswith(",Hot coffee")


def test_a_second_font_draws_what_the_first_lacks() -> None:
    other = Face(Path("other.ttf"), "Other", 1.2, FACE._font, {"杯": True})
    found = script(Subtitle("Cup", 0, 1), Subtitle("杯", 1, 2), faces=(FACE, other))
    assert [event.split(",")[3] for event in events(found)] == ["Face0", "Face1"]
    assert [path.name for path in found.fonts] == ["Manrope-SemiBold.ttf", "other.ttf"]


def test_a_font_is_called_by_its_full_name() -> None:
    assert FACE.family == "Manrope SemiBold"


def test_a_wrong_font_setting_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="font"):
        open_face(tmp_path / "none.ttf")
