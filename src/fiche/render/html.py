"""One HTML file that needs nothing else: no request, a strict policy, the raw data inside (E4, E5).

The page is whole with scripts off; its policy (CSP) allows only the styles and scripts whose digests it names.
decision.json stands in it once, as the link that saves it. The PDF is made from these same bytes.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from fiche.assets import package_data, template_text
from fiche.kernel.decision import Decision
from fiche.kernel.lazy import lazy
from fiche.kernel.record import record
from fiche.render import sizer
from fiche.render._bodies import bodies
from fiche.render._classes import shortened
from fiche.render._fitting import fitting, names
from fiche.render._stacked import stacked
from fiche.render.attachment import Attachment
from fiche.render.compiled import bytecode_cache
from fiche.render.crossing import crossing
from fiche.render.drawing import drawing
from fiche.render.inline import bare, inline
from fiche.render.json import decision_bytes
from fiche.render.scripts import PAINTS, rules, scripts, words
from fiche.render.timeline import picture
from fiche.render.visible import visible
from fiche.report import numbers
from fiche.report.parts import Report

FONTS = (
    ("Fiche Sans", 400, "FicheSans-Regular.woff2"),
    ("Fiche Sans", 600, "FicheSans-SemiBold.woff2"),
    ("Fiche Mono", 400, "FicheMono-Regular.woff2"),
)
# The same faces with fewer signs: pages that show no other, as most in English, hold these in their place.
BASIC_FONTS = (
    ("Fiche Sans", 400, "FicheSansBasic-Regular.woff2"),
    ("Fiche Sans", 600, "FicheSansBasic-SemiBold.woff2"),
    FONTS[2],
)
_SIGNS = "\n -~\u00a0\u2009\u200a\u202f£§°±²³µ·×⁰⁹–—‘’“”•…‹›€→−≈≠≤≥●▲✕"
NOT_BASIC = lazy(f"[^{_SIGNS}]")
# With what French, Portuguese and Turkish are spelled with besides: pages in these languages.
SPELLED_FONTS = (
    ("Fiche Sans", 400, "FicheSansSpelled-Regular.woff2"),
    ("Fiche Sans", 600, "FicheSansSpelled-SemiBold.woff2"),
    FONTS[2],
)
NOT_SPELLED = lazy(f"[^{_SIGNS}ÀÁÂÃÆÇÈÉÊËÍÎÏÓÔÕÖÙÚÛÜŒŸĞİŞàáâãæçèéêëíîïóôõöùúûüœÿğışªº«»]")
# The letters of names that no language of the reports has: a page holds these faces only where it shows one.
FURTHER_FONTS = (
    ("Fiche Sans Further", 400, "FicheSansFurther-Regular.woff2"),
    ("Fiche Sans Further", 600, "FicheSansFurther-SemiBold.woff2"),
)
FURTHER = lazy(
    "[\u0100-\u011d\u0120-\u012f\u0132-\u0151\u0154-\u015d\u0162-\u0177\u0179-\u017c\u017f"
    "\u0218-\u021b\u0370-\u045f\u0490\u0491\u1e80-\u1e85\u1ea0-\u1ef9]"
)
# What is no fact is hatched.
_HATCHED = ("assumed", "margin", "range", "unknown")
_SHORT = 12
_NO_SCRIPT = "'none'"
DECISION = "decision.json"


@record(kw_only=False)
class Style:
    """A style sheet as it stands in the page, to the byte: its digest is in the policy.

    Where there are `rules`, `text` keeps the place of those that the page needs.
    """

    media: str
    text: Markup
    rules: Sequence[Any]


def html_bytes(
    report: Report, decision: Decision | None, attachments: Sequence[Attachment]
) -> bytes:
    """The page. `attachments` should hold the report's document; a decision's is written anew without it."""
    if decision is not None and not _digest(report, attachments):
        attachments = (_anew(report, decision),)
    text = _rendered(report, attachments)
    if fonts := _needed(text):
        text = _with_fonts(text, fonts)
    return _filled(text, attachments).encode("utf-8")


def _needed(text: str) -> tuple[tuple[str, int, str], ...]:
    """The faces that a page's letters ask for; empty where the basic ones have them all."""
    body = text.index("<body")
    end = text.index('<script type="application/json" id="words"', body)
    letters = "".join({*text[: text.index("<style")], *text[body:end]})
    if not NOT_BASIC.search(letters):
        return ()
    if FURTHER.search(letters):
        return (*FONTS, *FURTHER_FONTS)
    return FONTS if NOT_SPELLED.search(letters) else SPELLED_FONTS


def _with_fonts(text: str, fonts: Sequence[tuple[str, int, str]]) -> str:
    """A page with other faces in the place of the basic ones, and their digest in its policy."""
    basic, faces = _faces(BASIC_FONTS), _faces(fonts)
    return text.replace(_hashed(basic), _hashed(faces), 1).replace(basic, faces, 1)


def _filled(text: str, attachments: Sequence[Attachment]) -> str:
    """The page with the bytes of the files in their links, which stand in the order of the files."""
    parts: list[str] = []
    for attached in attachments:
        before, _, text = text.partition(_address(attached))
        parts += [before, _address(attached, _base64(attached.content))]
    return "".join([*parts, text])


