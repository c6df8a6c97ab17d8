"""Pieces are put into a fiche's own text: nothing else of it moves, whatever its layout."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.kernel.diagnostic import Refused
from fiche.load.edited import with_pieces
from fiche.load.entry import Line, block_lines, scalar
from fiche.load.node import plain_value
from fiche.load.source import source
from fiche.load.tree import parse

ENTRY = (
    Line("id", "run"),
    Line("file", "pieces/run.log"),
    Line("sha256", "12" * 32),
    Line("version", "2.10"),
    Line("redacted", {"user": 2, "token": 1}),
    Line(comment="machine: which one"),
    Line(
        "scope",
        (
            Line("gpu", "nvidia-l4-24g", "NVIDIA L4, line 3"),
            Line("engine", {"name": "vllm", "settings": {"dtype": "a: b"}}, "line 1"),
            Line(comment="case: usual, limit"),
        ),
    ),
)
READ = {
    "id": "run",
    "file": "pieces/run.log",
    "sha256": "12" * 32,
    "version": "2.10",
    "redacted": {"user": 2, "token": 1},
    "scope": {
        "gpu": "nvidia-l4-24g",
        "engine": {"name": "vllm", "settings": {"dtype": "a: b"}},
    },
}


def codes(call, *arguments):
    """The codes that a call is refused with; none where it is not."""
    try:
        call(*arguments)
    except Refused as refused:
        return {diagnostic.code for diagnostic in refused.diagnostics}
    return set()


def tree(text):
    return plain_value(parse(source("f.yaml", text.encode("utf-8"))))


def added(text, count=1):
    entries = [ENTRY, (Line("id", "second"),)][:count]
    return with_pieces(source("f.yaml", text.encode("utf-8")), entries)


def around(old, new):
    """How many characters of the old text stand before and behind what was put in."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    rest_old, rest_new = old[start:][::-1], new[start:][::-1]
    end = next(
        (i for i, (a, b) in enumerate(zip(rest_old, rest_new, strict=False)) if a != b),
        len(rest_old),
    )
    return start + end


def check(text, count=1):
    new, old = added(text, count), tree(text)
    wanted = [*old.pop("pieces", []), READ, {"id": "second"}][
        : len(tree(text).get("pieces", [])) + count
    ]
    found = tree(new)
    assert found.pop("pieces") == wanted
    assert found == old
    return new


BLOCK = [
    "fiche: 1\nworkload: {}\ncandidates: []\n",
    "fiche: 1\npieces:\n- {id: a}\nx: 1\n",
    "fiche: 1\npieces:\n  - id: a\n    file: b\n  # of the list\n# of the next\nx: 1\n",
    "fiche: 1\npieces:\n    -   id: a\n        b: |\n          text\n\n          more\n\n\nx: 1\n",
    "fiche: 1\npieces:\n  - id: a\n    b: |+\n      text\n\n\nx: 1\n",
    "fiche: 1\npieces:\n  - id: a\n    b: >-\n      text\n    # c\nx: 1\n",
    "fiche: 1\npieces:\n  - a\n\n  - b\n\nx: 1\n",
    "fiche: 1\npieces:  # none of them is real\n  - a # last",
    "fiche: 1\r\npieces:\r\n- {id: a}\r\n\r\nx: 1\r\n",
    "fiche: 1\r\nworkload:\r\n  a: 1",
    "---\nfiche: 1\nworkload: {a: [1,\n  2]}\n...\n",
    "  fiche: 1\n  pieces:\n  - a\n  x: 1\n",
    "? pieces\n: - a\nx: 1\n",
    "fiche: 1\npieces:\n- {id: a}\n- {id: b}\t# tab\n",
    '"pieces":\n  - "a"\n',
    "# only\n\n# comments\nreserve: 1\n# of what comes next\n\nworkload: 2 # c\n  # of the workload\n\nx: é’\n",
    "title: 'it''s\n  long'\npieces:\n  - a: \"x\n      y\"\n\n# end",
]


