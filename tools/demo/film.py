"""From the product to a finished film: script, characters, storyboard, clips, voice, export."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.demo.client import Client, ProgressBar, RefusedError

SECONDS = 20
THEME = "the first warm minutes of a foggy morning"
PAUSE = 0.4


class Film:
    """One project on its way through the stages, each with a progress bar."""

    def __init__(self, client: Client, product: dict[str, Any]) -> None:
        self._client = client
        self._product = product
        self._project = client.post(
            "/api/projects/", {"name": f"{product['title']}: the film", "product": product["id"]}
        )

    def make(self, music: Path) -> dict[str, Any]:
        """Every stage in order; the finished export, as ``poll-export`` answers it."""
        self._write_script()
        self._cast()
        self._draw_storyboard()
        self._wait_for_reviews()
        self._shoot()
        self._speak()
        self._client.upload(self._path("upload-bgm"), music, volume="0.35")
        return self._export()

    def _path(self, action: str = "") -> str:
        return (
            f"/api/projects/{self._project['id']}/{action}/"
            if action
            else (f"/api/projects/{self._project['id']}/")
        )

    def _do(self, action: str, body: dict[str, Any] | None = None) -> Any:
        return self._client.post(self._path(action), body)

    def _read(self) -> dict[str, Any]:
        project: dict[str, Any] = self._client.get(self._path())
        return project

    def _write_script(self) -> None:
        bar = ProgressBar("Script", 1)
        script = None
        for event in self._client.events(
            self._path("script-agent-stream"),
            {
                "mode": "theme",
                "prompt": THEME,
                "total_duration": SECONDS,
            },
        ):
            if event["type"] == "error":
                raise RefusedError(f"Script: {event['detail']}")
            if event["type"] == "saved":
                script = event["script_version"]
            bar.show(int(event["type"] == "done"))
        bar.close()
        if script is None:
            raise RefusedError("The script stream ended without a script.")
        self._do("adopt-script", {"script_version_id": script["id"]})

    def _cast(self) -> None:
        self._do("extract-entities")
        found = self._until("People and places", self._extracted)
        orders = [
            ("person" if entity["type"] == "character" else "scene", entity) for entity in found["entities"]
        ]
        tasks = [
            self._do(
                "generate-base-asset",
                {"kind": kind, "prompt": entity["visual_prompt"] or entity["name"], "label": entity["name"]},
            )["task"]["id"]
            for kind, entity in orders
        ]
        self._client.finish("Base assets", tasks)

    def _extracted(self) -> dict[str, Any] | None:
        status: dict[str, Any] = self._client.get(self._path("extract-status"))
        if status["error"]:
            raise RefusedError(f"People and places: {status['error']}")
        return None if status["running"] else status

    def _draw_storyboard(self) -> None:
        order = self._do("generate-storyboard", {"prompt": "Warm morning light, calm and honest"})
        bar = ProgressBar("Storyboard", order["total"])
        while True:
            state = self._do("poll-storyboard")
            bar.show(state["done"])
            if state["status"] != "generating":
                break
            time.sleep(PAUSE)
        bar.close()
        if state["status"] == "failed":
            raise RefusedError(f"Storyboard: {state.get('error')}")

    def _wait_for_reviews(self) -> None:
        self._until("Reviews", self._reviewed)

    def _reviewed(self) -> dict[str, Any] | None:
        check: dict[str, Any] = self._client.get(self._path("video-precheck"))
        if refused := [item for item in check["blocking"] if item["review_status"] == "failed"]:
            raise RefusedError(f"Review of {refused[0]['label']}: {refused[0]['review_error']}")
        return check if check["ready"] else None

    def _shoot(self) -> None:
        segments = {s["segment_id"]: s for s in self._read()["current_script"]["segments"]}
        clips = self._read()["video_segments"]
        for clip in clips:
            prompt = segments[clip["segment_id"]]["visual_prompt"] or "The product, calmly"
            self._do("submit-video-segment", {"video_segment_id": clip["video_segment_id"], "prompt": prompt})
        bar = ProgressBar("Clips", len(clips))
        while True:
            states = [
                self._do("poll-video-segment", {"video_segment_id": clip["video_segment_id"]})
                for clip in clips
            ]
            if failed := [state["error"] for state in states if state["status"] == "failed"]:
                raise RefusedError(f"Clips: {failed[0]}")
            done = sum(state["status"] == "succeeded" for state in states)
            bar.show(done)
            if done == len(clips):
                break
            time.sleep(PAUSE)
        bar.close()

    def _speak(self) -> None:
        segments = self._read()["current_script"]["segments"]
        items = [{"index": s["index"], "text": s["narration"]} for s in segments if s["narration"]]
        bar = ProgressBar("Voice-over", 1)
        self._do("generate-voiceover", {"items": items})
        bar.show(1)
        bar.close()

    def _export(self) -> dict[str, Any]:
        self._do("submit-export")
        bar = ProgressBar("Export", 100)
        while True:
            state: dict[str, Any] = self._do("poll-export")
            bar.show(int(100 * (state["progress"] or 0)))
            if state["status"] != "generating":
                break
            time.sleep(PAUSE)
        bar.close()
        if state["status"] == "failed":
            raise RefusedError(f"Export: {state['error']}")
        return state

    def _until(self, label: str, ask: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
        bar = ProgressBar(label, 1)
        while (found := ask()) is None:
            bar.show(0)
            time.sleep(PAUSE)
        bar.show(1)
        bar.close()
        return found
