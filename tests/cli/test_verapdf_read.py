"""What veraPDF prints becomes a verdict, or none: never a pass that it did not say."""

import json

import pytest
from cli.verapdf_stand_in import UNREAD, as_json, xml
from hypothesis import given
from hypothesis import strategies as st

from fiche.cli.verapdf_read import MOST_FAILURES, judged

FORMS = {
    "xml": xml,
    "json": lambda *a: json.dumps(as_json(*a)),
    "json of one": lambda *a: json.dumps(as_json(*a, listed=False)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("flavour", ["3a", "ua1"])
def test_a_compliant_file(form, flavour):
    told = judged(FORMS[form](flavour, True).encode(), flavour)
    assert (told.compliant, told.failures, told.why) == (True, (), "")
    assert told.version in ("1.26.1", "1.28.2")
    assert told.standard == {"3a": "PDF/A-3a", "ua1": "PDF/UA-1"}[flavour]


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_is_not(form):
    told = judged(FORMS[form]("ua1", False).encode(), "ua1")
    assert told.compliant is False
    (failure,) = told.failures
    assert (failure.clause, failure.test, failure.checks) == ("7.5", "1", "2")
    assert failure.specification == "ISO 14289-1:2014"
    assert failure.about == "A cell has no heading"


@pytest.mark.parametrize("form", FORMS)
def test_a_verdict_on_another_standard_is_none(form):
    told = judged(FORMS[form]("3a", True).encode(), "ua1")
    assert told.compliant is None
    assert "another profile: PDF/A-3A" in told.why


def test_java_may_warn_before_and_after():
    noisy = f"Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n{xml('3a')}\nWARNING: closing\n"
    assert judged(noisy.encode(), "3a").compliant is True


def test_a_file_that_could_not_be_parsed_has_no_verdict():
    told = judged(UNREAD.encode(), "3a")
    assert (told.compliant, told.why) == (None, "Couldn't parse it")


@pytest.mark.parametrize(
    "output",
    [
        b"",
        b"verapdf: command line error",
        b"<report></report>",
        b"<report><validationReport isCompliant='true' profileName='PDF/A-3A'/>",
        xml("3a").replace('isCompliant="true"', 'isCompliant="TRUE or so"').encode(),
        xml("3a").replace('"normal"', '"cancelled"').encode(),
        xml("3a").replace("<jobs>", '<jobs><x><validationReport isCompliant="true"/></x>').encode(),
        xml("3a").replace("<report>", '<report><!DOCTYPE x [<!ENTITY a "b">]>').encode(),
        b'{"report": {"jobs": []}}',
        b'{"report": {"jobs": [{"validationResult": [{"compliant": "true"}]}]}}',
        b"{" * 100_000,
        b"[" * 100_000,
        b"<report>" + b"<a>" * 100_000 + b"</report>",
        b"\xff\xfe<report>",
    ],
    ids=lambda output: output[:24].decode("latin-1"),
)
def test_what_cannot_be_read_is_no_verdict(output):
    told = judged(output, "3a")
    assert told.compliant is None
    assert told.why


@given(st.binary(max_size=300))
def test_no_bytes_at_all_make_a_verdict(output):
    assert judged(output, "3a").compliant is None


def test_its_words_are_short_and_inert():
    """A program may be anybody's: nothing that it says acts on a terminal, and not too much is kept."""
    said = xml("3a", False).replace("A cell has no heading", "\u202e" + "x\u200b" * 5_000)
    (failure,) = judged(said.encode(), "3a").failures
    assert "\u202e" not in failure.about
    assert "\u200b" not in failure.about
    assert len(failure.about) <= 400
    rule = said[said.index("<rule") : said.index("</rule>") + 7]
    assert len(judged(said.replace(rule, rule * 500).encode(), "3a").failures) == MOST_FAILURES
