"""A report that another version made: its words may differ, its verdicts and numbers may not."""

import json
import re

import pytest
from verify.sheets import MAKER, SAMPLES, compiled, faults, report, steps

from fiche.cli.compile import Compiled, compile_fiche
from fiche.cli.reports import Asked, files
from fiche.kernel import rules
from fiche.kernel.record import replace
from fiche.render.canonical import canonical
from fiche.verify.agreed import differences, rules_changed
from fiche.verify.step import FAILED, UNPROVEN, worst

OLD = "0.0.9"


def by_another(name, form, **asked):
    """As an older version would have written it: its name, and other words on the page."""
    made = compiled(name)
    older = Compiled(decision=replace(made.decision, tool_version=OLD), contents=made.contents)
    return files(older, Asked(formats=(form,), **asked))[f"report.{form}"]


def worded(page):
    """The page says the same otherwise."""
    old, new = b"What is still missing", b"What remains to be found out"
    assert old in page
    return page.replace(old, new)


@pytest.mark.parametrize("name", ["guide", "serving", "committee", "two-cards"])
def test_a_page_of_another_version_with_the_same_rules_verifies(name):
    found = steps(worded(by_another(name, "html")))
    assert {key: step.faults for key, step in found.items() if step.faults} == {}
    assert worst(found.values()) == UNPROVEN
    said = " ".join(point.text for point in found["decision"].points)
    assert f"made by fiche {OLD}, it is verified by fiche {MAKER.version}" in said
    assert "scripts and style sheets" in found["body"].points[0].text


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tag"), [("guide", "en"), ("serving", "fr"), ("committee", "tr")])
def test_a_pdf_of_another_version_verifies(name, tag):
    found = steps(by_another(name, "pdf", language=tag))
    assert {key: step.faults for key, step in found.items() if step.faults} == {}
    assert worst(found.values()) == UNPROVEN


CHANGES = {
    "number": (rb"19\.04", rb"18.04", "F913"),
    "verdict": ("▲(\u00a0To confirm)".encode(), "●\\1".encode(), "F914"),
    "script": (rb"<script>", rb"<script>alert(1);", "that its policy does not name"),
    "handler": (rb"<main ", rb'<main onclick="x()" ', "acts by itself: onclick"),
    "frame": (rb"</main>", rb"<iframe></iframe></main>", "has a <iframe>"),
    "request": (rb'href="#answer"', rb'href="https://example.org"', "leads out of the page"),
    "policy": (rb"default-src 'none'", rb"default-src *", "no policy (CSP)"),
}


@pytest.mark.parametrize("sort", CHANGES)
def test_a_change_of_such_a_page_is_named_too(sort):
    old, new, words = CHANGES[sort]
    page = by_another("guide", "html")
    changed = re.sub(old, new, page, count=1)
    assert changed != page
    texts = [text for told in faults(changed).values() for text in told]
    assert any(words in text for text in texts), texts


def test_a_version_told_on_the_page_and_not_in_the_decision_is_a_fault():
    page = by_another("guide", "html").replace(b"fiche 0.0.9", b"fiche 0.0.8")
    assert any("its decision fiche 0.0.9" in text for text in faults(page)["body"])


# --- Other rules ----------------------------------------------------------------------------------


def judged_otherwise(monkeypatch, rows, change=None):
    """A report whose rules, and with `change` whose decision, are those of another version."""
    monkeypatch.setattr(rules, "RULE", rows)
    made = compile_fiche(SAMPLES / "serving" / "fiche.yaml")
    older = Compiled(decision=replace(made.decision, tool_version=OLD), contents=made.contents)
    if change:
        from fiche.render import json as written

        real = written.decision_document
        monkeypatch.setattr(written, "decision_document", lambda d: change(real(d)))
    page = files(older, Asked(formats=("html",)))["report.html"]
    monkeypatch.undo()
    return page


def test_rules_that_changed_and_decide_the_same_are_named_and_verify(monkeypatch):
    rows = tuple(row for row in rules.RULE if row[0] != "near_limit")
    found = steps(judged_otherwise(monkeypatch, rows))
    said = [point.text for point in found["decision"].points]
    assert "changed rules: row 'near_limit' (to_confirm) is new" in said
    assert worst(found.values()) != FAILED


def test_rules_that_changed_and_decide_otherwise_are_named_as_the_cause(monkeypatch):
    def harsher(document):
        for one in document["candidates"]:
            if one["id"] == "rent-6000-ada":
                one["status"] = "excluded"
        return document

    rows = tuple((c, "exclude" if c == "open" else v, t) for c, v, t in rules.RULE)
    found = steps(judged_otherwise(monkeypatch, rows, harsher))
    texts = [f"{point.code} {point.text}" for point in found["decision"].faults]
    assert any("rent-6000-ada: status excluded is told, to_confirm comes out" in t for t in texts)
    assert any(t.startswith("F910") and "'open' led to exclude then" in t for t in texts)


def document_of(name="serving"):
    from verify.sheets import looked

    return json.loads(looked(report(name, "html")).container.file("decision.json"))


def other(document):
    return json.loads(canonical(document))


def test_each_value_is_compared_by_its_id_and_unit():
    told = document_of()
    assert list(differences(told, other(told))) == []
    changed = other(told)
    figure = next(one for one in changed["figures"] if one.get("value") and one["unit"] == "USD")
    figure["unit"] = "EUR"
    assert any(figure["id"] in text and "EUR" in text for text in differences(told, changed))
    changed = other(told)
    finding = next(one for one in changed["findings"] if one["margin"])
    finding["margin"]["bytes"] = 1
    assert any(text.startswith("margin of") for text in differences(told, changed))


def test_words_of_a_rule_are_told_from_its_verdict():
    told = document_of()
    worded = other(told)
    worded["rules"]["decision_rule"][0]["text"] = "other words"
    worded["rules"]["sha256"] = "0" * 64
    code = told["rules"]["decision_rule"][0]["reason_code"]
    assert list(rules_changed(told, worded)) == [
        f"row '{code}' is worded otherwise, with the same verdict"
    ]
    turned = other(told)
    turned["rules"]["decision_rule"].reverse()
    turned["rules"]["sha256"] = "0" * 64
    assert any("another order" in text for text in rules_changed(told, turned))
