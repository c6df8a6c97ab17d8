"""The picture of a memory window as SVG: in a page, and alone as a file.

Told apart without colour: reserved is a heavy line over a pale area, requested (or allocated) a dark area;
their peaks are a triangle and a disc. Bands are parted by dotted lines and named above the levels. The plate
is white, on screens in dark colours as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

from fiche.kernel.piece import Reading
from fiche.render.visible import visible
from fiche.report import timeline
from fiche.report.parts import Band, Curve, Peak, Timeline
from fiche.report.timeline import BOTTOM, HEAD, HEIGHT, LEFT, RIGHT, TOP
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

_INK, _QUIET, _RULE = "#14171a", "#474e57", "#d5dae0"
_AREAS = {"reserved": "#e3e8ee", **dict.fromkeys(("requested", "allocated"), "#6f8295")}
_LINES = {"reserved": (_INK, 3), **dict.fromkeys(("requested", "allocated"), ("#1f4e79", 1))}
# A row of what the numbers of bands stand for.
_KEY_ROW = 20
_ROWS = (48, 68)
# The width of a letter, near enough to tell whether a label covers a line.
_LETTER = 8
_WIDTH = 1000
_FONT = "Fiche Sans, Helvetica, Arial, sans-serif"


def picture(drawn: Timeline) -> Markup:
    """One picture, to stand in a page: it scales with the page's width."""
    return Markup("\n".join(_svg([drawn])))


def timeline_svg(reading: Reading, language: Language = ENGLISH) -> str:
    """A file of its own: a picture a device that has a trace, one under the other.

    Raises:
        ValueError: the reading is of no snapshot with a trace, so there is nothing to draw.
    """
    drawn = timeline.timelines(reading, "device", language.phrases, language.style)
    if not drawn:
        raise ValueError("no device of this reading has a recorded window")
    return "\n".join(_svg(drawn)) + "\n"


def _svg(drawn: Sequence[Timeline]) -> Iterator[str]:
    heights = [HEIGHT + _KEY_ROW * len(one.keys) for one in drawn]
    height = sum(heights)
    title = _text("; ".join(f"{one.title}: {one.said}" for one in drawn))
    yield (
        f'<svg role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'font-family="{_FONT}" font-size="15"><title>{title}</title>'
    )
    yield f'<rect x="0" y="0" width="{_WIDTH}" height="{height}" fill="#ffffff"/>'
    for place, one in enumerate(drawn):
        yield f'<g transform="translate(0 {sum(heights[:place])})">'
        yield from _one(one)
        yield "</g>"
    yield "</svg>"


