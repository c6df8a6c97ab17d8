"""YAML as events: places, raw text, and nothing that hides or repeats a value (law 3)."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fiche.kernel.diagnostic import Refused
from fiche.load.node import Mapping, Scalar, Sequence, plain_value
from fiche.load.source import Source, source
from fiche.load.tree import parse


def tree(text):
    return parse(source("a.yaml", text.encode()))


def unchecked(text):
    """The source of a text with line ends that `source` refuses."""
    starts = (0, *(match.end() for match in re.finditer("\n", text)))
    return Source("a.yaml", text.encode(), text, starts)


def refused(text, read=tree):
    with pytest.raises(Refused) as caught:
        read(text)
    return [(d.code, d.address.line, d.address.column) for d in caught.value.diagnostics]


@pytest.fixture(params=["C parser", "Python parser"])
def parser(request, monkeypatch):
    """Where PyYAML was built without libyaml, everything must read the same."""
    if request.param == "Python parser":
        monkeypatch.delattr(yaml, "CSafeLoader")


@pytest.mark.usefixtures("parser")
def test_values_keep_their_text_and_place():
    root = tree("a: 2.10\nb:\n  - {c: 'x: y', d: é}\n")
    assert root.scalar("a").text == "2.10"
    inner = root.items("b")[0]
    assert [str(inner.scalar(key).span) for key in "cd"] == ["a.yaml:3:9", "a.yaml:3:20"]
    assert str(inner.entries["d"].key.span) == "a.yaml:3:17"
    assert inner.text("c") == "x: y"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no", "str"),
        ("on", "str"),
        ("12:30", "str"),
        ("1_000", "str"),
        ("2026-11-29", "str"),
        ("0x1F", "int"),
        ("0o17", "int"),
        ("017", "int"),
        ("-3", "int"),
        ("2.10", "float"),
        ("1e3", "float"),
        (".inf", "float"),
        ("True", "bool"),
        ("~", "null"),
        ("", "null"),
        ("'1'", "str"),
        ('"true"', "str"),
    ],
)
def test_plain_scalars_follow_the_core_schema_of_yaml_1_2(text, kind):
    """Law 3: no `no` -> False, no `12:30` -> 750."""
    assert tree(f"a: {text}").scalar("a").kind == kind


def test_a_schema_sees_no_float_and_no_number_it_could_round():
    root = tree("a: 1\nb: 2.10\nc: 7e9\nd: 0x10\ne: 012\nf: 12345678901234567890\ng: true\nh:\n")
    assert plain_value(root) == {
        "a": 1,
        "b": "2.10",
        "c": "7e9",
        "d": "0x10",
        "e": "012",
        "f": "12345678901234567890",
        "g": True,
        "h": None,
    }


@pytest.mark.usefixtures("parser")
def test_everything_of_the_stage_is_told_at_once():
    text = "a: 1\na: 2\nb: [1, &x 2, *x]\nc: !!str 3\n? [k]\n: 4\n---\nd: 1\n"
    assert refused(text) == [
        ("F104", 2, 1),
        ("F105", 3, 8),
        ("F105", 3, 14),
        ("F106", 4, 4),
        ("F112", 5, 3),
        ("F107", 7, 1),
    ]


def test_a_second_key_names_the_line_of_the_first():
    with pytest.raises(Refused) as caught:
        tree("x: 0\na: 1\nb: 2\na: 3\n")
    assert "line 2" in caught.value.diagnostics[0].hint


@pytest.mark.usefixtures("parser")
def test_lines_are_counted_by_line_feeds_though_yaml_breaks_elsewhere():
    text = 'a: 1\rb: "\u2028"\r\nc: &x 1\n'
    assert refused(text, lambda text: parse(unchecked(text))) == [("F105", 2, 4)]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("escape", ["\\x07", "\\0", "\\e", "\\u202e"])
def test_an_escape_brings_no_control_character_in(escape):
    """Law 7: a terminal or a report prints this value later."""
    assert refused(f'a: "x{escape}"\n') == [("F102", 1, 4)]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("escape", ["\\ud800", "\\UFFFFFFFF"])
def test_an_escape_that_is_no_character_is_refused(escape):
    (code, line, _), *more = refused(f'a: "x{escape}"\n')
    assert (code in ("F102", "F103"), line, more) == (True, 1, [])


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("text", ["", "# nothing\n", "\n\n"])
def test_nothing_is_no_fiche(text):
    assert refused(text) == [("F108", 1, 1)]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_depth_is_limited(opening):
    deep = opening * 64 + "1"
    deep += {"[": "]", "{a: ": "}", "- ": ""}[opening] * 64
    assert isinstance(tree(deep), Mapping | Sequence)
    assert refused(opening + deep)[0][0] in ("F110", "F103")
    assert refused("- " * 65 + "1")[0][0] == "F110"


def test_a_part_of_a_text_has_its_places_in_the_whole():
    whole = source("a.yaml", b"x: 1\n- id: a\n  k: [1,\n    2]\n")
    part = parse(whole, 5)
    assert str(part.items[0].items("k")[1].span) == "a.yaml:4:5"


scalars = st.text("abc09 é漢'\"\n", max_size=6)
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(scalars, v, max_size=3)
)


def dumped(value, style):
    return yaml.safe_dump(value, allow_unicode=True, default_flow_style=style)


def texts(node):
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [texts(item) for item in node.items]
    return {key: texts(entry.value) for key, entry in node.entries.items()}


@given(values, st.sampled_from([True, False]), st.booleans())
def test_what_is_dumped_is_read_back_word_for_word(value, style, pure):
    text = dumped(value, style)
    with pytest.MonkeyPatch.context() as patch:
        if pure:
            patch.delattr(yaml, "CSafeLoader", raising=False)
        assert texts(tree(text)) == value


def outcome(text, pure):
    """The tree with its places, or None where it is refused."""
    with pytest.MonkeyPatch.context() as patch:
        if pure:
            patch.delattr(yaml, "CSafeLoader", raising=False)
        try:
            return placed(parse(unchecked(text)))
        except Refused:
            return None


def placed(node):
    if isinstance(node, Scalar):
        return (node.text, node.kind, str(node.span))
    if isinstance(node, Sequence):
        return [placed(item) for item in node.items]
    return {key: (str(e.key.span), placed(e.value)) for key, e in node.entries.items()}


@given(st.text("ab: -[]{},'\"#|>\n\té\u2028", max_size=30))
def test_both_parsers_read_the_same_or_refuse(text):
    """The Python parser reads a little more than libyaml; what both read is the same, in place."""
    fast, slow = outcome(text, pure=False), outcome(text, pure=True)
    assert fast is None or slow is None or fast == slow
