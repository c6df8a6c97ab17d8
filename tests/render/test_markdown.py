"""report.md: what is signed, short enough for a comment, and inert where it is pasted (law 7)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as some
from render.pages import NAMES, decision, sha256

from fiche.kernel.record import replace
from fiche.render.json import decision_bytes
from fiche.render.markdown import MOST, _code, inline, markdown_bytes, plain
from fiche.report.parts import Cell, Code, Column, Quoted, Row, Section, Table, Words
from fiche.report.view import view

CUT = "cut: {n}"


def told(name):
    made = decision(name)
    return markdown_bytes(view(made), sha256(decision_bytes(made)), CUT).decode()


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_comes_first_and_the_digest_is_there(name):
    text = told(name)
    made = decision(name)
    assert text.startswith("# ")
    assert sha256(decision_bytes(made)) in text
    first = text.index("\n## ")
    assert text.index("Does this complete load fit") < text.index("\n| --- |")
    assert first > 0
    assert len(text) <= MOST
    for outcome in made.outcomes[:8]:
        assert plain(outcome.candidate.id) in text or outcome.candidate.id in text


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_a_table_has_the_cells_of_its_heading(name):
    lines = told(name).split("\n")
    for place, line in enumerate(lines):
        if re.fullmatch(r"\|(?: -+:? \|)+", line):
            count = line.count("|")
            rows = [lines[place - 1]]
            for below in lines[place + 1 :]:
                if not below.startswith("|"):
                    break
                rows.append(below)
            assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {count}


def test_hostile_text_does_nothing():
    text = told("hostile")
    spans = re.sub(r"(`+)(?:(?!\1).)*\1", "", text)
    assert not re.search(r"(?<!\\)<(?!br>|!-- -->)", spans)
    assert not re.search(r"(?<![\\!])!\[|(?<!\\)\[", spans)
    assert not re.search(r"@\w|https?:[^<\s]", spans)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b\ufeff]", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", r"a\|b"),
        ("`x`", r"\`x\`"),
        ("<details><summary>", r"\<details\>\<summary\>"),
        ("![x](y)", r"\!\[x\](y)"),
        ("@octocat", "@<!-- -->octocat"),
        ("#12", r"\#<!-- -->12"),
        ("GH-12", "GH-<!-- -->12"),
        ("see https://a.example", "see https:<!-- -->//a.example"),
        ("www.a.example", "www.<!-- -->a.example"),
        (":smile:", ":<!-- -->smile:"),
        ("$x$", r"\$x\$"),
        ("0e9e39f249a16976", "0e9e39<!-- -->f249a16976"),
        ("a\nb", "a b"),
        ("at 12:30, 1 234 567", "at 12:30, 1 234 567"),
    ],
)
def test_a_text_is_only_itself(text, shown):
    assert plain(text) == shown


@given(some.text())
def test_no_sign_of_markdown_is_left(text):
    shown = plain(text).replace("<!-- -->", "")
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>|~]", shown.replace("\\\\", ""))
    assert "\n" not in shown


@given(some.text(alphabet="`a| ", min_size=1))
def test_a_code_span_ends_where_it_should(text):
    span = _code(text).replace("\\|", "|")
    fence = re.match("`+", span)[0]
    assert span.endswith(fence)
    inner = span[len(fence) : -len(fence)]
    assert all(len(run) < len(fence) for run in re.findall("`+", inner))


def test_strong_words_keep_their_blanks_outside():
    assert inline((Words("a "), Quoted(" b ", strong=True), Code("c"))) == "a  **b** `c`"


def test_what_is_too_long_is_cut_at_a_block_and_counted():
    report = view(decision("rich"))
    cell = Cell(lines=((Words("x" * 1000),),))
    table = Table(
        id="t",
        caption="c",
        columns=(Column(title="h"),),
        rows=tuple(Row(cells=(cell,)) for _ in range(20)),
    )
    many = Section(id="long", title="Long", blocks=(table,) * 10)
    long = replace(report, sections=(*report.sections, many))
    text = markdown_bytes(long, "0" * 64, CUT).decode()
    assert len(text) <= MOST
    last = text.rstrip("\n").split("\n\n")[-1]
    assert re.fullmatch(r"cut: \d+", last)
    assert not text.split("\n\n")[-2].startswith("#")
