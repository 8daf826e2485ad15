"""``make demo``: a service of its own, pictures and a film, shown with what they cost."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

from contentsvc_studio import music
from tools.demo.client import Client, RefusedError, table
from tools.demo.film import Film
from tools.demo.service import own_service
from tools.demo.sheet import save
from tools.demo.story import add_product, found_team, make_pictures

ROOT = Path(__file__).resolve().parents[2]
PHOTO = ROOT / "tests" / "samples" / "espresso-cup.png"
OUTPUT = ROOT / "demo-output"
FILM = "demo-output/film.mp4"
MUSIC = "evening"


def main() -> int:
    """Run the demo; 0 when pictures and film are there and the ledger adds up."""
    started = time.monotonic()
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir()
    print("Starting a service of its own (embedded PostgreSQL, web server, workers) ...", flush=True)
    try:
        with own_service(ROOT / "development.ini") as service:
            print(f"It is up at {service.base_url}. From one photo, {PHOTO.name}:", flush=True)
            client = found_team(service.base_url, service.admin_password)
            product = add_product(client, PHOTO)
            chapters = make_pictures(client, product)
            film = _make_film(client, product)
            rows = _ledger(client)
            summary = client.get("/api/billing/summary/")
            text = _ledger_text(rows)
            title = f"{product['brand']} {product['title']}"
            page = save(client, chapters, PHOTO, text, OUTPUT, title, film["url"])
    except (RefusedError, RuntimeError) as error:
        print(f"\nThe demo stopped: {error}", file=sys.stderr)
        return 1
    print(f"\nLedger of the team\n{text}")
    moved = sum(Decimal(r["amount"]) for r in rows if r["ledger_type"] not in {"RESERVE", "RELEASE"})
    print(f"\n  balance {summary['balance']}  frozen {summary['frozen']}  sum of the rows {moved}")
    pictures = sum(len(chapter.assets) for chapter in chapters)
    print(f"\n  film     {FILM}, {film['duration_seconds']:.1f} s")
    print(f"  cost     {-sum(Decimal(r['amount']) for r in rows if r['ledger_type'] == 'CHARGE')} credits")
    seconds = time.monotonic() - started
    print(f"\n{pictures} pictures and a film in {seconds:.0f} s. Look at {page.relative_to(ROOT)}")
    return 0 if moved == Decimal(summary["balance"]) and not Decimal(summary["frozen"]) else 1


def _make_film(client: Client, product: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        bed = Path(folder) / "morning.wav"
        music.render(MUSIC, bed)
        return Film(client, product).make(bed)


def _ledger(client: Client) -> list[dict[str, Any]]:
    page = client.get("/api/billing/ledgers/", page_size=200)
    rows: list[dict[str, Any]] = page["results"]
    return rows[::-1]


def _ledger_text(rows: list[dict[str, Any]]) -> str:
    count = Counter(row["ledger_type"] for row in rows)
    total = {kind: sum(Decimal(r["amount"]) for r in rows if r["ledger_type"] == kind) for kind in count}
    return table(
        ("what happened", "rows", "credits"), [(kind, str(count[kind]), str(total[kind])) for kind in count]
    )


if __name__ == "__main__":
    raise SystemExit(main())
