"""A voice-over of ElevenLabs, from the request to the stored sound."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from sqlalchemy import select

from contentsvc.db.session import transaction_scope
from contentsvc.providers.models import ModelConfig
from contentsvc.providers.services import Models
from contentsvc.testing import Reply, Request
from contentsvc.testing.samples import sound
from tests.functional.projecting import add_project, add_script
from tests.system.hosted import hosted, units_charged, work_of

KEY = "canary-of-elevenlabs"


def elevenlabs(request: Request) -> Reply:
    """Speaks anything but what is called forbidden."""
    if "forbidden" in request.json()["text"]:
        return Reply.json({"detail": {"status": "bad_prompt", "message": "It violates our Terms."}}, 400)
    return Reply.file(sound(1.0), "audio/wav")


def test_a_film_is_spoken_by_elevenlabs(postgres_url: str, tmp_path: Path) -> None:
    with hosted(postgres_url, tmp_path, "elevenlabs", elevenlabs, key=KEY) as (service, server):
        with transaction_scope(service.registry) as session:
            named = select(ModelConfig).where(ModelConfig.name == "eleven_multilingual_v2")
            Models(session).set_default(session.scalars(named).one())
        person = service.person()
        film = add_project(service.registry, person.team_id)
        add_script(service.registry, person.team_id, film, adopted=True)

        def speak(text: str) -> Any:
            body = {"items": [{"index": 0, "text": text}], "voice_type": "george", "speed_ratio": 1.1}
            person.http.post(f"/api/projects/{film}/generate-voiceover/", json=body)
            [task, *_] = person.http.get("/api/ai/tasks/").json()["results"]
            return person.finished(task["id"])

        spoken = speak("Mornings are grey.")
        assert work_of(person, spoken).startswith(b"RIFF")
        assert units_charged(service, spoken) == Decimal("0.018")
        refused = speak("This is forbidden.")
        assert (refused["status"], refused["error_message"]) == (
            "failed",
            "The provider refuses this content.",
        )
        assert service.ledger(refused["id"]) == ["RESERVE", "RELEASE"]
        assert [request.headers["xi-api-key"] for request in server.requests] == [KEY, KEY]
        assert KEY not in (tmp_path / "log").read_text(encoding="utf-8")
