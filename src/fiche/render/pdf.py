"""The PDF of the very page that `html` made, by WeasyPrint: PDF/A-3a in form, with its files attached.

Same page, same bytes: every date is the fiche's, fonts travel in the page, and nothing is fetched.
WeasyPrint and the libraries below it are loaded here and only when a PDF is asked for.
"""

from __future__ import annotations

import datetime
import logging
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

from fiche.assets import package_data
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.render._structure import mend
from fiche.render.attachment import Attachment
from fiche.render.html import FONTS

_VARIANT = "pdf/a-3a"
# Links to save a file and the raw JSON work on a screen; in the PDF these files are attached.
_SAVE = re.compile(rb'href="data:[^"]*"')
_RAW = re.compile(rb'(<script type="application/json"[^>]*>).*?(</script>)', re.DOTALL)

# A page is printed without its annex unless its root says otherwise.
_SHORT, _WHOLE = b' class="short"', b' class="whole"'


# Of WeasyPrint, which has no types: the module itself, a fetcher, an attachment.
Foreign: TypeAlias = Any


@record(kw_only=False)
class Rendered:
    """The bytes, and every complaint of the renderer: a test asks that there be none."""

    pdf: bytes
    complaints: tuple[str, ...]


def pdf_bytes(
    page: bytes, attachments: Sequence[Attachment], date: str, *, annex: bool = False
) -> bytes:
    """The PDF of a page, its files attached under the fiche's date (`2026-11-29`).

    Raises:
        Refused: F601 Pango is missing.
    """
    return rendered(page, attachments, date, annex=annex).pdf


def rendered(
    page: bytes, attachments: Sequence[Attachment], date: str, *, annex: bool = False
) -> Rendered:
    """The same with the renderer's complaints."""
    weasyprint = _weasyprint()
    fetcher = _fetcher()
    document = weasyprint.HTML(
        string=printable(page, annex=annex), url_fetcher=fetcher, base_url=None
    )
    with _complaints() as complaints:
        pdf = document.write_pdf(
            pdf_variant=_VARIANT,
            attachments=[_attached(weasyprint, a, date, fetcher) for a in attachments],
            finisher=lambda _, made: mend(made, attachments),
            pdf_identifier=True,
        )
    return Rendered(pdf, tuple(complaints))


def printable(page: bytes, *, annex: bool = False) -> str:
    """The page without what paper cannot do, in characters that the fonts have.

    A character that no font of the page has would be drawn by whatever this machine has, or by
    nothing: it is written by its number, as the HTML shows it itself.
    """
    if annex:
        page = page.replace(_SHORT, _WHOLE, 1)
    slim = _RAW.sub(rb"\1\2", _SAVE.sub(b'href="#"', page))
    return _uncovered().sub(lambda found: f"‹U+{ord(found[0]):04X}›", slim.decode("utf-8"))


@cache
def _uncovered() -> re.Pattern[str]:
    characters = sorted({*covered(), ord("\n")})
    return re.compile("[^" + "".join(re.escape(chr(c)) for c in characters) + "]")


@cache
def covered() -> frozenset[int]:
    """The characters that every face of the text font has."""
    from fontTools.ttLib import TTFont

    faces = [file for family, _, file in FONTS if family == "Fiche Sans"]
    maps = [frozenset(TTFont(package_data(f"fonts/{file}")).getBestCmap()) for file in faces]
    return frozenset.intersection(*maps)


def _weasyprint() -> Foreign:
    try:
        import weasyprint
    except OSError as error:
        raise Refused([_no_pango(error)]) from error
    return weasyprint


def _no_pango(error: OSError) -> Diagnostic:
    return Diagnostic(
        code="F601",
        message=f"a PDF needs Pango, which cannot be loaded: {str(error).splitlines()[0]}",
        address=None,
        hint="install it (Debian: libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; "
        "macOS: brew install pango), or leave the PDF out: --formats html,json",
    )


def _fetcher() -> Foreign:
    """Data only: a page that asks for anything else stops the rendering (law 7)."""
    from weasyprint.urls import URLFetcher

    class DataOnly(URLFetcher):  # type: ignore[misc, unused-ignore]
        """Opens what the page itself holds."""

    return DataOnly(allowed_protocols={"data"}, allow_redirects=False, fail_on_errors=True)


def _attached(weasyprint: Foreign, attached: Attachment, date: str, fetcher: Foreign) -> Foreign:
    """By a data URL, which alone keeps the media type that we say."""
    day = datetime.datetime.fromisoformat(f"{date}T00:00:00+00:00")
    content = b64encode(attached.content).decode("ascii")
    return weasyprint.Attachment(
        url=f"data:{attached.media_type};base64,{content}",
        url_fetcher=fetcher,
        name=attached.name,
        description=attached.description,
        created=day,
        modified=day,
        relationship=attached.relationship,
    )


class _Listener(logging.Handler):
    """Keeps what the renderer says."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@contextmanager
def _complaints() -> Iterator[list[str]]:
    listener = _Listener()
    loggers = [logging.getLogger(name) for name in ("weasyprint", "fontTools")]
    for logger in loggers:
        logger.addHandler(listener)
    try:
        yield listener.said
    finally:
        for logger in loggers:
            logger.removeHandler(listener)
