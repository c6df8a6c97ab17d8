"""A report that another version's name is written into hides nothing by that: what reads otherwise is named."""

import json
import re
from hashlib import sha256

import pytest
from verify.sheets import MAKER, compiled, faults, report, steps
from verify.test_other_version import OLD, by_another, document_of, other

from fiche.render import json as written
from fiche.render.canonical import canonical
from fiche.verify.agreed import differences
from fiche.verify.printed import _word_around
from fiche.verify.step import FAILED, OK, UNPROVEN, worst


def told_by(step):
    return [point.text for point in step.points]


def told_otherwise(monkeypatch, change):
    """A page whose decision.json was changed before it was written, by a program of this version's name."""
    from fiche.cli.reports import Asked, files

    real = written.decision_document

    def changed(decision):
        document = json.loads(canonical(real(decision)))
        change(document)
        return document

    monkeypatch.setattr(written, "decision_document", changed)
    page = files(compiled("guide"), Asked(formats=("html",)))["report.html"]
    monkeypatch.undo()
    return page


def test_the_same_words_under_another_name_are_said_to_be_the_same():
    found = steps(by_another("guide", "html"))
    assert found["decision"].outcome == OK
    assert "beside its version it says the same, to the letter" in told_by(found["decision"])
    assert any(
        text.startswith("what comes out: rtx-4090 to confirm")
        for text in told_by(found["decision"])
    )
    assert any("lines read as fiche" in text for text in told_by(found["body"]))


def test_a_line_that_this_version_would_not_write_is_named():
    page = by_another("guide", "html")
    assert b"Not established" in page
    found = steps(page.replace(b"Not established", b"Established", 1))
    texts = told_by(found["body"])
    assert any(re.match(r"of \d+ lines, 1 reads otherwise", text) for text in texts), texts
    assert any("Established — rtx-4090" in text for text in texts), texts
    assert found["body"].outcome == UNPROVEN


def test_an_entry_that_is_no_verdict_and_reads_otherwise_is_named(monkeypatch):
    def change(document):
        document["tool"]["version"] = OLD
        document["candidates"][0]["conditions"][0]["text"] = "ask nobody"

    found = steps(told_otherwise(monkeypatch, change))
    texts = told_by(found["decision"])
    assert found["decision"].outcome == UNPROVEN
    assert any("1 entry reads otherwise" in text for text in texts), texts
    assert any(text.startswith("candidates[0].conditions[0].text: ask nobody") for text in texts)


@pytest.mark.parametrize(("part", "key"), [("candidates", "card"), ("findings", "outcome")])
def test_a_card_or_an_outcome_of_another_name_is_a_fault_in_any_version(part, key):
    told = document_of("guide")
    changed = other(told)
    changed[part][0][key] = "another"
    assert any(f"{key} " in text for text in differences(changed, told))


def test_an_earlier_state_of_this_very_version_is_told_from_a_change(monkeypatch):
    """Two programs may bear one version's name; another schema tells them apart."""

    def older(document):
        document["schema_version"] = "0.9"

    found = steps(told_otherwise(monkeypatch, older))
    assert worst(found.values()) != FAILED
    texts = told_by(found["decision"])
    assert (
        f"the report was made by another state of fiche {MAKER.version} than the one here" in texts
    )

    def worse(document):
        older(document)
        document["candidates"][0]["status"] = "retained"

    page = told_otherwise(monkeypatch, worse)
    told = faults(page)["decision"]
    assert any(t.startswith("F909 candidate rtx-4090: status retained is told") for t in told)


def test_a_policy_that_did_not_come_along_is_a_fault():
    page = report("guide", "html")
    row = re.search(rb"<tr[^<>]*><th[^<>]*><code>[^<>]*neutral\.yaml</code>", page)
    assert row
    name = row[0].rpartition(b"<code>")[2].removesuffix(b"</code>")
    told = faults(page[: row.start()] + page[row.start() :].replace(name, b"x.yaml", 1))
    assert (
        "F908 the attached files do not compile: no policy 'neutral' was brought"
        in told["recompiled"]
    )


def test_digests_alone_make_no_line_another():
    """The digest of decision.json stands on each page and is another one in each version."""
    page = by_another("guide", "html")
    assert sha256(page).digest() != sha256(report("guide", "html")).digest()
    assert not any("otherwise" in text for text in told_by(steps(page)["body"]))


def test_a_page_that_no_blank_breaks_is_looked_at_in_pieces():
    """Bytes in the place of words: each number would otherwise be looked for through all of them."""
    line = "a1" * 50_000
    assert len(_word_around(line, 50_001, 50_002)) < 1_100
    page = by_another("guide", "html").replace(
        b"</main>", b"<p>" + b"77.77 GiB " * 300 + b"</main>", 1
    )
    assert "F913 and many more numbers" in faults(page)["body"]


def test_without_a_decision_no_number_is_called_foreign():
    page = report("guide", "html").replace(b">decision.json</code>", b">decisiom.json</code>", 1)
    assert not any(text.startswith("F913") for text in faults(page)["body"])
    without = report("guide", "html").replace(b"</main>", b"<!-- x --></main>")
    assert [text[:4] for text in faults(without)["body"]] == ["F912"]
