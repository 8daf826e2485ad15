import wave
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import studio_fakes as fakes

from contentsvc.plugin import ProviderError, SpeechRequest, SpeechResult
from contentsvc_studio.speech.backend import StudioSpeech
from contentsvc_studio.speech.voices import VOICES, names_to_try, voice_for

TEXT = "Small batches, never older than ten days."


def speak(folder: Path, text: str = TEXT, **changes: Any) -> SpeechResult:
    folder.mkdir(exist_ok=True)
    return StudioSpeech().start(SpeechRequest(text, **changes), fakes.FakeContext(folder)).result


def seconds(result: SpeechResult) -> float:
    with wave.open(str(result.audio.path), "rb") as file:
        return file.getnframes() / file.getframerate()


def test_speech_is_a_mono_wav_at_22050_hertz(tmp_path: Path) -> None:
    with wave.open(str(speak(tmp_path).audio.path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 22050)


def test_speech_takes_about_as_long_as_a_narrator(tmp_path: Path) -> None:
    result = speak(tmp_path)
    assert 1.8 < seconds(result) < 4
    assert result.audio.metadata["duration_seconds"] == pytest.approx(seconds(result), abs=0.001)


def test_speech_is_loud_but_not_clipped(tmp_path: Path) -> None:
    with wave.open(str(speak(tmp_path).audio.path), "rb") as file:
        samples = memoryview(file.readframes(file.getnframes())).cast("h")
    assert 26000 < max(map(abs, samples)) < 32767


@pytest.mark.parametrize(("speed", "factor"), [(0.5, 2.0), (2.0, 0.5)])
def test_speed_changes_the_length(speed: float, factor: float, tmp_path: Path) -> None:
    normal = seconds(speak(tmp_path / "one"))
    assert seconds(speak(tmp_path / "two", speed=speed)) == pytest.approx(normal * factor, rel=0.2)


def test_named_voices_sound_different(tmp_path: Path) -> None:
    spoken = [speak(tmp_path, voice=name).audio.path.read_bytes() for name in VOICES]
    assert len(set(spoken)) == len(VOICES)


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (speak(tmp_path / name).audio.path.read_bytes() for name in ("one", "two"))
    assert one == two


def test_texts_spoken_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    alone = speak(tmp_path / "alone").audio.path.read_bytes()
    with ThreadPoolExecutor(4) as pool:
        spoken = list(pool.map(lambda at: speak(tmp_path / str(at)).audio.path.read_bytes(), range(4)))
    assert set(spoken) == {alone}


@pytest.mark.parametrize("language", ["de-DE", "fr", "zh-CN", "ja", "pt-BR", "nb-NO"])
def test_other_languages_are_spoken(language: str, tmp_path: Path) -> None:
    result = speak(tmp_path, "Hallo, 你好", language=language)
    assert not str(result.audio.metadata["voice"]).startswith("en")


@pytest.mark.parametrize(
    ("text", "voice"), [("你好, world", "cmn+f3"), ("Привет", "ru+f3"), ("Hello", "en-us+f3")]
)
def test_letters_choose_the_language_where_none_is_named(text: str, voice: str, tmp_path: Path) -> None:
    assert speak(tmp_path, text).audio.metadata["voice"] == voice


def test_a_tag_is_a_voice(tmp_path: Path) -> None:
    assert speak(tmp_path, voice="de+f2").audio.metadata["voice"] == "de+f2"


def test_a_named_voice_keeps_its_timbre_in_another_language() -> None:
    assert names_to_try(voice_for("emma", "fr-BE")) == ["fr-be+f2", "fr+f2"]


@pytest.mark.parametrize("voice", ["nobody", "xx", "../etc", "de+f2; rm"])
def test_unknown_voices_are_refused(voice: str, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no voice"):
        speak(tmp_path, voice=voice)


@pytest.mark.parametrize("text", ["", "   ", "\u0000\n"])
def test_texts_without_words_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="nothing to speak"):
        speak(tmp_path, text)


@pytest.mark.parametrize("speed", [0.4, 2.1])
def test_speeds_outside_the_range_are_refused(speed: float, tmp_path: Path) -> None:
    with pytest.raises(ProviderError):
        speak(tmp_path, speed=speed)


def test_markup_is_read_aloud_and_not_obeyed(tmp_path: Path) -> None:
    assert seconds(speak(tmp_path / "one", '<audio src="/etc/passwd"/> hello')) > 0.3


def test_usage_is_thousands_of_characters(tmp_path: Path) -> None:
    assert speak(tmp_path).usage.units == Decimal(len(TEXT)) / 1000


def test_long_folder_names_do_no_harm(tmp_path: Path) -> None:
    deep = tmp_path / ("a" * 200)
    assert speak(deep).audio.path.exists()


def test_a_cancelled_order_is_not_spoken(tmp_path: Path) -> None:
    ctx = fakes.FakeContext(tmp_path, stop=lambda _: True)
    with pytest.raises(ProviderError, match="no longer wanted"):
        StudioSpeech().start(SpeechRequest(TEXT), ctx)
    assert list(tmp_path.iterdir()) == []
