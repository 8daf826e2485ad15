import time
from pathlib import Path

import pytest
import studio_fakes as fakes

from contentsvc.plugin import (
    DialogueLine,
    Entity,
    EntityRequest,
    EntityType,
    ScriptMode,
    ScriptRequest,
    ScriptResult,
    ScriptSegment,
)
from contentsvc_studio.entities.backend import StudioEntities
from contentsvc_studio.scripts import backend
from contentsvc_studio.scripts.backend import StudioScripts


def found(*segments: ScriptSegment) -> dict[str, Entity]:
    request = EntityRequest(segments, fakes.FACTS)
    done = StudioEntities().start(request, fakes.FakeContext(Path()))
    return {entity.name: entity for entity in done.result.entities}


def shot(visual: str, *dialogue: DialogueLine) -> ScriptSegment:
    return ScriptSegment(" ".join(line.line for line in dialogue) or "Hm.", visual, 5.0, dialogue)


def test_studios_own_scripts_give_people_and_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.time, "sleep", lambda _: None)
    request = ScriptRequest(ScriptMode.AUTO, fakes.FACTS, total_duration=30.0, seed=1)
    *_, last = StudioScripts().stream(request, fakes.FakeContext(Path()))
    assert isinstance(last, ScriptResult)
    entities = found(*last.segments)
    kinds = [entity.type for entity in entities.values()]
    assert kinds.count(EntityType.SCENE) == 2
    assert 1 <= kinds.count(EntityType.CHARACTER) <= 2
    people = [entity for entity in entities.values() if entity.type is EntityType.CHARACTER]
    assert all(entity.visual_prompt.startswith(f"{entity.name}, a ") for entity in people)


def test_speakers_are_characters() -> None:
    entities = found(shot("A cup.", DialogueLine("Oh!", "Ben")), shot("A plate.", DialogueLine("Oh!", "Ben")))
    assert entities["Ben"].segments == (0, 1)


def test_narrators_are_no_characters() -> None:
    assert found(shot("A cup.", DialogueLine("So.", "Narrator"), DialogueLine("So.", "Voice-over"))) == {}


def test_an_introduction_gives_the_look() -> None:
    entities = found(shot("Anna, a tall woman with red hair, holds the cup."))
    assert entities["Anna"].visual_prompt == "Anna, a tall woman with red hair"


def test_somebody_who_acts_is_a_character() -> None:
    entities = found(shot("Anna opens the box."), shot("The box in Anna's hands. Camera turns."))
    assert list(entities) == ["Anna"]
    assert entities["Anna"].segments == (0, 1)


def test_products_and_cameras_that_act_are_nobody() -> None:
    assert found(shot("Pikolo stands in the light. Camera turns. Slow turns follow.")) == {}


def test_people_without_a_name_are_described() -> None:
    entities = found(shot("A young woman with red hair drinks."), shot("The young woman smiles."))
    assert entities["Young woman"].segments == (0, 1)
    assert "red hair" in entities["Young woman"].visual_prompt


def test_a_named_person_seen_again_is_not_found_twice() -> None:
    entities = found(shot("Anna, a woman with red hair, drinks."), shot("The woman smiles."))
    assert [entity.name for entity in entities.values()] == ["Anna"]


def test_scene_headings_are_places() -> None:
    entities = found(shot("INT. KITCHEN - MORNING. Steam rises."), shot("EXT. CITY STREET - DAY. Traffic."))
    assert {name: entity.type for name, entity in entities.items()} == {
        "Kitchen": EntityType.SCENE,
        "City street": EntityType.SCENE,
    }


def test_places_in_a_sentence_are_found_and_merged() -> None:
    entities = found(shot("The cup stands in a sunny kitchen."), shot("Close view in the kitchen."))
    assert entities["Sunny kitchen"].segments == (0, 1)


def test_two_places_of_one_kind_stay_two() -> None:
    entities = found(shot("The cup is in a small office."), shot("The cup is in a bright office."))
    assert list(entities) == ["Small office", "Bright office"]


def test_what_people_do_is_no_part_of_a_scene() -> None:
    entities = found(shot("INT. KITCHEN - MORNING. Anna opens the box."))
    assert entities["Kitchen"].visual_prompt == "Kitchen, no people"


def test_a_few_chinese_words_are_known() -> None:
    entities = found(shot("一个女孩在厨房里煮咖啡"))
    assert {name: entity.type for name, entity in entities.items()} == {
        "女孩": EntityType.CHARACTER,
        "厨房": EntityType.SCENE,
    }


def test_a_script_of_nothing_but_the_product_has_no_entities() -> None:
    assert found(shot("Slow zoom on the product, hard light.")) == {}


@pytest.mark.parametrize("text", [" ", "A", "Anna, a ", "in a ", "Anna (a b ", "INT. ", "x"])
def test_endless_texts_are_read_in_no_time(text: str) -> None:
    started = time.process_time()
    found(shot((text * 4000)[:4000]))
    assert time.process_time() - started < 1.5
