"""Records and decisions that show themselves: escaped, with units, each number's origin in words (law 1, 7)."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from importers.ranks import put_together, rank
from importers.records import FAILED, RECORD, document_bytes, journal_bytes, record

import fiche
from fiche.kernel.diagnostic import Refused

SAMPLES = Path(__file__).parents[2] / "samples"
VOID = {"br"}


class Page(HTMLParser):
    """Cells of all tables, all words, and whether every element was closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.words, self.tags, self.styles = [], [], [], set(), []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        named = dict(attributes)
        assert set(named) <= {"style", "scope"}
        self.styles.append(named.get("style", ""))
        if tag == "td":
            self.cells.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if "td" in self.open:
            self.cells[-1] += data + " "


@pytest.fixture
def written(tmp_path):
    def one(document, name="m.json"):
        path = tmp_path / name
        path.write_bytes(document if isinstance(document, bytes) else document_bytes(document))
        return path

    return one


# --- Records --------------------------------------------------------------------------------------


def test_a_record_shows_its_phases_with_units_and_says_that_they_are_observed(written):
    page = Page(fiche.read_record(written(RECORD))._repr_html_())
    assert page.tags <= {
        *(
            "div",
            "p",
            "strong",
            "span",
            "br",
            "table",
            "caption",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
        ),
        *("ul", "li"),
    }
    assert "10.00 GiB observed 10 737 418 240 B " in page.cells
    assert any("prompt_tokens 7912" in cell for cell in page.cells)
    assert not any("tokens tokens" in cell or "7912 tokens" in cell for cell in page.cells)
    assert "40.0 s " in page.cells
    numbers = [cell for cell in page.cells if cell[:1].isdigit()]
    assert numbers
    assert all(any(unit in cell for unit in (" GiB", " MiB", " s ")) for cell in numbers)


def test_the_head_of_a_column_of_numbers_stands_over_them(written):
    html = fiche.read_record(written(RECORD))._repr_html_()
    found = re.findall(r'<th scope="col" style="([^"]*)">([^<]*)</th>', html)
    told = {name: style for style, name in found}
    assert {n for n, style in told.items() if "text-align:right" in style} == {
        *("allocated, peak", "reserved, peak", "process, peak", "duration"),
    }


def test_what_was_not_read_is_said_and_no_zero(written):
    """C2."""
    document = record(lambda d: d["phases"][0]["devices"][0].pop("peak"))
    page = Page(fiche.read_record(written(document))._repr_html_())
    assert page.cells.count("not read ") == 3
    assert "0 B" not in page.cells


def test_the_peak_of_a_failed_phase_is_called_no_need(written):
    """C11."""
    document = record(lambda d: d["phases"].append(FAILED))
    page = Page(fiche.read_record(written(document))._repr_html_())
    assert "21.00 GiB observed before it failed: no need " in page.cells
    assert any("Tried to allocate 2.00 GiB" in word for word in page.words)


def test_phases_facts_and_warnings_are_at_hand(written):
    found = fiche.read_record(written(journal_bytes(RECORD), "m.json.journal"))
    assert [run.phases for run in found.phases] == [("model_load",), ("prefill", "decode")]
    assert found.facts["model.name"] == "example-1b"
    assert any(each.startswith("executed_differs") for each in found.warnings)
    assert "fiche_record, journal" in repr(found)


def test_each_device_has_its_row_and_one_rank_says_that_it_is_one(written):
    """C9."""
    page = Page(fiche.read_record(written(rank(1)))._repr_html_())
    assert "cuda:1 of rank 1 " in page.cells
    assert any("unknown" in cell for cell in page.cells)
    both = put_together(rank(0), rank(1))
    page = Page(fiche.read_record(written(both))._repr_html_())
    assert page.cells.count("cuda:0 ") == page.cells.count("cuda:1 ") == 2


def test_hostile_words_act_on_no_page(written):
    """Law 7."""
    evil = "<script>alert(1)</script><img src=x onerror=y>\u202e"
    document = record(
        lambda d: (
            d["workload"]["model"].update(name=evil),
            d["phases"].append({**FAILED, "error": {"type": "E", "message": evil}}),
        )
    )
    text = fiche.read_record(written(document))._repr_html_()
    page = Page(text)
    assert not {"script", "img"} & page.tags
    assert "\u202e" not in text
    assert "&lt;script&gt;" in text


def test_it_reads_on_a_dark_page_as_on_a_light_one(written):
    """No colour of its own but a half-transparent grey."""
    page = Page(fiche.read_record(written(RECORD))._repr_html_())
    assert not any(
        "#" in style or "white" in style.replace("white-space", "") for style in page.styles
    )
    assert any("color:inherit" in style for style in page.styles)


def test_what_is_no_record_is_refused(written, tmp_path):
    with pytest.raises(Refused) as refused:
        fiche.read_record(written(b"{}"))
    assert refused.value.diagnostics[0].code == "F431"
    with pytest.raises(Refused) as refused:
        fiche.read_record(tmp_path / "absent.json")
    assert refused.value.diagnostics[0].code == "F318"


# --- Decisions ------------------------------------------------------------------------------------


def test_a_decision_shows_every_verdict_and_where_each_number_comes_from():
    found = fiche.compiled(SAMPLES / "serving" / "fiche.yaml")
    page = Page(found._repr_html_())
    words = " ".join(page.words)
    assert "● retained: rent-4090" in words
    assert "Illustrative:" in words
    assert any("observed: process_device_used, peak" in cell for cell in page.cells)
    assert any(cell.endswith("computed ") for cell in page.cells)
    assert any("stated by the fiche" in cell for cell in page.cells)
    assert any("declared by" in cell for cell in page.cells)
    count = sum(len(outcome.findings) for outcome in found.decision.outcomes)
    assert len(page.cells) == 7 * count
    for verdict in ("● admissible", "▲ to confirm", "✕ excluded"):
        assert any(verdict in cell for cell in page.cells)


def test_the_plain_text_is_that_of_the_command():
    found = fiche.compiled(SAMPLES / "two-cards" / "fiche.yaml")
    assert "pair-6000-ada" in repr(found)
    assert found.decision.outcomes[0].status == "retained"


def test_a_fiche_that_is_wrong_is_refused(tmp_path):
    path = tmp_path / "fiche.yaml"
    path.write_text("fiche: 2\n", encoding="utf-8")
    with pytest.raises(Refused):
        fiche.compiled(path)


# --- At import ------------------------------------------------------------------------------------


def test_nothing_is_imported_before_it_is_asked_for():
    code = (
        "import sys, fiche; assert not [m for m in sys.modules if m.startswith('fiche.')], sys.modules;"
        "fiche.read_record; assert 'torch' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_no_attribute():
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = fiche.nothing_of_that_name
