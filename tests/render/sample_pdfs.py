"""The PDFs of the samples, each made once a session, as `fiche report` makes them."""

from functools import cache
from pathlib import Path

import pytest

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked, files
from fiche.languages import tags
from fiche.render import pdf

SAMPLES = Path(__file__).parents[2] / "samples"
# `mistakes` is there to be refused.
NAMES = sorted(p.parent.name for p in SAMPLES.glob("*/fiche.yaml") if p.parent.name != "mistakes")
LANGUAGES = tuple(tags())


class Made:
    """A PDF with what it was made of, and what the renderer complained of."""

    def __init__(self, page, attachments, rendered):
        self.page = page
        self.attachments = attachments
        self.pdf = rendered.pdf
        self.complaints = rendered.complaints

    @property
    def bytes_of_report(self):
        """Its length without the files inside, as they lie in it."""
        import pikepdf
        from render.pdf_gate import opened

        with opened(self.pdf) as found:
            streams = [o for o in found.objects if isinstance(o, pikepdf.Stream)]
            inside = [s for s in streams if str(s.get("/Type", "")) == "/EmbeddedFile"]
            return len(self.pdf) - sum(len(s.read_raw_bytes()) for s in inside)


@cache
def compiled(name):
    return compile_fiche(SAMPLES / name / "fiche.yaml")


@cache
def made(name, tag="en", annex=False):
    kept = []
    real = pdf.rendered

    def spy(page, attachments, date, **options):
        kept.append(Made(page, attachments, real(page, attachments, date, **options)))
        return pdf.Rendered(kept[0].pdf, kept[0].complaints)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "rendered", spy)
        files(compiled(name), Asked(formats=("pdf",), language=tag, annex=annex))
    return kept[0]
