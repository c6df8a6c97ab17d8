"""The scripts of a page: whole in it, named by digest in its policy, and told only words and signs.

The page is read and saved without them. They take the decision from its own link, so that it stands in the page
once. What sizes a load joins where the report has one to size (`render/sizer.py`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from markupsafe import Markup

from fiche.assets import template_text
from fiche.render.visible import ACTIVE_RANGES
from fiche.report.parts import Report

if TYPE_CHECKING:
    from fiche.render._rules import Rules

# The classes of `render/_classes.py`, kept beside the style sheets.
PAINTS = "paints.css"
SCRIPTS = ("page.js", "page_lines.js", "page_figures.js", "page_candidates.js")
# What `tools/scripts.py` makes of each script, for the sake of those who mail a page.
_BRIEF = "brief/"


def scripts(*more: str) -> tuple[Markup, ...]:
    """The text of each script as a page holds it; `more` are those of one part of a report."""
    return tuple(Markup(template_text(_BRIEF + name).rstrip()) for name in (*SCRIPTS, *more))


def rules(name: str) -> Rules:
    """The rules of a style sheet, taken apart."""
    found: Rules = json.loads(template_text(f"{_BRIEF}{name}.json"))
    return found


def words(report: Report) -> Markup:
    """What the scripts say, in the language of the report, as JSON that is inert in a page."""
    chrome, style = report.chrome, report.style
    texts = {keyed(text): said for text, said in chrome.texts}
    return inert(
        {
            **({"texts": texts} if texts else {}),
            "page": dict(chrome.page),
            "codes": dict(chrome.codes),
            "signs": {"group": style.group, "decimal": style.decimal},
            "active": f"[{''.join(_escaped(low, high) for low, high in ACTIVE_RANGES)}]",
        }
    )


def keyed(text: str) -> str:
    """A short key of a long text, as `page.js` makes it: FNV-1a over UTF-16, in 32 bits."""
    key = 0x811C9DC5
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        key = (key ^ (high << 8 | low)) * 0x01000193 & 0xFFFFFFFF
    return f"{key:x}"


def inert(document: object) -> Markup:
    """JSON that cannot end its element or open another: the escapes are JSON's own."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for sign, escape in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e")):
        text = text.replace(sign, escape)
    return Markup(text)


def _escaped(low: int, high: int) -> str:
    return f"\\u{{{low:x}}}-\\u{{{high:x}}}"