def _rendered(report: Report, attachments: Sequence[Attachment]) -> str:
    """The page in basic faces, before the files' bytes are in their links."""
    digest = _digest(report, attachments)
    sized = sizer.sizes(report)
    styles, programs = _styles(report, sized=sized), _programs(report, sized=sized)
    page = (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            styles=styles,
            scripts=programs,
            words=words(report),
            theme=dict(report.chrome.page),
            csp=_policy(styles, programs),
            attachments=[_link(report, attached) for attached in attachments],
            digest=report.chrome.digest.format(digest=digest),
            running=digest[:_SHORT],
            hatched=_HATCHED,
        )
    )
    return _fitted(page, styles)


def _fitted(page: str, styles: Sequence[Style]) -> str:
    """The page with what it needs of its style sheets, the faces apart, and their digests in its policy."""
    there = names(page)
    for style in styles:
        if style.rules:
            fit = fitting(style.rules, there)
            page = page.replace(_hashed(style.text), _hashed(fit), 1).replace(style.text, fit, 1)
    return page


def _digest(report: Report, attachments: Sequence[Attachment]) -> str:
    """The digest of the report's document; empty where it is not attached."""
    return next((a.sha256 for a in attachments if a.name == report.chrome.document), "")


def _programs(report: Report, *, sized: bool) -> tuple[Markup, ...]:
    """Scripts look things up in a decision; a page of another document has none."""
    if report.chrome.document != DECISION:
        return ()
    return scripts(*(sizer.SCRIPTS if sized else ()))


def _anew(report: Report, decision: Decision) -> Attachment:
    document = decision_bytes(decision)
    return Attachment(
        name=DECISION,
        media_type="application/json",
        content=document,
        description=report.chrome.decision_role,
        relationship="Alternative",
        sha256=hashlib.sha256(document).hexdigest(),
    )


def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(template_text),
        bytecode_cache=bytecode_cache(),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=0,
    )
    environment.filters.update(shortened=shortened, bare=bare)
    environment.globals.update(
        kind=lambda part: type(part).__name__,
        inline=inline,
        bodies=bodies,
        picture=lambda drawn: shortened(picture(drawn)),
        crossing=lambda drawn: shortened(crossing(drawn)),
        drawing=lambda drawn: shortened(drawing(drawn)),
        island=sizer.island,
    )
    return environment


def _shown(value: object) -> object:
    """Every value that the page prints passes here: what could act on the reader is written out."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _styles(report: Report, *, sized: bool) -> tuple[Style, ...]:
    screen = ("report_screen.css", *([sizer.STYLE] if sized else []))
    return (
        Style("", Markup(_faces(BASIC_FONTS)), ()),
        # Before any other colours; a maker of PDFs passes over what is for screens first (`_paper`).
        _style("screen,print", PAINTS),
        _style("", "report.css", "report_pictures.css"),
        _style("screen", *screen, more=stacked(report)),
        _style("print", "report_print.css"),
        # What only a browser that prints needs; a maker of PDFs that knows `print` alone passes it over.
        _style("print and (width)", "report_browser_print.css"),
    )


def _style(media: str, *names: str, more: str = "") -> Style:
    """Sheets as one, whose place in the page their names keep until what the page needs is known."""
    every = [rule for name in names for rule in rules(name)]
    return Style(media, Markup(f"/*{' '.join(names)}*/"), (*every, more))


def _faces(fonts: Sequence[tuple[str, int, str]]) -> str:
    """The fonts as data: pages look the same, and PDFs have the same bytes, on every machine."""
    return "".join(
        f'@font-face{{font-family:"{family}";font-weight:{weight};font-display:block;'
        f"src:url(data:font/woff2;base64,{_base64(package_data(f'fonts/{file}').read_bytes())})"
        'format("woff2")}\n'
        for family, weight, file in fonts
    )


def _policy(styles: Sequence[Style], programs: Sequence[Markup]) -> Markup:
    """Of fixed words and digests alone."""
    return Markup(
        f"default-src 'none'; style-src {_named(style.text for style in styles)}; "
        f"script-src {_named(programs) or _NO_SCRIPT}; font-src data:; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _named(texts: Iterable[str]) -> str:
    """Texts by the digests by which a browser lets them in."""
    return " ".join(f"'sha256-{_hashed(text)}'" for text in texts)


def _hashed(text: str) -> str:
    return _base64(hashlib.sha256(text.encode()).digest())


def _link(report: Report, attached: Attachment) -> dict[str, str]:
    return {
        "name": attached.name,
        "description": attached.description,
        "length": numbers.exact_bytes(len(attached.content), report.style),
        "sha256": attached.sha256,
        "url": Markup(_address(attached).removesuffix('"')),
        "save": report.chrome.download.format(name=attached.name),
    }


def _address(attached: Attachment, content: str = "") -> str:
    """A link's address and the quote that ends it, which no text holds; first with the digest alone."""
    return f'data:{attached.media_type};base64,{content or attached.sha256}"'


def _base64(content: bytes) -> str:
    return b64encode(content).decode("ascii")
