"""What a film sounds like, measured."""

from pathlib import Path

import ffmpeg_fakes as fakes
import pytest

from contentsvc.plugin import ExportClip, Music, Narration, ProviderError, TransitionType

LOW = "lowpass=f=350,lowpass=f=350"


def silent_clips(seconds: float) -> ExportClip:
    return ExportClip(fakes.clip(seconds=seconds))


def test_a_film_of_silent_clips_has_silent_sound(tmp_path: Path) -> None:
    made = fakes.export(fakes.order(silent_clips(1)), tmp_path).video.path
    assert "Audio: aac" in fakes.report_of(made)
    assert fakes.loudness(made) == -70.0


@pytest.mark.parametrize("volume", [1.0, 0.05])
def test_a_mix_has_the_loudness_of_the_field(volume: float, tmp_path: Path) -> None:
    clip = ExportClip(fakes.clip(seconds=6, tone=700), volume=0.2)
    request = fakes.order(
        clip,
        narration=(Narration(fakes.tone(1200, seconds=2), 2.0),),
        narration_volume=volume,
        music=Music(fakes.tone(200, seconds=1.5), volume=0.3 * volume),
    )
    made = fakes.export(request, tmp_path)
    assert fakes.loudness(made.video.path) == pytest.approx(-16, abs=1)
    assert made.video.metadata["loudness_lufs"] == pytest.approx(-16, abs=0.5)


def test_peaks_that_stand_out_do_not_make_the_film_quieter(tmp_path: Path) -> None:
    clicks = fakes.sound("sine=900:duration=6,volume='if(lt(mod(t,0.5),0.01),1,0.02)':eval=frame")
    made = fakes.export(
        fakes.order(silent_clips(6), narration=(Narration(clicks, 0.0),)), tmp_path
    ).video.path
    assert fakes.loudness(made) == pytest.approx(-16, abs=1)
    assert fakes.peak(made) < 0.0


def test_music_gives_way_to_the_voice_and_returns(tmp_path: Path) -> None:
    request = fakes.order(
        silent_clips(7),
        narration=(Narration(fakes.tone(1200, seconds=2), 2.0),),
        music=Music(fakes.tone(200, seconds=1.5), volume=0.6),
    )
    made = fakes.export(request, tmp_path).video.path
    before, under, after = (fakes.loudness(made, LOW, start=at, seconds=1) for at in (0.5, 2.5, 5.8))
    assert under < before - 6
    assert after == pytest.approx(before, abs=1.5)


def test_the_voice_begins_at_its_second(tmp_path: Path) -> None:
    request = fakes.order(silent_clips(4), narration=(Narration(fakes.tone(1200, seconds=1), 2.0),))
    made = fakes.export(request, tmp_path).video.path
    before, during, after = (fakes.loudness(made, start=at, seconds=0.9) for at in (1.0, 2.05, 3.1))
    assert before < -50
    assert during > -20
    assert after < -50


def test_voice_and_music_never_lengthen_the_film(tmp_path: Path) -> None:
    request = fakes.order(
        silent_clips(1),
        narration=(
            Narration(fakes.tone(1200, seconds=3), 0.5),
            Narration(fakes.tone(1200, seconds=3), 20.0),
        ),
        music=Music(fakes.tone(200, seconds=5)),
    )
    made = fakes.export(request, tmp_path)
    assert fakes.seconds_of(made.video.path) == pytest.approx(1.0, abs=0.03)


def test_short_music_is_repeated_without_a_gap(tmp_path: Path) -> None:
    request = fakes.order(silent_clips(4), music=Music(fakes.tone(200, seconds=0.9), volume=1.0))
    made = fakes.export(request, tmp_path).video.path
    levels = [fakes.loudness(made, start=at, seconds=0.6) for at in (0.1, 0.7, 1.5, 2.5, 3.3)]
    assert max(levels) - min(levels) < 1


def test_music_is_faded_in_and_out(tmp_path: Path) -> None:
    request = fakes.order(silent_clips(4), music=Music(fakes.tone(200, seconds=1), 1.0, 1.5, 1.5))
    made = fakes.export(request, tmp_path).video.path
    begin, middle, end = (fakes.loudness(made, start=at, seconds=0.5) for at in (0.0, 1.75, 3.5))
    assert begin < middle - 6
    assert end < middle - 6


def test_a_clips_volume_is_kept_in_proportion(tmp_path: Path) -> None:
    loud, quiet = (ExportClip(fakes.clip(seconds=2, tone=500), volume=volume) for volume in (1.0, 0.25))
    made = fakes.export(fakes.order(loud, quiet), tmp_path).video.path
    first, second = (fakes.loudness(made, start=at, seconds=1.5) for at in (0.2, 2.3))
    assert first - second == pytest.approx(12, abs=1)


def test_sound_stays_with_its_clip_through_transitions(tmp_path: Path) -> None:
    fade = TransitionType.FADE
    first = ExportClip(fakes.clip(seconds=2), transition=fade, transition_seconds=0.5)
    made = fakes.export(fakes.order(first, ExportClip(fakes.clip(seconds=2, tone=500))), tmp_path).video.path
    assert fakes.loudness(made, start=0.5, seconds=0.95) < -50
    assert fakes.loudness(made, start=2.0, seconds=1.4) > -20


def test_a_voice_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="voice-over"):
        fakes.export(
            fakes.order(silent_clips(1), narration=(Narration(fakes.FakeMedia(b"?"), 0.0),)), tmp_path
        )


def test_music_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="music"):
        fakes.export(fakes.order(silent_clips(1), music=Music(fakes.FakeMedia(None))), tmp_path)


def test_a_piece_may_be_spoken_faster_at_its_own_pitch(tmp_path: Path) -> None:
    quick = Narration(fakes.tone(1200, seconds=2), 0.0, speed=1.25)
    made = fakes.export(fakes.order(silent_clips(3), narration=(quick,)), tmp_path).video.path
    pitch = "bandpass=f=1200:width_type=h:w=100"
    during, after = (fakes.loudness(made, pitch, start=at, seconds=0.9) for at in (0.6, 1.75))
    assert during > -25
    assert after < -50


def test_a_piece_without_room_has_faded_out_when_its_time_is_up(tmp_path: Path) -> None:
    pieces = (
        Narration(fakes.tone(1200, seconds=3), 0.0, seconds=1.0),
        Narration(fakes.tone(400, seconds=1), 1.0),
    )
    made = fakes.export(fakes.order(silent_clips(3), narration=pieces), tmp_path).video.path
    pitch = "bandpass=f=1200:width_type=h:w=100,bandpass=f=1200:width_type=h:w=100"
    assert fakes.loudness(made, pitch, start=0.05, seconds=0.8) > -25
    assert fakes.loudness(made, pitch, start=1.05, seconds=0.8) < -40
