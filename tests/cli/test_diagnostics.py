"""Diagnostics as text: place, code, the line with a caret under the characters meant, a hint (law 4)."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loading import Importers

from fiche.cli.diagnostics import LONGEST_LINE, MOST_SHOWN, diagnostics_text, put_refused
from fiche.kernel.address import Pointer, Span
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.load.fiche import load_fiche


def diagnostic(line=2, column=5, *, text="24G", file="chat.yaml", **parts):
    told = {"code": "F203", "message": "unknown unit 'G'", "hint": "write 24 GB"} | parts
    span = Span(file=file, line=line, column=column, text=text)
    return Diagnostic(address=span, length=len(text), **told)


def shown(content, *diagnostics, folder, **options):
    if isinstance(content, str):
        content = content.encode()
    (folder / "chat.yaml").write_bytes(content)
    return diagnostics_text(diagnostics, str(folder), **options)


def test_the_caret_stands_under_the_very_characters(tmp_path):
    text = shown("a: 1\nb:  24G\n", diagnostic(), folder=tmp_path)
    assert text == (
        f"{tmp_path}/chat.yaml:2:5: F203 unknown unit 'G'\n"
        "    2 | b:  24G\n"
        "      |     ^^^\n"
        "    hint: write 24 GB\n"
    )


@pytest.mark.parametrize(
    ("folder", "name"),
    [("", "chat.yaml"), (".", "chat.yaml"), ("samples/serving", "samples/serving/chat.yaml")],
)
def test_a_file_is_named_as_it_was_typed(folder, name):
    text = diagnostics_text([diagnostic(hint="")], folder)
    assert text == f"{name}:2:5: F203 unknown unit 'G'\n"


def test_a_built_in_file_shows_its_line():
    one = diagnostic(3, 1, file="fiche:policies/neutral.yaml", text="name")
    text = diagnostics_text([one], "somewhere")
    assert text.startswith("fiche:policies/neutral.yaml:3:1: F203")
    assert "    3 | name: neutral\n      | ^^^^\n" in text


@pytest.mark.parametrize(
    ("line", "column", "gap"),
    [("漢字: 24G", 5, 6), ("e\u0301: 24G", 5, 3), ("a:\t24G", 4, 3), ("a\u0085: 24G", 5, 4)],
)
def test_the_caret_counts_columns_of_the_screen(tmp_path, line, column, gap):
    text = shown(f"x\n{line}\n", diagnostic(2, column), folder=tmp_path)
    assert f"      | {' ' * gap}^^^\n" in text


def test_a_byte_order_mark_and_carriage_returns_are_not_shown(tmp_path):
    text = shown("\ufeffa: 24G\r\n", diagnostic(1, 4), folder=tmp_path)
    assert "    1 | a: 24G\n      |    ^^^\n" in text


def test_a_long_line_is_cut_around_the_place(tmp_path):
    line = "a" * 5000 + "24G" + "b" * 5000
    text = shown(line, diagnostic(1, 5001), folder=tmp_path)
    excerpt, caret = text.split("\n")[1:3]
    assert "…" in excerpt
    assert len(excerpt) < LONGEST_LINE + 20
    assert excerpt[caret.index("^") : caret.rindex("^") + 1] == "24G"


def test_a_line_that_is_gone_is_left_out(tmp_path):
    assert "|" not in shown("a: 1", diagnostic(9, 1), folder=tmp_path)


def test_no_address_and_a_piece_have_no_line():
    usage = Diagnostic(code="F702", message="no", address=None)
    piece = Diagnostic(code="F420", message="cut", address=Pointer(sha256="ab" * 32, line=3))
    assert diagnostics_text([usage, piece]) == ("F702 no\nsha256:abababababab#line 3: F420 cut\n")


def test_colour_is_there_only_if_asked(tmp_path):
    assert "\x1b" not in shown("a\nb:  24G", diagnostic(), folder=tmp_path)
    coloured = shown("a\nb:  24G", diagnostic(), folder=tmp_path, colour=True)
    assert "\x1b[31mF203\x1b[0m" in coloured
    assert "\x1b[31m^^^\x1b[0m" in coloured


def test_too_many_are_counted(tmp_path):
    many = [diagnostic() for _ in range(MOST_SHOWN + 7)]
    text = shown("a\nb:  24G", *many, folder=tmp_path)
    assert text.count("F203") == MOST_SHOWN
    assert text.endswith("... and 7 more\n")


hostile = st.text(max_size=30)


@given(hostile, hostile, hostile, st.integers(1, 3), st.integers(1, 40))
def test_nothing_hostile_reaches_a_terminal(tmp_path_factory, line, message, hint, number, column):
    """Law 7: no control character, whatever stands in a fiche."""
    folder = tmp_path_factory.getbasetemp()
    one = diagnostic(number, column, text="xyz", message=message, hint=hint)
    text = shown(line.encode("utf-8", "replace"), one, folder=folder)
    assert not [c for c in text if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0]
    assert not set(text) & set("\u202e\u2066\u200f")
    assert len(text.split("\n")) <= 5


def test_what_cannot_be_seen_is_written_out_in_a_message(tmp_path):
    """`unknown key 'gpu'` with a hidden sign in it would puzzle everybody."""
    one = diagnostic(text="g\u200bpu", message="unknown key 'g\u200bpu'", hint="did you mean gpu?")
    text = shown("a\ng\u200bpu: 24\u2028G", one, folder=tmp_path)
    assert "unknown key 'g‹U+200B›pu'" in text
    assert not set(text) & set("\u200b\u2028")


def test_a_refusal_of_a_fiche_shows_its_own_lines(tmp_path, monkeypatch):
    path = tmp_path / "bad.yaml"
    path.write_text("fiche: 1\ntitle: t\ndate: 3/11/2026\nworkload: {}\ncandidates: []\n")
    with pytest.raises(Refused) as caught:
        load_fiche(path, Importers(()))
    errors = io.StringIO()
    monkeypatch.setattr("sys.stderr", errors)
    put_refused(caught.value)
    assert f"{path}:3:7: F207" in errors.getvalue()
    assert "    3 | date: 3/11/2026\n      |       ^^^^^^^^^\n" in errors.getvalue()
