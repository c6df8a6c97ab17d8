"""Comments from their file: on an id that the report shows, each once, with words, in an order of days."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.kernel.diagnostic import Refused
from fiche.load.review import load_review

KNOWN = {
    "report": ("report",),
    "rent-4090": ("candidate",),
    "memory": ("requirement", "topic"),
    "limit": ("requirement", "case"),
    "run": ("piece",),
    "limit.kv_cache": ("figure",),
    "rent-4090/memory.limit": ("finding",),
    "D1": ("point",),
}
HEAD = "review: 1\ncomments:\n"
BARE = "  - {id: c1, by: A. Martin, date: 2026-12-01, on: memory, says: why}\n"


def read(text, tmp_path, known=KNOWN):
    path = tmp_path / "review.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_review(path, "review.yaml", known)


def refused(text, tmp_path):
    with pytest.raises(Refused) as found:
        read(text, tmp_path)
    return [(d.code, d.address.line, d.address.column, d.hint) for d in found.value.diagnostics]


def test_a_comment_keeps_every_word_and_its_place(tmp_path):
    text = HEAD + (
        "  - id: c1\n    by: C. Laurent\n    role: head\n    date: 2026-12-01\n    on: rent-4090\n"
        "    says: no <b>\n"
        "    resolved: {by: A. Martin, role: engineer, date: 2026-12-02, says: done}\n"
    )
    found = read(text, tmp_path)
    (one,) = found.review.comments
    assert (one.id, one.by, one.role, one.date) == ("c1", "C. Laurent", "head", "2026-12-01")
    assert (one.on, one.sort, one.says) == ("rent-4090", "candidate", "no <b>")
    assert str(one.span) == "review.yaml:8:11"
    assert (one.resolved.by, one.resolved.role) == ("A. Martin", "engineer")
    assert (one.resolved.date, one.resolved.says) == ("2026-12-02", "done")
    assert found.input.role == "review"
    assert found.content == text.encode()


def test_open_ones_come_first_and_the_file_keeps_its_order(tmp_path):
    done = BARE.replace("why}", "why, resolved: {by: B, date: 2026-12-01, says: so}}")
    text = HEAD + done + BARE.replace("c1", "c2") + done.replace("c1", "c3")
    review = read(text, tmp_path).review
    assert [one.id for one in review.comments] == ["c1", "c2", "c3"]
    assert [one.id for one in review.in_order] == ["c2", "c1", "c3"]
    assert review.num_open == 1


@pytest.mark.parametrize(
    ("on", "sort"),
    [
        ("report", "report"),
        ("memory", "requirement"),
        ("topic:memory", "topic"),
        ("case:limit", "case"),
        ("requirement:limit", "requirement"),
        ("run", "piece"),
        ("limit.kv_cache", "figure"),
        ("rent-4090/memory.limit", "finding"),
        ("D1", "point"),
    ],
)
def test_an_id_is_read_as_what_bears_it(on, sort, tmp_path):
    (one,) = read(HEAD + BARE.replace("on: memory", f"on: '{on}'"), tmp_path).review.comments
    assert (one.sort, one.on) == (sort, on.partition(":")[2] or on)


@pytest.mark.parametrize("of", ["a" * 64, "0f8b4c1e-52a7-5e0b-9a51-3f6a0c6c1d2e"])
def test_what_was_commented_on(of, tmp_path):
    for told in (of, f"sha256:{of}" if len(of) == 64 else of):
        assert read(f"of: {told}\n{HEAD}{BARE}", tmp_path).review.of == of


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("fiche: 1\n", "F660", "fiche"),
        ("- a\n", "F660", "- a"),
        ("{}\n", "F660", "{}"),
        (HEAD + BARE.replace("on: memory", "on: rent-4080"), "F661", "rent-4080"),
        (HEAD + BARE.replace("on: memory", "on: 'case:memory'"), "F661", "'case"),
        (HEAD + BARE + BARE, "F662", "c1,"),
        (
            HEAD + BARE.replace("why}", "why, resolved: {by: B, date: 2026-11-30, says: so}}"),
            "F663",
            "2026-11-30",
        ),
        (HEAD + BARE.replace("why", "'  '"), "F664", "'  '"),
        (HEAD + BARE.replace("why", "''"), "F664", "''"),
        (
            HEAD + BARE.replace("why}", "why, resolved: {by: B, date: 2026-12-30, says: ' '}}"),
            "F664",
            "' '",
        ),
        (HEAD + BARE.replace("on: memory", "on: limit"), "F665", "limit"),
        (HEAD + BARE.replace(", says: why", ""), "F302", "{id"),
        (HEAD + BARE.replace("2026-12-01", "2026-13-01"), "F207", "2026-13-01"),
        (HEAD + BARE.replace("by:", "bye:"), "F301", "bye"),
        ("review: 2\ncomments: []\n", "F315", "2"),
        (f"of: latest\n{HEAD}{BARE}", "F305", "latest"),
        (HEAD + "  - &a {}\n  - *a\n", "F105", "&a"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(text, code, at, tmp_path):
    before = text[: text.rindex(at)]
    place = (code, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    assert place in [told[:3] for told in refused(text, tmp_path)]


def test_a_near_miss_is_offered(tmp_path):
    ((_, _, _, hint),) = refused(HEAD + BARE.replace("on: memory", "on: rent-4080"), tmp_path)
    assert hint == "did you mean rent-4090?"
    ((_, _, _, hint),) = refused(HEAD + BARE.replace("on: memory", "on: limit"), tmp_path)
    assert hint == "write requirement:limit or case:limit"


def test_all_faults_are_told_at_once(tmp_path):
    text = HEAD + BARE.replace("memory", "nothing") + BARE.replace("why", "''")
    assert [told[0] for told in refused(text, tmp_path)] == ["F661", "F662", "F664"]


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(Refused) as found:
        load_review(tmp_path / "none.yaml", "none.yaml", KNOWN)
    assert [d.code for d in found.value.diagnostics] == ["F318"]


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_any_bytes_are_a_review_or_refused(tmp_path_factory, content):
    folder = tmp_path_factory.mktemp("any")
    for text in (content, HEAD.encode() + content):
        try:
            found = read(text, folder).review.comments
        except Refused as told:
            found = told.diagnostics
        assert found
