"""What the pictures of a report are painted with: one palette, as attributes that paper obeys.

Each paint bears a class too, by which a screen puts its own colours (`report_pictures.css`). Everything that
is told apart by a colour is told apart by a hatch, a shape or a line as well.
"""

from __future__ import annotations

from fiche.report.letters import LETTERS as LETTERS

INK, QUIET, RULE, PAPER = "#14171a", "#474e57", "#d5dae0", "#ffffff"
FONT = "Fiche Sans, Fiche Sans Further, Helvetica, Arial, sans-serif"

FILLS = {
    "paper": PAPER,
    "band": "#eef1f4",
    "observed": "#1f4e79",
    "computed-0": "#546a80",
    "computed-1": "#8ca0b3",
    "computed-2": "#b4c2cf",
    "declared": "#8a97a5",
    "stated": "#8a97a5",
    "sure": "#c9d1da",
    "free": PAPER,
    "fading": "#8a97a5",
    "reserved": "#e3e8ee",
    "requested": "#6f8295",
    "allocated": "#6f8295",
}
_EDGED = ("sure", "most", "margin", "assumed", "free", "reserved")
# Pattern: side, height, and what is in it; `H` is the hatch's stroke.
_PATTERNS = {
    "assumed": (10, 10, "M-2 12 L12 -2 M-2 2 L2 -2 M8 12 L12 8", 2.5, "#5b4a00"),
    "margin": (6, 30, "M3 0 V30", 1.6, "#4a5058"),
    "most": (8, 8, "M-1 1 L1 -1 M-1 9 L9 -1 M7 9 L9 7", 1, "#66727f"),
    "unknown": (9, 9, "M0 0 L9 9 M9 0 L0 9", 1.3, "#8a1c1c"),
    "range": (8, 8, "M2 3h2 M6 7h2", 2, "#546a80"),
}
HATCHED = tuple(_PATTERNS)

# Line: colour, width, dashes.
STROKES = {
    "axis": ("ink", INK, 1.5, ""),
    "level": ("blue", "#1f4e79", 1.2, ""),
    "own": ("ink", INK, 3.2, ""),
    "rent-0": ("blue", "#1f4e79", 2.4, "9 4"),
    "rent-1": ("brown", "#7a4a00", 1.8, ""),
    "rent-2": ("quiet", QUIET, 2.4, "2 4"),
    "rent-3": ("blue", "#1f4e79", 2.4, "11 3 2 3"),
    "grid": ("rule", RULE, 1, ""),
    "tick": ("ink", INK, 1.5, ""),
    "edge": ("ink", INK, 3, ""),
    "halo": ("paper", PAPER, 5, ""),
    "base": ("ink", INK, 2.4, ""),
    "seam": ("paper", PAPER, 1.5, ""),
    "need": ("ink", INK, 1.5, "5 3"),
    "guide": ("quiet", QUIET, 1.2, "1 4"),
    "leader": ("ink", INK, 1, "3 3"),
    "free": ("ink", INK, 1.2, ""),
    "parting": ("quiet", QUIET, 0.8, "1 3"),
    "onward": ("quiet", QUIET, 2, ""),
}

TONES = {
    "plain": INK,
    "strong": INK,
    "quiet": QUIET,
    "admissible": "#0b5c3b",
    "to_confirm": "#704500",
    "exclude": "#9b1c31",
}


def defs(name: str, kinds: set[str]) -> str:
    """The patterns of one picture; their ids begin with its name, since a page has several."""
    return "".join(_pattern(name, kind) for kind in HATCHED if kind in kinds)


def _pattern(name: str, kind: str) -> str:
    width, height, way, stroke, colour = _PATTERNS[kind]
    return (
        f'<pattern id="{name}-{kind}" width="{width}" height="{height}" patternUnits="userSpaceOnUse">'
        f'<path class="hatch h-{kind}" d="{way}" stroke="{colour}" stroke-width="{stroke}" '
        'fill="none"/></pattern>'
    )


def fill(name: str, kind: str, *, edge: bool = True) -> str:
    """The attributes of a filled shape; what is pale or hatched has an edge."""
    edged = ' stroke="#474e57" stroke-width="1"' if edge and kind in _EDGED else ""
    if kind in _PATTERNS:
        return f'class="f-{kind}" fill="url(#{name}-{kind})"{edged}'
    return f'class="f-{kind}" fill="{FILLS[kind]}"{edged}'


def stroke(kind: str) -> str:
    """The attributes of a line."""
    word, colour, width, dashes = STROKES[kind]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'class="l-{word}" stroke="{colour}" stroke-width="{width}"{dashed} fill="none"'


def tone(kind: str) -> str:
    """The attributes of words."""
    heavy = kind not in ("plain", "quiet")
    return f'class="w-{kind}" fill="{TONES[kind]}"' + (' font-weight="600"' if heavy else "")


def is_heavy(kind: str) -> bool:
    """True for words in heavy letters."""
    return kind not in ("plain", "quiet")
