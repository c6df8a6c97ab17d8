"""A page verifies as it was written, and no change of it stays unseen or unnamed."""

import hashlib
import json
import re
from base64 import b64decode, b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verify.sheets import NAMES, compiled, faults, looked, report, steps

from fiche.kernel.record import replace
from fiche.render.canonical import canonical
from fiche.verify.html_read import read_html
from fiche.verify.manifest import attachments_step, listed
from fiche.verify.step import OK, worst

GUIDE = report("guide", "html")


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_verifies(name):
    found = looked(report(name, "html"))
    assert [(s.key, s.outcome) for s in found.steps] == [
        (key, OK)
        for key in ("read", "attachments", "digests", "recompiled", "decision", "body", "signature")
    ]


@pytest.mark.parametrize("asked", [{"language": "fr"}, {"language": "tr", "draft": True}])
def test_language_and_draft_are_read_from_the_page(asked):
    assert worst(steps(report("serving", "html", **asked)).values()) == OK


def test_comments_are_part_of_what_is_made_again():
    content = report("committee", "html", review="review.yaml")
    assert worst(steps(content).values()) == OK
    assert "review.yaml" in {one.name for one in looked(content).container.held}


# --- Attached files -------------------------------------------------------------------------------


def changed(content, where):
    at = {"first": 0, "middle": len(content) // 2, "last": len(content) - 1}[where]
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_byte_of_any_file_is_named(name):
    container = read_html(report(name, "html"))
    for at, one in enumerate(container.held):
        if one.name == "manifest.json":
            continue
        for where in ("first", "middle", "last"):
            other = replace(one, content=changed(one.content, where))
            held = (*container.held[:at], other, *container.held[at + 1 :])
            texts = told(replace(container, held=held))
            assert any(text.startswith(f"F905 {one.name} has other bytes") for text in texts), texts


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_gone_renamed_or_described_otherwise_is_named(name):
    container = read_html(report(name, "html"))
    for at, one in enumerate(container.held):
        if one.name in ("manifest.json", "ro-crate-metadata.json"):
            continue
        rest = (*container.held[:at], *container.held[at + 1 :])
        assert f"F905 {one.name} is listed and not attached" in told(replace(container, held=rest))
        other = replace(one, name=f"x{one.name}")
        texts = told(replace(container, held=(*rest, other)))
        assert f"F905 x{one.name} is attached and not listed" in texts
        for change in ({"media_type": "text/x"}, {"description": "x"}):
            texts = told(replace(container, held=(*rest, replace(one, **change))))
            assert any(t.startswith("F906") and one.name in t for t in texts)


def told(container):
    step = attachments_step(container, listed(container))
    return [f"{point.code} {point.text}" for point in step.faults]


def test_two_files_that_changed_places_are_told_as_such():
    container = read_html(report("committee", "html"))
    files = {one.name: one for one in container.held}
    one, other = files["offers.yaml"], files["fiche.yaml"]
    files["offers.yaml"] = replace(one, content=other.content)
    files["fiche.yaml"] = replace(other, content=one.content)
    texts = " ".join(told(replace(container, held=tuple(files.values()))))
    assert "they are those of offers.yaml" in texts
    assert "they are those of fiche.yaml" in texts


def with_file(content, name, change):
    """A page in which one link holds other bytes, and its row tells their digest."""
    form = (
        rf'(download="?{name}"? href="data:[^;]*;base64,)([^"]*)(".*?<code[^>]*>)([0-9a-f]{{64}})'
    )
    found = re.search(form.encode(), content, re.DOTALL)
    new = change(b64decode(found[2]))
    digest = hashlib.sha256(new).hexdigest().encode()
    return content[: found.start()] + b"".join(
        [found[1], b64encode(new), found[3], digest, content[found.end() :]]
    )


def test_a_manifest_changed_with_its_files_is_caught_by_the_decision():
    """Whoever changes a piece can change the list too; the decision was made of other bytes."""

    def dearer(content):
        return content.replace(b"USD", b"EUR")

    name = "evidence_quote-northlab-2291.txt"
    container = read_html(report("serving", "html"))
    old = container.file(name)
    new = dearer(old)
    assert new != old

    def relisted(content):
        document = json.loads(content)
        for entry in document["files"]:
            if entry["name"] == name:
                entry |= {"bytes": len(new), "sha256": hashlib.sha256(new).hexdigest()}
        return canonical(document)

    page = with_file(report("serving", "html"), name, dearer)
    page = with_file(page, "manifest.json", relisted)
    found = faults(page)
    assert any("was made of other bytes" in text for text in found["digests"])
    assert found.keys() & {"recompiled", "decision"}


def test_a_decision_that_was_changed_does_not_come_out_again():
    def kinder(content):
        return content.replace(b'"status":"excluded"', b'"status":"retained"')

    found = faults(with_file(report("serving", "html"), "decision.json", kinder))
    assert any(
        "own-4080: status retained is told, excluded comes out" in t for t in found["decision"]
    )
    assert any(text.startswith("F907 under the title") for text in found["digests"])


def test_a_link_that_carries_a_file_beside_the_table_is_named():
    page = GUIDE.replace(
        b"</main>", b'<a download="x" href="data:text/plain;base64,eA==">x</a></main>'
    )
    assert any(
        "carries a file that the table does not list" in t for t in faults(page)["attachments"]
    )


def test_base64_written_another_way_is_named():
    """The last letter of base64 has bits that nothing reads: two texts, the same bytes."""
    found = re.search(
        rb'download="?([\w.-]+)"? href="data:[^;]*;base64,[^"]*([A-Za-z0-9+/])==?"', GUIDE
    )
    at = found.end() - len(found[0]) + found[0].rindex(found[2] + b"=")
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    other = letters[letters.index(GUIDE[at]) ^ 1]
    page = GUIDE[:at] + bytes([other]) + GUIDE[at + 1 :]
    assert any("in another way than fiche does" in text for text in faults(page)["attachments"])


# --- The page -------------------------------------------------------------------------------------

CHANGES = {
    "words": (rb"Not established", rb"Established", "F911 page one: text is"),
    "verdict": (rb"to confirm", rb"retained", "F911"),
    "script": (rb"<script>", rb"<script>alert(1);", "a script is"),
    "policy": (rb"script-src ", rb"script-src 'unsafe-inline' ", "the page's policy (CSP) is"),
    "style": (rb"</style>", rb".verdict{display:none}</style>", "a style sheet is"),
    "attribute": (rb"<section id=", rb"<section hidden id=", "an element is"),
    "comment": (rb"</main>", rb"<!-- x --></main>", "a comment stands there"),
    "link": (rb'href="#answer"', rb'href="https://example.org"', "a link is"),
    "element": (rb"</main>", rb"<p>Retained.</p></main>", "an element stands there"),
    "declaration": (rb"<!DOCTYPE html>", rb"<!DOCTYPE htm>", "a declaration is"),
    "behind": (rb"</html>", rb"</html>x", "what follows the page"),
    "generator": (rb'content="fiche ', rb'content="fixhe ', "the page's head"),
}


@pytest.mark.parametrize("sort", CHANGES)
def test_a_change_of_the_page_is_named(sort):
    old, new, words = CHANGES[sort]
    assert old in GUIDE
    texts = faults(GUIDE.replace(old, new, 1))["body"]
    assert any(words in text for text in texts), texts


def test_the_first_difference_is_shown_with_both_texts():
    (text, *_) = faults(GUIDE.replace(b"Not established", b"Established", 1))["body"]
    assert "Established" in text.partition("where the decision")[0]
    assert "Not established" in text.partition("where the decision")[2]


def test_a_language_that_fiche_does_not_write_is_a_fault():
    assert faults(GUIDE.replace(b'lang="en"', b'lang="xx"', 1))["body"][0].startswith("F911")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(GUIDE) - 1), st.integers(1, 255))
def test_any_byte_anywhere_counts(at, by):
    page = GUIDE[:at] + bytes([GUIDE[at] ^ by]) + GUIDE[at + 1 :]
    assert faults(page)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, len(GUIDE)), st.binary(min_size=1, max_size=9))
def test_nothing_is_put_in_unseen(at, more):
    assert faults(GUIDE[:at] + more + GUIDE[at:])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, len(GUIDE) - 1), st.integers(1, 500))
def test_nothing_is_taken_out_unseen(at, length):
    assert faults(GUIDE[:at] + GUIDE[at + length :])


def test_the_samples_were_compiled_from_files_that_are_not_asked_again():
    """What is compared with is made in memory: see also test_alone."""
    assert set(compiled("guide").contents) == set(looked(GUIDE).made.contents)
