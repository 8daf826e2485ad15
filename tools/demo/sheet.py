"""The contact sheet: one page that shows everything the demo has made."""

from __future__ import annotations

import html
from pathlib import Path
from string import Template

from tools.demo.client import Client
from tools.demo.story import Chapter

PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>contentsvc demo</title>
<style>
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:#f6f4f0;color:#2a2520}
main{max-width:1200px;margin:auto;padding:48px 24px}
h1{font-size:40px;line-height:1.1;margin:0 0 8px}
h2{margin:48px 0 0}
p{margin:4px 0 16px;color:#6b6259}
.row{display:flex;flex-wrap:wrap;gap:16px}
figure{margin:0;background:#fff;border-radius:10px;overflow:hidden;box-shadow:0 1px 4px #0002}
img{display:block;height:300px;width:auto}
figcaption{padding:6px 12px;font-size:12px;color:#6b6259}
pre{background:#fff;border-radius:10px;padding:16px;overflow:auto}
</style></head><body><main>
<h1>$title</h1><p>$subtitle</p>
<div class="row"><figure><a href="$photo"><img src="$photo" alt="the photo"></a>
<figcaption>The photo it began with</figcaption></figure></div>
$chapters
<h2>Film</h2><p>Script, people, storyboard, clips, voice and music; exported at 1080×1920.</p>
<video controls preload="metadata" src="film.mp4" height="640"></video>
<h2>Ledger</h2><p>Reserved before the work, charged on success.</p><pre>$ledger</pre>
</main></body></html>
""")


def save(
    client: Client,
    chapters: list[Chapter],
    photo: Path,
    ledger: str,
    folder: Path,
    title: str,
    film_url: str,
) -> Path:
    """Download the film and every picture into ``folder`` and write its ``index.html``; its path."""
    client.download(film_url, folder / "film.mp4")
    sections = []
    for chapter in chapters:
        figures = []
        for number, asset in enumerate(chapter.assets, 1):
            suffix = Path(asset["preview_url"]).suffix
            name = f"{chapter.title.lower().replace(' ', '-')}-{number}{suffix}"
            client.download(asset["preview_url"], folder / name)
            caption = f"{asset['metadata'].get('layout', '')} · {asset['width']}×{asset['height']}"
            figures.append(
                f'<figure><a href="{name}"><img src="{name}" alt="{html.escape(asset["name"])}"></a>'
                f"<figcaption>{html.escape(caption)}</figcaption></figure>"
            )
        sections.append(
            f"<h2>{html.escape(chapter.title)}</h2><p>{html.escape(chapter.text)}</p>"
            f'<div class="row">{"".join(figures)}</div>'
        )
    (folder / photo.name).write_bytes(photo.read_bytes())
    page = folder / "index.html"
    page.write_text(
        PAGE.substitute(
            title=html.escape(title),
            subtitle="Made by contentsvc from one photo, through its public API, offline.",
            photo=photo.name,
            chapters="\n".join(sections),
            ledger=html.escape(ledger),
        ),
        encoding="utf-8",
    )
    return page
