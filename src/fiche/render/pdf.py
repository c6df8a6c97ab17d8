"""The PDF of the very page that `html` made, by WeasyPrint: built to PDF/A-3a and PDF/UA-1, its files attached.

Same page, same bytes: every date is the fiche's, fonts travel in the page, and nothing is fetched.
WeasyPrint and the libraries below it are loaded here and only when a PDF is asked for. Only its public
hooks are used: a fetcher that has nothing but data, the metadata's own method, and a finisher.
"""

from __future__ import annotations

import datetime
import logging
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.render._drawn_with import drawn_with
from fiche.render._paper import pared, printable
from fiche.render._rdf import describe, identity_of
from fiche.render._structure import mend
from fiche.render.attachment import Attachment

_VARIANT = "pdf/a-3a"
# Without it on the root, a page is printed as it is, annex and all.
_SHORT = b'class="short'

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
    files = sorted(attachments, key=lambda a: a.name)
    identity = identity_of(files)
    with _complaints() as complaints:
        text = printable(page, annex=annex or _SHORT not in page)
        html = weasyprint.HTML(string=text, url_fetcher=fetcher, base_url=None)
        pared(html.etree_element, annex=annex)
        document = html.render(pdf_variant=_VARIANT)
        describe(document.metadata, {**identity, "drawn_with": drawn_with()} if identity else {})
        pdf = document.write_pdf(
            pdf_variant=_VARIANT,
            attachments=[_attached(weasyprint, a, date, fetcher) for a in files],
            finisher=lambda _, made: mend(made, files),
            pdf_identifier=identity.get("fiche", True),
        )
    return Rendered(pdf, tuple(complaints))


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
    """By a data URL, which keeps our media type and asks this machine for none; the fiche's date, in UTC."""
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
