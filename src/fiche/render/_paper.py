"""The page as paper has it: what only a screen can use is taken away before anything is laid out.

Print style sheets hide these things already; a renderer would read, style and lay them out all the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from xml.etree.ElementTree import Element, SubElement

from fiche.assets import package_data
from fiche.render._classes import repaint
from fiche.render.html import FONTS, FURTHER_FONTS
from fiche.report.letters import fitted

# Links to save a file and scripts work on a screen; in the PDF these files are attached.
_SAVE = re.compile(rb'href="data:[^"]*"')
_SCRIPT = re.compile(rb"<script\b[^>]*>.*?</script>", re.DOTALL)
_SECTION = re.compile(rb"</?section\b[^>]*>")
_ANNEX = re.compile(rb'class=(?:annex\b|"(?:[^"]* )?annex[ "])')
_SCREEN_ONLY = {"screen-only", "skip", "save"}
# Fields are asked of by nobody on paper, and PDF/A has none.
_SCREEN_TAGS = {
    *("nav", "script", "template", "dialog", "form"),
    *("button", "input", "select", "textarea", "output", "datalist"),
}
_RUNNING, _FOOT, _RUNNING_LETTERS = (
    345,
    410,
    7,
)  # points: a line of the head, of the foot, and letters
# Longer than a digest, a path or an address in any sample; a piece is as wide as the narrowest column.
_NO_WORD, _PIECE, _MOST = 200, re.compile(r"\S{12}"), 600
# Letters that the narrowest column holds.
_ONE_WORD = 11
_RUN = re.compile(rf"\S{{{_NO_WORD},}}")
_PIECES = "#piece-"
_SVG_SPACE = "{http://www.w3.org/2000/svg}"
_SVG = f"{_SVG_SPACE}svg"
_FILLED = re.compile(r"url\(#(.+)\)")
FAMILIES = ("Fiche Sans", "Fiche Sans Further")


def printable(page: bytes, *, annex: bool = True) -> str:
    """The page without raw files and scripts, or an annex not wanted, in characters that the fonts have.

    A long annex would take longer to parse than the pages that are wanted take to lay out.

    A character that no font of the page has would be drawn by whatever this machine has, or by
    nothing: it is written by its number, as the HTML shows it itself.
    """
    slim = _SCRIPT.sub(b"", _SAVE.sub(b'href="#"', page))
    slim = slim if annex else _without_annex(slim)
    return _uncovered().sub(lambda found: f"‹U+{ord(found[0]):04X}›", slim.decode("utf-8"))


def _without_annex(page: bytes) -> bytes:
    """The page without the sections of its annex; a text cannot hold a tag, for it is escaped."""
    kept, depth, start = [], 0, 0
    for tag in _SECTION.finditer(page):
        if not depth and not _ANNEX.search(tag[0]):
            continue
        if not depth:
            kept.append(page[start : tag.start()])
        depth += -1 if tag[0].startswith(b"</") else 1
        start = tag.end()
    return b"".join([*kept, page[start:]]) if not depth else page


def pared(root: Element, *, annex: bool) -> None:
    """Change a parsed page in place: no screen, no annex unless it is wanted, links that lead somewhere."""
    _unroll(root, annex)
    short = "short" in _classes(root)
    _take_out(root, lambda e: _off_paper(e, short))
    _mend_links(root)
    _shorten_heads(root)
    _loosen(root)
    _mark_names(root)
    for sheet in root.iter("style"):
        sheet.text = _on_paper(sheet.text or "")
    _complete_bars(root)
    for picture in root.iter(_SVG):  # no style sheet reaches a picture on paper
        picture.attrib.setdefault("font-family", ", ".join(FAMILIES))
        repaint(picture)


def _on_paper(sheet: str) -> str:
    """A style sheet without its `@media screen` blocks, whose conditions a paper renderer warns of."""
    kept, at = [], 0
    while (start := sheet.find("@media screen", at)) >= 0:
        kept.append(sheet[at:start])
        at, depth = sheet.index("{", start) + 1, 1
        while depth and at < len(sheet):
            depth += {"{": 1, "}": -1}.get(sheet[at], 0)
            at += 1
    return "".join([*kept, sheet[at:]])


def _unroll(root: Element, annex: bool) -> None:
    """A page is printed without its annex unless its root says `whole`."""
    if annex:
        words = ["whole" if word == "short" else word for word in _classes(root)]
        root.set("class", " ".join(words))


def _off_paper(element: Element, short: bool) -> bool:
    classes = set(_classes(element))
    if element.tag in _SCREEN_TAGS or classes & _SCREEN_ONLY:
        return True
    if element.tag == "style":
        return element.get("media", "").startswith("screen")
    return short and "annex" in classes


def _classes(element: Element) -> list[str]:
    return element.get("class", "").split()


def _take_out(parent: Element, unwanted: Callable[[Element], bool]) -> None:
    """Remove elements; what is written after one stays, with what comes before it."""
    before: Element | None = None
    for child in list(parent):
        if unwanted(child):
            if before is None:
                parent.text = (parent.text or "") + (child.tail or "")
            else:
                before.tail = (before.tail or "") + (child.tail or "")
            parent.remove(child)
            continue
        before = child
        _take_out(child, unwanted)


def _mend_links(root: Element) -> None:
    """A link to what is not on this paper, or to a file, is plain text there."""
    targets = {f"#{name}" for name in _ids(root)}
    for link in root.iter("a"):
        if link.get("href", "").startswith(_PIECES):
            link.set("class", "piece")
        if link.get("href") not in targets:
            link.attrib.pop("href", None)
            link.tag = "span"


def _loosen(root: Element) -> None:
    """Blanks in what is too long to be a word: line breaks among its letters would be sought for minutes."""
    body, cut = root.find("body"), root.get("data-cut", "…")
    for element in body.iter() if body is not None else ():
        element.text = _loose(element.text, cut)
        element.tail = _loose(element.tail, cut)


def _loose(text: str | None, cut: str) -> str | None:
    if not text or len(text) < _NO_WORD:
        return text
    return _RUN.sub(lambda found: _pieces(found[0], cut), text)


def _pieces(run: str, cut: str) -> str:
    """No word of any language has that many letters: what is left out is counted, and decision.json has it."""
    told = _PIECE.sub(r"\g<0> ", run[:_MOST]).rstrip()
    return told + cut.replace("{count}", str(len(run) - _MOST)) if len(run) > _MOST else told


def _mark_names(root: Element) -> None:
    """A short name is one word on paper; only what could be wider than a column may break anywhere."""
    for name in root.iter("code"):
        if "class" not in name.attrib and len("".join(name.itertext())) > _ONE_WORD:
            name.set("class", "long")


def _complete_bars(root: Element) -> None:
    """Each bar with the hatches that it shares with others on a screen, entitled with what its caption says."""
    hatches = {each.get("id", ""): each for each in root.iter(f"{_SVG_SPACE}pattern")}
    for figure in root.iter("figure"):
        if "bar" not in _classes(figure):
            continue
        caption = " ".join(
            "".join(t for e in figure.iter("figcaption") for t in e.itertext()).split()
        )
        for picture in figure.iter(_SVG):
            picture.attrib.pop("aria-labelledby", None)
            _hatch(picture, hatches, figure.get("id", ""))
            title = SubElement(picture, f"{_SVG_SPACE}title")
            title.text = caption


def _hatch(picture: Element, hatches: dict[str, Element], owner: str) -> None:
    """A copy of each hatch under a name of its own: the renderer takes patterns apart, and ids are unique."""
    own = {each.get("id", "") for each in picture.iter(f"{_SVG_SPACE}pattern")}
    lent = Element(f"{_SVG_SPACE}defs")
    copies = dict[str, Element]()
    for shape in picture:
        found = _FILLED.fullmatch(shape.get("fill", ""))
        if found is None or found[1] in own or found[1] not in hatches:
            continue
        copies.setdefault(found[1], deepcopy(hatches[found[1]]))
        shape.set("fill", f"url(#{found[1]}-{owner})")
    for name in sorted(copies):
        copies[name].set("id", f"{name}-{owner}")
        lent.append(copies[name])
    picture.insert(0, lent)


def _shorten_heads(root: Element) -> None:
    """What runs in the margins has two lines there, whatever a fiche is called."""
    for title in root.iter("h1"):
        title.set("data-running", _short("".join(title.itertext()), _RUNNING))
        title.set("data-foot", _short(title.get("data-foot", ""), _FOOT))


def _short(text: str, room: int) -> str:
    words = " ".join(text.split())
    return fitted(words, room, _RUNNING_LETTERS, heavy=True)


def _ids(root: Element) -> Iterator[str]:
    for element in root.iter():
        if name := element.get("id"):
            yield name


@cache
def _uncovered() -> re.Pattern[str]:
    characters = sorted({*covered(), ord("\n")})
    return re.compile("[^" + "".join(re.escape(chr(c)) for c in characters) + "]")


@cache
def covered() -> frozenset[int]:
    """The characters that every face of a text font has."""
    from fontTools.ttLib import TTFont

    faces = [
        [f for name, _, f in (*FONTS, *FURTHER_FONTS) if name == family] for family in FAMILIES
    ]
    maps = [
        [frozenset(TTFont(package_data(f"fonts/{file}")).getBestCmap()) for file in files]
        for files in faces
    ]
    return frozenset.union(*(frozenset.intersection(*each) for each in maps))