@pytest.mark.parametrize("text", BLOCK)
@pytest.mark.parametrize("count", [1, 2])
def test_a_block_list_gets_lines_and_nothing_else_changes(text, count):
    new = check(text, count)
    assert around(text, new) == len(text)
    if "\r\n" in text:
        assert new.count("\n") == new.count("\r\n")
    assert new.endswith("\n") == text.endswith("\n")


FLOW = [
    "fiche: 1\npieces: []\nx: 1\n",
    "fiche: 1\npieces: [ ]\n",
    "fiche: 1\npieces: [{id: a, file: b}]\nx: 1\n",
    "fiche: 1\npieces: [{id: a}, ]\nx: 1\n",
    "pieces: [\n  {id: a}, # c, d\n  # e\n]\n",
    "pieces: [\n  {id: a} # c, d\n  # e\n  ]",
    "{fiche: 1, x: 2}\n",
    "{fiche: 1, x: 2, }\n",
    "{fiche: 1, # c, d\n x: 2 # e\n}\n",
    "{fiche: 1, pieces: [], x: 2}\n",
    '{"fiche": 1,\n "pieces": [{"id": "a"}]}\n',
    '{"fiche": 1,\r\n "x": "é"}',
]


@pytest.mark.parametrize("text", FLOW)
@pytest.mark.parametrize("count", [1, 2])
def test_a_list_in_brackets_keeps_every_character(text, count):
    new = iter(check(text, count))
    assert all(character in new for character in text)


def test_json_stays_json():
    import json

    assert json.loads(check('{"fiche": 1, "pieces": []}'))["pieces"] == [READ]


def test_comments_of_the_last_piece_stay_with_it_and_those_of_the_next_key_do_not():
    text = "pieces:\n  - id: a\n    # of a\n  # of the list\n# of x\nx: 1\n"
    new = added(text)
    assert new.index("# of the list") < new.index("- id: run") < new.index("# of x")


def test_a_new_list_stands_behind_the_load_with_blank_lines_as_elsewhere():
    assert "\n\npieces:\n  - id: run\n" in added("a: 1\n\nworkload: {}\n\nb: 1\n")
    assert "workload: {}\npieces:\n  - id: run\n" in added("a: 1\nworkload: {}\nb: 1\n")


def test_what_would_change_the_meaning_is_refused():
    """A line end behind the last line would become a part of the text above it."""
    with pytest.raises(Refused) as refused:
        added("pieces:\n  - a: |\n      text")
    assert [d.code for d in refused.value.diagnostics] == ["F481"]


def test_what_is_known_is_a_key_and_what_is_not_is_a_comment():
    assert list(block_lines(ENTRY, 2)) == [
        "  - id: run",
        "    file: pieces/run.log",
        f'    sha256: "{"12" * 32}"',
        '    version: "2.10"',
        "    redacted: {user: 2, token: 1}",
        "    # machine: which one",
        "    scope:",
        "      gpu: nvidia-l4-24g  # NVIDIA L4, line 3",
        '      engine: {name: vllm, settings: {dtype: "a: b"}}  # line 1',
        "      # case: usual, limit",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01",
        "2026-1-1",
        "1_000",
        "017",
        "0o17",
        "0x1F",
        "0b1",
        "1.5e3",
        "1.",
        "12",
        "1e5",
        "-1",
        ".5",
        ".inf",
        "12:30:00",
        "yes",
        "No",
        "ON",
        "null",
        "true",
        "False",
        "~",
        "=",
        "<<",
    ],
)
def test_a_text_that_a_reader_of_yaml_may_take_for_another_type_is_in_quotes(text):
    assert scalar(text) == f'"{text}"'
    assert list(block_lines((Line("version", text),), 0)) == [f'- version: "{text}"']


@pytest.mark.parametrize("text", ["0.9.1", "v1", "2026-01-01-nightly", "1.2.3+cu128", "cuda 12.8"])
def test_a_version_that_is_only_a_text_has_no_quotes(text):
    assert scalar(text) == text


def test_the_day_of_a_piece_stands_as_in_a_fiche():
    assert list(block_lines((Line("date", "2026-01-01"),), 0)) == ["- date: 2026-01-01"]
    assert list(block_lines((Line("date", "yes"),), 0)) == ['- date: "yes"']


