"""The PDF of the same page: same bytes anywhere, files attached, nothing fetched (E4, E5, law 5, law 7)."""

import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from render.pages import NAMES, attachments, decision, page, sha256
from render.pdf_gate import elements, opened, passes

from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import replace
from fiche.render._paper import covered, printable
from fiche.render.attachment import Attachment
from fiche.render.html import html_bytes
from fiche.render.pdf import pdf_bytes, rendered
from fiche.report.view import view

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def made():
    return {
        n: rendered(page(n), attachments(n), decision(n).fiche.date) for n in ("rich", "hostile")
    }


def test_the_renderer_has_nothing_to_complain_of(made):
    """No rule ignored, no glyph missing, nothing fetched: also where every text is an attack."""
    assert made["rich"].complaints == ()
    assert made["hostile"].complaints == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bare", "nothing_known", "crowded"])
def test_nor_about_other_decisions(name):
    assert rendered(page(name), attachments(name), "2026-11-29").complaints == ()


WORLDS = {
    "no fonts, Tokyo": ("", {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7", "LC_ALL": "C"}),
    "DejaVu alone, Turkish": (
        "<dir>/usr/share/fonts/truetype/dejavu</dir>",
        {
            "TZ": "America/St_Johns",
            "PYTHONHASHSEED": "0",
            "LC_ALL": "tr_TR.UTF-8",
            "LANG": "tr_TR.UTF-8",
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_other_fonts_zones_folders_and_locales_give_the_same_bytes(world, made, tmp_path):
    """Law 5: another process on another machine, as far as one machine can be another."""
    folders, variables = WORLDS[world]
    config = tmp_path / "fonts.conf"
    cache = f"<cachedir>{tmp_path / 'cache'}</cachedir>"
    config.write_text(f"<?xml version='1.0'?><fontconfig>{folders}{cache}</fontconfig>")
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from fiche.render.pdf import rendered\n"
        "from render.pages import attachments\n"
        "told = rendered(sys.stdin.buffer.read(), attachments('rich'), '2026-11-29')\n"
        "assert told.complaints == (), told.complaints\n"
        "sys.stdout.buffer.write(told.pdf)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(TESTS)],
        input=page("rich"),
        env={**os.environ, **variables, "FONTCONFIG_FILE": str(config)},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        check=True,
    )
    assert sha256(ended.stdout) == sha256(made["rich"].pdf)


def test_every_file_is_attached_once_and_unchanged(made):
    """E4: names sorted, the relationship and media type that we say, the fiche's date."""
    with opened(made["rich"].pdf) as pdf:
        found = {name: spec.get_file() for name, spec in pdf.attachments.items()}
        assert {n: f.read_bytes() for n, f in found.items()} == {
            a.name: a.content for a in attachments("rich")
        }
        names = [str(n) for n in pdf.Root.Names.EmbeddedFiles.Names][::2]
        assert names == sorted(names)
        specs = list(pdf.Root.AF)
        assert len(specs) == len({s.objgen for s in specs}) == len(attachments("rich"))
        told = {str(s.UF): s for s in specs}
        for attached in attachments("rich"):
            spec = told[attached.name]
            assert str(spec.AFRelationship) == f"/{attached.relationship}"
            assert str(spec.Desc) == attached.description
            assert str(spec.EF.F.Subtype) == f"/{attached.media_type}"
            assert str(spec.EF.F.Params.CreationDate) == "D:20261129000000Z"
        assert found["chat.yaml"].mime_type == "application/yaml"


def test_two_equal_files_keep_their_own_relationship():
    twins = tuple(
        Attachment(
            name=name,
            media_type="text/plain",
            content=b"same",
            description=name,
            relationship=relationship,
            sha256=sha256(b"same"),
        )
        for name, relationship in (("a.txt", "Data"), ("b.txt", "Source"))
    )
    simple = b'<html lang="en"><title>t</title><h1>t</h1></html>'
    with opened(pdf_bytes(simple, twins, "2026-11-29")) as pdf:
        told = {str(s.UF): str(s.AFRelationship) for s in pdf.Root.AF}
    assert told == {"a.txt": "/Data", "b.txt": "/Source"}


@pytest.mark.parametrize("name", ["rich", "hostile"])
def test_it_is_built_to_both_standards(name, made):
    """Where every text is an attack, too; the samples are held to the same in `test_pdf_samples`."""
    passes(made[name].pdf, language="en", attachments=attachments(name))


def test_a_picture_says_its_numbers_to_those_who_do_not_see_it(made):
    with opened(made["rich"].pdf) as pdf:
        figures = [e for e, _ in elements(pdf) if str(e.S) == "/Figure"]
        assert figures
        assert all(re.search(r"\d", str(f.Alt)) for f in figures)


def test_headings_of_a_table_say_what_they_head(made):
    with opened(made["rich"].pdf) as pdf:
        rows = [(str(e.A.Scope), p) for e, p in elements(pdf) if str(e.S) == "/TH"]
        assert len(rows) > 40
        for scope, row in rows:
            assert scope == ("/Column" if str(row.P.S) == "/THead" else "/Row")


def test_its_dates_are_the_fiches(made):
    with opened(made["rich"].pdf) as pdf:
        assert str(pdf.docinfo.CreationDate).startswith("D:20261129")
        assert str(pdf.docinfo.ModDate).startswith("D:20261129")


@pytest.mark.slow
def test_a_printed_annex_says_the_ids_of_numbers_and_the_signed_pages_do_not(made):
    """A reader of paper finds each number of a criterion in decision.json, and signs no more than before."""
    from pypdf import PdfReader

    def words(content):
        return "".join(part.extract_text() for part in PdfReader(BytesIO(content)).pages)

    def bare(text):
        return re.sub(r"\s+", "", text)

    rows = re.search(r"<table id=table-criteria>.*?</table>", page("rich").decode(), re.DOTALL)
    ids = set(re.findall(r"<data value=([^\s>]+)>", rows[0]))
    whole = pdf_bytes(page("rich"), attachments("rich"), "2026-11-29", annex=True)
    printed, signed = bare(words(whole)), bare(words(made["rich"].pdf))
    assert len(ids) > 10
    assert {one for one in ids if bare(one.strip('"')) not in printed} == set()
    assert {one for one in ids if "/" in one and one in signed} == set()


def test_it_fits_a_few_pages(made):
    """Four candidates, five pieces, a failure and a conditional choice: six pages; two offers: three."""
    with opened(made["rich"].pdf) as pdf:
        assert len(pdf.pages) <= 6
    with opened(pdf_bytes(page("bare"), attachments("bare"), "2026-11-29")) as pdf:
        assert len(pdf.pages) <= 3
    attached = sum(len(a.content) for a in attachments("rich"))
    assert len(made["rich"].pdf) < 250_000 + attached


def test_nothing_is_fetched():
    """A page that asks for a file or a host stops the rendering; it never reads it."""
    for address in ("file:///etc/hostname", "http://example.org/a.png"):
        hostile = f'<html lang="en"><title>t</title><img alt="x" src="{address}"></html>'.encode()
        with pytest.raises(BaseException, match="Error fetching") as stopped:
            pdf_bytes(hostile, (), "2026-11-29")
        assert "disallowed protocol" in str(stopped.value.__cause__)


def test_a_character_without_a_glyph_is_written_by_its_number():
    """What no font of the page has would be drawn by whatever this machine has: never."""
    assert printable("<p>\u4e2d é ● ▲ ✕ − × → ≥ ≤\u202f8</p>".encode()) == (
        "<p>‹U+4E2D› é ● ▲ ✕ − × → ≥ ≤\u202f8</p>"
    )
    foreign = '<html lang="en"><title>t</title><h1>\u4e2d\u6587</h1></html>'.encode()
    assert rendered(foreign, (), "2026-11-29").complaints == ()


@pytest.mark.slow
def test_a_draft_is_marked_behind_the_words_of_every_page():
    """`<html class="short draft" data-draft="…">`; the word is nobody's content."""
    report = replace(view(decision("bare")), draft="DRAFT")
    draft = html_bytes(report, decision("bare"), attachments("bare"))
    found = rendered(draft, attachments("bare"), "2026-11-29")
    assert found.complaints == ()
    passes(found.pdf, language="en", attachments=attachments("bare"))
    from pypdf import PdfReader

    plain = rendered(page("bare"), attachments("bare"), "2026-11-29").pdf
    for before, after in zip(
        PdfReader(BytesIO(plain)).pages, PdfReader(BytesIO(found.pdf)).pages, strict=True
    ):
        assert "DRAFT" not in before.extract_text()
        assert after.extract_text().count("DRAFT") == 1


@pytest.mark.parametrize("name", [name for name in NAMES if name != "hostile"])
def test_the_fonts_have_every_character_of_a_report(name):
    raw = page(name).decode("utf-8")
    assert {c for c in raw if ord(c) not in covered() and c != "\n"} == set()


def test_without_pango_it_says_what_to_install(monkeypatch):
    """F601 names the packages and the way without a PDF (law 9)."""

    class Absent:
        def find_spec(self, name, *_):
            if name == "weasyprint":
                raise OSError("cannot load library 'libpango-1.0-0'")

    for name in [n for n in sys.modules if n == "weasyprint"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(Refused) as refused:
        pdf_bytes(b"", (), "2026-11-29")
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "F601"
    assert "libpangoft2-1.0-0" in diagnostic.hint
    assert "--formats html,json" in diagnostic.hint


@pytest.mark.browser
def test_every_number_of_the_paper_is_in_the_page(tmp_path):
    """Every number with a unit that poppler reads is one that the page marks, or the decision quotes."""
    from render.pages import shown

    path = tmp_path / "report.pdf"
    whole = rendered(page("rich"), attachments("rich"), "2026-11-29", annex=True)
    path.write_bytes(whole.pdf)
    text = subprocess.run(
        ["pdftotext", "-layout", str(path), "-"], capture_output=True, check=True
    ).stdout.decode()
    numbers = re.findall(
        r"−?\d[\d \u00a0]*(?:\.\d+)?[ \u00a0](?:GiB|MiB|GB|USD|W|B|tokens|requests)", text
    )
    assert len(numbers) > 80
    flat = re.sub(r"\s+", " ", shown("rich")).replace("\u00a0", " ")
    for number in numbers:
        assert re.sub(r"\s+", " ", number).replace("\u00a0", " ").split(" ", 0)[
            0
        ].strip() in flat or (re.sub(r"\s+", " ", number).split(" ")[-2] in flat)
