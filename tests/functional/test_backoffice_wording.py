"""The administrator's quality words and prompt templates."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from contentsvc.backoffice.models import AuditRecord
from contentsvc.generation.models import TemplateKey
from contentsvc.generation.prompts import stage_prompt, stage_ratio
from tests.functional.conftest import Client

WORDS = "/api/admin/quality-words/"
TEMPLATES = "/api/admin/prompt-templates/"
KEYS = [
    "person_portrait",
    "person_three_view",
    "product_three_view",
    "scene_image",
    "storyboard_image",
    "video",
]
Database = Callable[..., Any]


def composed(database: Database, stage: str) -> tuple[str, str]:
    """Prompt and what is to be avoided of an order placed now."""
    with database() as session:
        words = stage_prompt(session, TemplateKey(stage), "a red door", None)
    return words.prompt, words.negative


def audited(database: Database) -> list[AuditRecord]:
    with database() as session:
        return list(session.scalars(select(AuditRecord).order_by(AuditRecord.created_at)))


def add_word(admin: Client, **fields: Any) -> dict[str, Any]:
    body = {"stage": "video", "text": "slow pan", **fields}
    made: dict[str, Any] = admin.post_json(WORDS, body, status=201).json
    return made


def template_of(admin: Client, key: str) -> dict[str, Any]:
    return next(row for row in admin.get(TEMPLATES).json if row["key"] == key)


class TestQualityWords:
    def test_a_word_is_a_suffix_and_enabled_unless_told(self, admin: Client) -> None:
        word = add_word(admin)
        assert uuid.UUID(word.pop("id")).version == 7
        assert word == {"stage": "video", "slot": "suffix", "text": "slow pan", "sort": 0, "enabled": True}

    def test_the_list_is_an_array_in_the_order_of_stage_and_sort(self, admin: Client) -> None:
        late, early = add_word(admin, sort=90, text="late"), add_word(admin, sort=-5, text="early")
        rows = admin.get(WORDS).json
        assert [row["stage"] for row in rows] == sorted(row["stage"] for row in rows)
        video = [row for row in rows if row["stage"] == "video"]
        assert (video[0], video[-1]) == (early, late)

    def test_each_slot_has_its_place_in_the_next_order(self, admin: Client, database: Database) -> None:
        add_word(admin, slot="prefix", text="35 mm film")
        add_word(admin, slot="suffix", text="golden hour", sort=9)
        add_word(admin, slot="negative", text="shaking")
        prompt, negative = composed(database, "video")
        assert prompt.startswith("35 mm film, a red door")
        assert prompt.endswith("golden hour")
        assert negative == "shaking"

    def test_a_disabled_word_is_left_out_of_the_next_order(self, admin: Client, database: Database) -> None:
        word = add_word(admin)
        assert "slow pan" in composed(database, "video")[0]
        changed = admin.patch_json(f"{WORDS}{word['id']}/", {"enabled": False}).json
        assert changed == word | {"enabled": False}
        assert "slow pan" not in composed(database, "video")[0]

    def test_stage_and_slot_stay_as_they_are(self, admin: Client) -> None:
        word = add_word(admin)
        body = {"stage": "scene_image", "slot": "prefix", "text": "fast pan", "sort": 3}
        assert admin.patch_json(f"{WORDS}{word['id']}/", body).json == word | {"text": "fast pan", "sort": 3}

    def test_a_deleted_word_is_gone(self, admin: Client) -> None:
        path = f"{WORDS}{add_word(admin)['id']}/"
        assert admin.delete(path, status=204).body == b""
        assert admin.delete(path, status=404).json["code"] == "not_found"
        assert path not in {f"{WORDS}{row['id']}/" for row in admin.get(WORDS).json}

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("stage", "poster"),
            ("stage", None),
            ("slot", "middle"),
            ("text", " "),
            ("text", "x" * 1001),
            ("sort", 1.5),
            ("sort", "1"),
            ("sort", 2**31),
        ],
    )
    def test_a_bad_field_is_named(self, admin: Client, field: str, value: Any) -> None:
        body = {"stage": "video", "text": "calm", field: value}
        assert list(admin.post_json(WORDS, body, status=400).json) == [field]

    def test_changes_are_audited_before_and_after(self, admin: Client, database: Database) -> None:
        word = add_word(admin)
        path = f"{WORDS}{word['id']}/"
        admin.patch_json(path, {"sort": 2})
        admin.patch_json(path, {"sort": 2})
        admin.delete(path)
        rows = audited(database)
        assert [row.action for row in rows] == [
            "quality_word.create",
            "quality_word.change",
            "quality_word.delete",
        ]
        assert [(row.before, row.after) for row in rows] == [
            (None, word),
            (word, word | {"sort": 2}),
            (word | {"sort": 2}, None),
        ]


class TestPromptTemplates:
    def test_there_are_six(self, admin: Client) -> None:
        rows = admin.get(TEMPLATES).json
        assert [row["key"] for row in rows] == KEYS
        assert set(rows[0]) == {"id", "key", "template", "ratio", "enabled", "updated_at"}

    def test_none_can_be_made_or_deleted(self, admin: Client) -> None:
        admin.post_json(TEMPLATES, {"key": "poster"}, status=405)
        admin.delete(f"{TEMPLATES}{template_of(admin, 'video')['id']}/", status=405)

    def test_the_next_order_is_worded_by_it(self, admin: Client, database: Database) -> None:
        row = template_of(admin, "scene_image")
        body = {"template": "{{A place}} {ratio}: {prompt} with {product}", "ratio": "4:3"}
        changed = admin.patch_json(f"{TEMPLATES}{row['id']}/", body).json
        assert changed.pop("updated_at") > row.pop("updated_at")
        assert changed == row | body
        assert composed(database, "scene_image")[0].startswith("{A place} 4:3: a red door with the product")
        with database() as session:
            assert stage_ratio(session, TemplateKey.SCENE_IMAGE) == "4:3"

    def test_videos_are_upright_whatever_their_template_says(self, admin: Client, database: Database) -> None:
        row = template_of(admin, "video")
        body = {"template": "{ratio}: {prompt}", "ratio": "1:1"}
        assert admin.patch_json(f"{TEMPLATES}{row['id']}/", body).json["ratio"] == "1:1"
        assert composed(database, "video")[0].startswith("9:16: a red door")

    def test_a_disabled_one_leaves_the_customers_words(self, admin: Client, database: Database) -> None:
        row = template_of(admin, "scene_image")
        admin.patch_json(f"{TEMPLATES}{row['id']}/", {"enabled": False})
        assert composed(database, "scene_image")[0].startswith("a red door,")

    @pytest.mark.parametrize(
        "template",
        ["{colour}", "{prompt.x}", "{prompt!r}", "{prompt:>9}", "{", "}", "{}", "{0}", "", " ", 5, None],
    )
    def test_a_template_that_cannot_be_filled_is_refused(self, admin: Client, template: Any) -> None:
        row = template_of(admin, "video")
        reply = admin.patch_json(f"{TEMPLATES}{row['id']}/", {"template": template}, status=400)
        assert list(reply.json) == ["template"]
        assert template_of(admin, "video") == row

    @pytest.mark.parametrize("ratio", ["5:4", "", None, 1])
    def test_a_ratio_nobody_knows_is_refused(self, admin: Client, ratio: Any) -> None:
        path = f"{TEMPLATES}{template_of(admin, 'video')['id']}/"
        assert list(admin.patch_json(path, {"ratio": ratio}, status=400).json) == ["ratio"]

    def test_the_key_stays(self, admin: Client) -> None:
        row = template_of(admin, "video")
        assert admin.patch_json(f"{TEMPLATES}{row['id']}/", {"key": "scene_image"}).json == row

    def test_only_a_change_is_audited(self, admin: Client, database: Database) -> None:
        row = template_of(admin, "video")
        path = f"{TEMPLATES}{row['id']}/"
        admin.patch_json(path, {"ratio": row["ratio"], "enabled": True})
        after = admin.patch_json(path, {"ratio": "1:1"}).json
        (record,) = audited(database)
        assert (record.action, record.target_type) == ("prompt_template.change", "prompt_template")
        assert (record.before, record.after) == (row, after)


@pytest.mark.parametrize("path", [WORDS, TEMPLATES])
def test_a_teams_owner_has_no_business_here(owner: Client, path: str) -> None:
    assert owner.get(path, status=403).json["code"] == "permission_denied"
