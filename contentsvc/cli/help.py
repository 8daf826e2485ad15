"""Help texts that teach: wrapped paragraphs, and examples left as they are written."""

from __future__ import annotations

import argparse


class Explained(argparse.HelpFormatter):
    """Wraps the paragraphs of a description or epilog; those that are indented keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(
            paragraph
            if paragraph.startswith("  ")
            else super(Explained, self)._fill_text(paragraph, width, indent)
            for paragraph in text.split("\n\n")
        )
