"""The picture of a memory window as SVG: in a page, and alone as a file.

Told apart without colour: reserved is a heavy line over a pale area, requested (or allocated) a dark area;
their peaks are a triangle and a disc. Bands are parted by dotted lines and named above the levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from fiche.kernel.piece import Reading
from fiche.render import _paint
from fiche.render.drawing import sign, text
from fiche.render.visible import visible
from fiche.report import timeline
from fiche.report.letters import fitted, width
from fiche.report.parts import Band, Curve, Peak, Timeline
from fiche.report.timeline import BOTTOM, HEAD, HEIGHT, LEFT, RIGHT, TOP
from fiche.report.words._language import Language
from fiche.report.words.en import MEMBER as ENGLISH

_LINES = {"reserved": "edge", **dict.fromkeys(("requested", "allocated"), "level")}
# A row of what the numbers of bands stand for.
_KEY_ROW = 20
_ROWS = (48, 68)
_WIDTH = 1000
_MORE = 14


def picture(drawn: Timeline) -> Markup:
    """One picture, to stand in a page, which has its title above it."""
    return Markup("\n".join(_svg([drawn], titled=False)))


def timeline_svg(reading: Reading, language: Language = ENGLISH) -> str:
    """A file of its own: a picture a device that has a trace, one under the other.

    Raises:
        ValueError: the reading is of no snapshot with a trace, so there is nothing to draw.
    """
    drawn = timeline.timelines(reading, "device", language.phrases, language.style)
    if not drawn:
        raise ValueError("no device of this reading has a recorded window")
    return "\n".join(_svg(drawn, titled=True)) + "\n"


def _svg(drawn: Sequence[Timeline], *, titled: bool) -> Iterator[str]:
    heights = [HEIGHT + _KEY_ROW * len(one.keys) for one in drawn]
    height = sum(heights)
    title = text("; ".join(f"{one.title}: {one.said}" for one in drawn))
    yield (
        f'<svg role="img" class="pic wide" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="{_paint.FONT}" '
        f'font-size="{_paint.LETTERS}"><title>{title}</title>'
    )
    yield f'<rect x="0" y="0" width="{_WIDTH}" height="{height}" {_paint.fill("", "paper")}/>'
    for place, one in enumerate(drawn):
        yield f'<g transform="translate(0 {sum(heights[:place])})">'
        yield from _one(one, titled=titled)
        yield "</g>"
    yield "</svg>"


def _one(drawn: Timeline, *, titled: bool) -> Iterator[str]:
    keys, left = _legend(drawn.curves)
    if titled:
        yield _words(10, 22, drawn.title, "start", "strong", room=left - 30)
    yield from keys
    yield from _bands(drawn.bands)
    for curve in drawn.curves:
        yield _area(curve)
    for tick in drawn.ys:
        yield _path(f"M{LEFT} {tick.at} H{RIGHT}", "grid")
        yield _words(LEFT - 8, tick.at + 5, tick.label, "end", "quiet")
    for tick in drawn.xs:
        yield _path(f"M{tick.at} {BOTTOM} v6", "tick")
        yield _words(_inside(tick.at, tick.label), BOTTOM + 24, tick.label, "middle", "quiet")
    for curve in drawn.curves:
        yield _line(curve)
    for band in drawn.bands[1:]:
        yield _path(f"M{band.left} {TOP} V{BOTTOM}", "parting")
    yield _path(f"M{LEFT} {TOP} V{BOTTOM} H{RIGHT}", "axis")
    yield _words(LEFT - 8, TOP - 12, drawn.up, "end", "quiet")
    yield _words((LEFT + RIGHT) // 2, BOTTOM + 48, drawn.across, "middle", "quiet")
    for place, line in enumerate(drawn.keys):
        yield _words(LEFT, HEIGHT + _KEY_ROW * place + 8, line, "start", "quiet", room=RIGHT - LEFT)
    rows = tuple(zip(_in_rows(drawn.peaks), _ROWS, strict=False))
    for peak, row in rows:
        yield _path(f"M{peak.x} {row + 4} V{peak.y}", "leader")
    for band in drawn.bands:
        yield from _label(band)
    for peak, row in rows:
        yield from _peak(peak, row)


def _inside(x: int, label: str) -> int:
    """Where a label is centred so that none of it lies beyond the right edge."""
    return min(x, _WIDTH - width(label, _paint.LETTERS) // 2 - 2)


def _bands(bands: Sequence[Band]) -> Iterator[str]:
    """A strip of names; every other one on a ground of its own."""
    for place, band in enumerate(bands):
        ground = _paint.fill("", "band" if place % 2 else "paper")
        yield (
            f'<rect x="{band.left}" y="{TOP}" width="{max(band.right - band.left, 1)}" height="{HEAD - 4}" '
            f"{ground}><title>{text(band.name)}</title></rect>"
        )


def _label(band: Band) -> Iterator[str]:
    """Over the leaders, which would else strike it through."""
    if band.label:
        middle, wide = (band.left + band.right) // 2, width(visible(band.label), _paint.LETTERS)
        yield _plate(middle - wide // 2 - 1, TOP + 1, wide + 2, HEAD - 6)
        yield _words(middle, TOP + 15, band.label, "middle", "quiet")


def _plate(x: int, y: int, wide: int, high: int) -> str:
    paper = _paint.fill("", "paper")
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" {paper}/>'


def _in_rows(peaks: Sequence[Peak]) -> Sequence[Peak]:
    """From the top: the label in the lower row should not lie across the line of the upper one."""
    if len(peaks) == 2 and _covers(peaks[1], peaks[0].x) and not _covers(peaks[0], peaks[1].x):
        return peaks[::-1]
    return peaks


def _covers(peak: Peak, x: int) -> bool:
    left, right = _extent(peak)
    return left - _MORE <= x <= right + _MORE


def _extent(peak: Peak) -> tuple[int, int]:
    """Where a peak's label begins and ends, moved so that it lies within the picture."""
    wide = width(visible(peak.label), _paint.LETTERS)
    left = peak.x - {"start": 0, "middle": wide // 2, "end": wide}[peak.anchor]
    left = max(min(left, _WIDTH - 4 - wide), 4)
    return left, left + wide


def _legend(curves: Sequence[Curve]) -> tuple[list[str], int]:
    """Keys at the right of the title, the last one first; and where the leftmost begins."""
    x = RIGHT
    told = []
    for curve in reversed(curves):
        told.append(_words(x, 22, curve.label, "end", "quiet"))
        x -= width(curve.label, _paint.LETTERS) + 32
        told.append(
            f'<rect x="{x}" y="10" width="24" height="13" {_paint.fill("", curve.kind)}/>'
            + _path(f"M{x} 10 h24", _LINES[curve.kind])
        )
        x -= 24
    return told, x


def _area(curve: Curve) -> str:
    first, last = curve.points[0][0], curve.points[-1][0]
    way = f"M{first} {BOTTOM} {_through(curve)} L{last} {BOTTOM} Z"
    return f'<path d="{way}" {_paint.fill("", curve.kind, edge=False)}/>'


def _line(curve: Curve) -> str:
    return _path("M" + _through(curve)[1:], _LINES[curve.kind])


def _path(way: str, kind: str) -> str:
    return f'<path d="{way}" {_paint.stroke(kind)}/>'


def _through(curve: Curve) -> str:
    """Points as a path in the fewest letters; what lies on a straight way between two others is left out."""
    kept: list[tuple[int, int]] = []
    for point in curve.points:
        if len(kept) > 1 and _between(kept[-2], kept[-1], point):
            kept[-1] = point
        elif not kept or kept[-1] != point:
            kept.append(point)
    first = f"L{kept[0][0]} {kept[0][1]}" if kept else ""
    return first + "".join(_to(a, b) for a, b in pairwise(kept))


def _between(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    """True on one level, and on one climb or fall; a point from which a line comes back is kept."""
    level = a[1] == b[1] == c[1]
    return level or (a[0] == b[0] == c[0] and (a[1] <= b[1] <= c[1] or a[1] >= b[1] >= c[1]))


def _to(a: tuple[int, int], b: tuple[int, int]) -> str:
    if a[0] == b[0]:
        return f"V{b[1]}"
    return f"H{b[0]}" if a[1] == b[1] else f"L{b[0]} {b[1]}"


def _peak(peak: Peak, row: int) -> Iterator[str]:
    """The sign at the peak, and its words on a plate: not every renderer draws an outline of letters."""
    yield sign("triangle" if peak.kind == "reserved" else "disc", peak.x, peak.y)
    left, right = _extent(peak)
    yield _plate(left - 2, row - 14, right - left + 4, 18)
    yield _words(left, row, peak.label, "start")


def _words(
    x: int, y: int, told: str, anchor: str, tone: str = "plain", *, room: int = _WIDTH
) -> str:
    shown = fitted(visible(told), room, _paint.LETTERS, heavy=_paint.is_heavy(tone))
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" {_paint.tone(tone)}>{text(shown)}</text>'
