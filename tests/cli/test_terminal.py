"""Text for terminals: clean, aligned, wrapped, and coloured only where wanted (law 7)."""

import io

import pytest

from fiche.cli import terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\x00b\x07c\x7fd\x9be", "abcde"),
        ("over\rwritten", "overwritten"),
        ("ab\u202edc", "abdc"),
        ("kept\tand\nkept", "kept\tand\nkept"),
        ("café 重み", "café 重み"),
        ("\ud800", ""),
        ("zero\u200bwidth\u2028and\u00adsoft\ue000", "zerowidthandsoft"),
    ],
)
def test_control_characters_never_reach_a_terminal(text, shown):
    assert terminal.clean(text) == shown


def test_columns_line_up():
    text = terminal.table(
        [("a", "1"), ("long", "22")], header=("name", "n"), right=(1,), columns=40
    )
    assert text == "name   n\n----  --\na      1\nlong  22\n"


def test_wide_characters_take_two_columns():
    text = terminal.table([("重み", "x"), ("ab", "y")], columns=40)
    assert text == "重み  x\nab    y\n"


def test_the_widest_column_wraps_and_nothing_is_lost():
    words = "one two three four five six seven eight nine ten"
    text = terminal.table([("id", words), ("id2", "short")], columns=30)
    assert max(len(line) for line in text.splitlines()) <= 30
    assert " ".join(text.split()) == f"id {words} id2 short"


def test_heads_of_numbers_wrap_to_their_longest_word():
    heads = ("file", "allocated peak (GiB)", "reserved peak (GiB)")
    text = terminal.table([("a-name", "1.00", "2.00")], header=heads, right=(1, 2), columns=28)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 28
    assert [line.split() for line in lines[:2]] == [
        ["file", *["allocated", "reserved"]],
        ["peak"] * 2,
    ]


def test_a_path_that_is_too_long_breaks_at_a_joint():
    path = "/phases/0/devices/0/peak/allocated_bytes"
    lines = terminal.table([("x" * 12, path)], columns=32).splitlines()
    told = [line[14:].strip() for line in lines]
    assert "".join(told) == path
    assert all(part.endswith(("/", "_")) for part in told[:-1])


def test_a_number_stays_with_its_unit():
    cell = "1\N{NO-BREAK SPACE}002.00\N{NO-BREAK SPACE}MiB cuda:0"
    text = terminal.table([("words that can wrap", cell)], columns=20)
    assert text.splitlines()[0].endswith("1 002.00 MiB")
    assert text.isascii()


def test_cells_of_a_table_are_cleaned():
    assert "\x1b" not in terminal.table([("\x1b]0;title\x07", "x")], columns=40)


def test_an_empty_table_is_no_line():
    assert terminal.table([], columns=40) == ""


class Tty(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("variables", "stream", "wanted"),
    [
        ({}, Tty(), True),
        ({"NO_COLOR": "1"}, Tty(), False),
        ({"NO_COLOR": ""}, Tty(), True),
        ({"TERM": "dumb"}, Tty(), False),
        ({}, io.StringIO(), False),
    ],
)
def test_colour_is_for_terminals_that_want_it(monkeypatch, variables, stream, wanted):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", stream)
    assert terminal.colour() is wanted


@pytest.mark.parametrize(("columns", "used"), [("120", 120), ("10", 40)])
def test_the_width_is_the_terminals(monkeypatch, columns, used):
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal.width() == used


def test_a_paragraph_keeps_its_indent_and_its_words():
    text = terminal.paragraph("one two three four", indent="  - ", columns=14)
    assert text == "  - one two\n    three four\n"


def test_json_is_one_object_of_ascii(capsys):
    terminal.put_json({"word": "café"})
    assert capsys.readouterr().out == '{\n  "word": "caf\\u00e9"\n}\n'


def test_messages_go_to_standard_error(capsys):
    terminal.put_message("left out: 1\x1b[0m")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "left out: 1[0m\n")


def test_a_hostile_cell_takes_no_minutes():
    """A column of ten thousand letters is brought to its width at once, and shares it as before."""
    rows = [("a", "w" * 10_000, "v" * 40), ("b", "x", "y")]
    assert "w" * 10 in terminal.table(rows, columns=60)