def _one(drawn: Timeline) -> Iterator[str]:
    yield _words(10, 22, drawn.title, "start", weight=600)
    yield from _legend(drawn.curves)
    yield from _bands(drawn.bands)
    for curve in drawn.curves:
        yield _area(curve)
    for tick in drawn.ys:
        yield f'<path d="M{LEFT} {tick.at} H{RIGHT}" stroke="{_RULE}" stroke-width="1" fill="none"/>'
        yield _words(LEFT - 8, tick.at + 5, tick.label, "end", fill=_QUIET)
    for tick in drawn.xs:
        yield f'<path d="M{tick.at} {BOTTOM} v6" stroke="{_INK}" stroke-width="1.5" fill="none"/>'
        yield _words(_inside(tick.at, tick.label), BOTTOM + 24, tick.label, "middle", fill=_QUIET)
    for curve in drawn.curves:
        yield _line(curve)
    for band in drawn.bands[1:]:
        yield _parting(band)
    yield f'<path d="M{LEFT} {TOP} V{BOTTOM} H{RIGHT}" stroke="{_INK}" stroke-width="1.5" fill="none"/>'
    yield _words(LEFT - 8, TOP - 12, drawn.up, "end", fill=_QUIET)
    yield _words((LEFT + RIGHT) // 2, BOTTOM + 48, drawn.across, "middle", fill=_QUIET)
    for place, line in enumerate(drawn.keys):
        yield _words(LEFT, HEIGHT + _KEY_ROW * place + 8, line, "start", fill=_QUIET)
    rows = tuple(zip(_in_rows(drawn.peaks), _ROWS, strict=False))
    for peak, row in rows:
        yield _leader(peak, row)
    for peak, row in rows:
        yield from _peak(peak, row)


def _inside(x: int, label: str) -> int:
    """Where a label is centred so that none of it lies beyond the right edge."""
    return min(x, _WIDTH - _LETTER * (len(label) + 1) // 2)


def _bands(bands: Sequence[Band]) -> Iterator[str]:
    """A strip of names; every other one on a ground of its own."""
    for place, band in enumerate(bands):
        ground = "#eef1f4" if place % 2 else "#ffffff"
        yield (
            f'<rect x="{band.left}" y="{TOP}" width="{max(band.right - band.left, 1)}" height="{HEAD - 4}" '
            f'fill="{ground}"><title>{_text(band.name)}</title></rect>'
        )
        if band.label:
            yield _words((band.left + band.right) // 2, TOP + 15, band.label, "middle", fill=_QUIET)


def _parting(band: Band) -> str:
    return (
        f'<path d="M{band.left} {TOP} V{BOTTOM}" stroke="{_QUIET}" stroke-width="0.8" '
        'stroke-dasharray="1 3" fill="none"/>'
    )


def _in_rows(peaks: Sequence[Peak]) -> Sequence[Peak]:
    """From the top: the label in the lower row should not lie across the line of the upper one."""
    if len(peaks) == 2 and _covers(peaks[1], peaks[0].x) and not _covers(peaks[0], peaks[1].x):
        return peaks[::-1]
    return peaks


def _covers(peak: Peak, x: int) -> bool:
    left = _left(peak)
    return left - _LETTER <= x <= left + _LETTER * (len(peak.label) + 1)


def _left(peak: Peak) -> int:
    width = _LETTER * len(peak.label)
    return peak.x - {"start": 0, "middle": width // 2, "end": width}[peak.anchor]


def _leader(peak: Peak, row: int) -> str:
    return (
        f'<path d="M{peak.x} {row + 4} V{peak.y}" stroke="{_INK}" stroke-width="1" '
        'stroke-dasharray="3 3" fill="none"/>'
    )


def _legend(curves: Sequence[Curve]) -> Iterator[str]:
    """Keys at the right of the title, the last one first."""
    x = RIGHT
    for curve in reversed(curves):
        yield _words(x, 22, curve.label, "end", fill=_QUIET)
        x -= 8 * len(curve.label) + 32
        colour, width = _LINES[curve.kind]
        yield (
            f'<rect x="{x}" y="10" width="24" height="13" fill="{_AREAS[curve.kind]}"/>'
            f'<path d="M{x} 10 h24" stroke="{colour}" stroke-width="{width}" fill="none"/>'
        )
        x -= 24


def _area(curve: Curve) -> str:
    first, last = curve.points[0][0], curve.points[-1][0]
    return f'<path d="M{first} {BOTTOM} {_through(curve)} L{last} {BOTTOM} Z" fill="{_AREAS[curve.kind]}"/>'


def _line(curve: Curve) -> str:
    colour, width = _LINES[curve.kind]
    start = "M" + _through(curve)[1:]
    return f'<path d="{start}" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round" fill="none"/>'


def _through(curve: Curve) -> str:
    """Points as a path; what lies on the way between two equal ones is left out."""
    kept: list[tuple[int, int]] = []
    for point in curve.points:
        if len(kept) > 1 and kept[-2][1] == kept[-1][1] == point[1]:
            kept[-1] = point
        elif not kept or kept[-1] != point:
            kept.append(point)
    return " ".join(f"L{x} {y}" for x, y in kept)


def _peak(peak: Peak, row: int) -> Iterator[str]:
    shape = (
        f'<path d="M{peak.x} {peak.y} l-7 -12 h14 z"'
        if peak.kind == "reserved"
        else f'<circle cx="{peak.x}" cy="{peak.y}" r="6"'
    )
    yield f'{shape} fill="{_INK}" stroke="#ffffff" stroke-width="1.5"/>'
    # A plate, and not an outline of the letters: not every renderer draws an outline behind them.
    width = _LETTER * len(peak.label)
    yield (f'<rect x="{_left(peak)}" y="{row - 14}" width="{width}" height="18" fill="#ffffff"/>')
    yield _words(peak.x, row, peak.label, peak.anchor)


def _words(x: int, y: int, text: str, anchor: str, *, weight: int = 400, fill: str = _INK) -> str:
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{fill}"{bold}>{_text(text)}</text>'


def _text(text: str) -> str:
    return str(escape(visible(text)))
