"""Where the subject of a photograph is: contrast with the surroundings, edges, centre."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageChops, ImageFilter

GRID = 40


@dataclass(frozen=True, slots=True)
class Focus:
    """The subject's box and centre, in fractions (0 to 1) of the picture."""

    x: float
    y: float
    left: float
    top: float
    right: float
    bottom: float


CENTRE = Focus(0.5, 0.5, 0.2, 0.2, 0.8, 0.8)


def find_focus(photo: Image.Image) -> Focus:
    """Where to keep looking when the photograph is cropped. Never fails; plain
    pictures give the centre."""
    grid = photo.convert("RGB").resize((GRID, GRID), Image.Resampling.BOX)
    surround = grid.filter(ImageFilter.GaussianBlur(GRID / 4))
    mean = grid.resize((1, 1), Image.Resampling.BOX).resize((GRID, GRID))
    local = _strength(ImageChops.difference(grid, surround))
    whole = _strength(ImageChops.difference(grid, mean))
    edges = list(grid.convert("L").filter(ImageFilter.FIND_EDGES).tobytes())
    weights = []
    for cell in range(GRID * GRID):
        x, y = cell % GRID, cell // GRID
        inside = 1 <= x < GRID - 1 and 1 <= y < GRID - 1
        edge = edges[cell] if inside else 0
        off = ((x / (GRID - 1) - 0.5) ** 2 + (y / (GRID - 1) - 0.5) ** 2) / 0.5
        weights.append((local[cell] + 0.5 * whole[cell] + 0.4 * edge) ** 1.5 * (1.05 - off))
    total = sum(weights)
    if total <= 1e-6:
        return CENTRE
    return _box(weights, total)


def _strength(difference: Image.Image) -> list[int]:
    data = difference.tobytes()
    return [data[at] + data[at + 1] + data[at + 2] for at in range(0, len(data), 3)]


def _box(weights: list[float], total: float) -> Focus:
    columns = [sum(weights[x::GRID]) / total for x in range(GRID)]
    rows = [sum(weights[y * GRID : (y + 1) * GRID]) / total for y in range(GRID)]
    left, x, right = (_quantile(columns, share) for share in (0.08, 0.5, 0.92))
    top, y, bottom = (_quantile(rows, share) for share in (0.08, 0.5, 0.92))
    return Focus(x, y, left, top, right, bottom)


def _quantile(shares: list[float], share: float) -> float:
    passed = 0.0
    for position, value in enumerate(shares):
        if passed + value >= share:
            return (position + (share - passed) / max(value, 1e-9)) / len(shares)
        passed += value
    return 1.0