@given(st.text(max_size=40))
def test_a_text_is_quoted_where_it_must_be(text):
    """Control characters are refused by the loader; every other text comes back as it was."""
    line = f"a: [{scalar(text)}]\n"
    refused = codes(tree, line)
    assert refused <= {"F102"}
    if not refused:
        assert tree(line) == {"a": [text]}


# --- Any layout -----------------------------------------------------------------------------------

BLANKS = st.lists(st.sampled_from(["", "# note", "  # deeper", "    # deepest"]), max_size=3)
SCALARS = st.sampled_from(
    ["1", "text", "'it''s'", '"a: b"', "two words", "{a: 1, b: [x, y]}", "[]", "2.10"]
)
BLOCKS = st.sampled_from(["|", "|-", "|+", ">", ">-", ">+"])


@st.composite
def values(draw, indent):
    """A value behind a colon: on its line, or as a block scalar, a mapping or a list below it."""
    pad = " " * indent
    kind = draw(st.integers(0, 4))
    if kind == 0:
        lines = draw(
            st.lists(
                st.sampled_from(["text", "more: of it", "# no comment", ""]), min_size=1, max_size=3
            )
        )
        body = "".join(f"{pad}  {line}\n" if line else "\n" for line in ["first", *lines])
        return f" {draw(BLOCKS)}\n{body}"
    if kind == 1:
        return f"\n{pad}  key: {draw(SCALARS)}\n{pad}  other: {draw(SCALARS)}  # c\n"
    if kind == 2:
        return f"\n{pad}  - {draw(SCALARS)}\n{pad}  - {draw(SCALARS)}\n"
    return f" {draw(SCALARS)}{draw(st.sampled_from(['', '  # note', ' ']))}\n"


@st.composite
def piece_lists(draw):
    kind = draw(st.sampled_from(["none", "empty", "flow", "lines", "block", "block"]))
    if kind == "none":
        return ""
    if kind == "empty":
        return "pieces: " + draw(st.sampled_from(["[]", "[ ]", "[  # none\n  ]"])) + "\n"
    comma = draw(st.sampled_from(["", ",", " , "]))
    if kind == "flow":
        return f"pieces: [{{id: a}}, {{id: b}}{comma}]  # c\n"
    if kind == "lines":
        close = draw(st.sampled_from(["", "  "]))
        return f"pieces: [\n  {{id: a}}, # c\n  {{id: b}}{comma}  # d, e\n{close}]\n"
    indent = draw(st.sampled_from([0, 1, 2, 4]))
    pad = " " * indent
    text = "pieces:\n"
    for name in draw(st.sampled_from([["a"], ["a", "b"]])):
        text += f"{pad}- id: {name}\n{pad}  file:{draw(values(indent + 2))}"
        text += "".join(f"{line}\n" for line in draw(BLANKS))
    return text


@st.composite
def texts(draw):
    """Fiches in many layouts: keys in any order, comments anywhere, LF or CR LF, with or without an end."""
    sections = [f"{key}:{draw(values(0))}" for key in ("fiche", "workload", "margin", "zeta")]
    found = draw(piece_lists())
    sections = draw(st.permutations([*sections, found] if found else sections))
    parts = []
    for section in sections:
        parts += [f"{line}\n" for line in draw(BLANKS)] + [section]
    text = draw(st.sampled_from(["", "---\n", "# top\n"])) + "".join(parts)
    text = text if draw(st.booleans()) else text.rstrip("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(max_examples=400, deadline=None)
@given(texts(), st.integers(1, 2))
def test_any_layout_keeps_everything_else(text, count):
    if codes(tree, text):
        return  # a comment inside brackets at a place that YAML does not take: no valid fiche
    refused = codes(added, text, count)
    if refused:
        assert refused == {"F481"}
        assert not text.endswith("\n")  # only then may a line end change what the last line says
        return
    new = check(text, count)
    characters = iter(new)
    assert all(character in characters for character in text)
    if "pieces: [" not in text:
        assert around(text, new) == len(text)
    assert new.count("\r\n") == (new.count("\n") if "\r\n" in text else 0)
