import pytest

from contentsvc.plugin import DialogueLine, Entity, EntityType, ProviderError, ScriptSegment
from contentsvc_volcengine.answers import Draft, document_of, entities_of, segments_of

ONE = '{"narration": "Hi.", "visual_prompt": "A cup", "duration_seconds": 4, "dialogue": []}'
TWO = '{"narration": "", "visual_prompt": "", "dialogue": [{"speaker": "Anna", "line": "Yes."}]}'


def test_fences_and_words_around_the_json_are_left_out() -> None:
    assert document_of('Sure:\n```json\n{"a": 1}\n```\nDone.') == {"a": 1}


def test_trailing_commas_are_taken_away() -> None:
    assert document_of('{"a": [1, 2,], }') == {"a": [1, 2]}


@pytest.mark.parametrize("answer", ["", "none", "[1]", '{"a": ', "}{", '{"segments": [{]}', "[" * 9999])
def test_what_is_no_object_is_refused(answer: str) -> None:
    with pytest.raises(ProviderError, match="can't be used"):
        document_of(answer)


def test_segments_are_read_as_far_as_they_are_there() -> None:
    assert segments_of(f'{{"segments": [{ONE}, {TWO}, {{}}, 7]}}') == (
        ScriptSegment("Hi.", "A cup", 4.0),
        ScriptSegment("Yes.", "Yes.", 5.0, (DialogueLine("Yes.", "Anna"),)),
    )


@pytest.mark.parametrize("answer", ['{"segments": []}', '{"segments": "x"}', '{"scenes": [{}]}'])
def test_a_script_without_segments_is_refused(answer: str) -> None:
    with pytest.raises(ProviderError, match="can't be used"):
        segments_of(answer)


def test_drafts_grow_by_whole_segments_however_the_text_is_cut() -> None:
    draft = Draft()
    letters = f'{{"segments" : [{ONE},\n{TWO}]}}'
    grown = [len(draft.segments) for letter in letters if draft.add(letter)]
    assert grown == [1, 2]


def test_entities_are_there_once_and_only_in_segments_that_exist() -> None:
    anna = '{"type": "character", "name": "Anna", "visual_prompt": "A woman", "segments": [0, 9, true, "1"]}'
    again = '{"type": "character", "name": "anna ", "visual_prompt": "Other", "segments": [1]}'
    odd = '{"type": "thing", "name": "Cup", "visual_prompt": "A cup", "segments": [0]}'
    found = entities_of(f'{{"entities": [{anna}, {again}, {odd}, 3]}}', 2)
    assert found == (Entity(EntityType.CHARACTER, "Anna", "A woman", (0, 1)),)


def test_an_answer_without_entities_is_refused_but_none_may_be_found() -> None:
    assert entities_of('{"entities": []}', 2) == ()
    with pytest.raises(ProviderError, match="can't be used"):
        entities_of('{"people": []}', 2)
