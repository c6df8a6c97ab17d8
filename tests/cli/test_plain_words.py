"""Plain words of a command line are read as typer's parser reads them, from the same declarations."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Annotated, get_type_hints

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.cli import plain_words
from fiche.cli.deferred import real
from fiche.cli.deferred import typer as deferred
from fiche.cli.named import COMMANDS, OF_ARCHIVE, archive_command_named, command_named
from fiche.cli.plain import PlainCommand
from fiche.cli.plain_words import values_of

ROOT = Path(__file__).parents[2]
EVERY = {
    **{name: command_named(name) for name in COMMANDS},
    **{f"archive {name}": archive_command_named(name) for name in OF_ARCHIVE},
}
# Those that take all their parameters together, from typer's context, or bound their numbers.
TYPED = {"estimate", "simulate", "measure"}


def by_typer(command, words):
    """What typer calls the command with, or None where it refuses the words."""
    kept = {}

    def called(**values):
        kept.update(values)

    called.__signature__ = inspect.signature(command)
    called.__annotations__ = get_type_hints(command, include_extras=True)
    app = typer.Typer(rich_markup_mode=None)
    app.command("it", cls=PlainCommand)(real(called))
    app.command("other")(lambda: None)
    try:
        app(["it", *words], standalone_mode=False)
    except typer.BadParameter.__bases__[0]:
        return None
    return kept


def words_of(command):
    """Command lines of a command: its own options, and words that are nothing."""
    spelt = [word for each in plain_words._parameters(command) or () for word in each.words]
    text = st.sampled_from(
        ["a", "b.yaml", "", "x=y", "--", "-", "-x", "--nowhere", "é", "a b", "1"]
    )
    option = st.sampled_from(spelt) if spelt else text
    joined = st.tuples(option, text).map("=".join)
    return st.lists(st.one_of(text, option, option, joined), max_size=8)


@pytest.mark.parametrize("name", sorted(EVERY.keys() - TYPED))
@settings(max_examples=40)
@given(words=st.data())
def test_what_is_read_here_is_read_by_typer_to_the_same_values(name, words):
    command = EVERY[name]
    words = words.draw(words_of(command))
    values = values_of(command, words)
    if values is not None:
        assert values == by_typer(command, words)


PLAIN = [
    ("check", ["f.yaml", "--json"]),
    ("report", ["f.yaml", "-o", "out", "--formats=html,json", "--force"]),
    ("report", ["-o", "out", "f.yaml", "--language", "fr"]),
    ("explain", ["f.yaml", "decode.weights"]),
    ("verify", ["report.pdf"]),
    ("archive add", ["a.json", "b.json", "--archive", "kept", "--label", "a=b", "--label", "c=d"]),
    ("archive search", ["llama", "--json"]),
]


@pytest.mark.parametrize(("name", "words"), PLAIN)
def test_a_usual_command_line_is_plain(name, words):
    values = values_of(EVERY[name], words)
    assert values is not None
    assert values == by_typer(EVERY[name], words)


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        [],
        ["f.yaml", "g.yaml"],
        ["f.yaml", "--jso"],
        ["f.yaml", "--json=yes"],
        ["f.yaml", "--review"],
        ["f.yaml", "--review", "--json"],
        ["f.yaml", "--review", "a", "--review", "b"],
        ["--", "f.yaml"],
        ["f.yaml", "-"],
        ["f.yaml", "-j"],
        [""],
    ],
)
def test_what_leaves_a_question_is_for_typer(words):
    assert values_of(EVERY["check"], words) is None


def test_where_patterns_are_expanded_all_words_are_for_typer(monkeypatch):
    monkeypatch.setattr(plain_words.os, "name", "nt")
    assert values_of(EVERY["check"], ["f.yaml"]) is None


@pytest.mark.parametrize("name", sorted(TYPED))
def test_a_command_that_takes_its_parameters_from_a_context_is_for_typer(name):
    assert values_of(EVERY[name], ["--json"]) is None


def test_a_command_with_a_switch_of_two_words_or_a_number_reads_the_others_here():
    def counted(count=2, switch=False):
        pass

    counted.__annotations__ = {
        "count": Annotated[int, deferred.Option("--count")],
        "switch": Annotated[bool, deferred.Option()],
    }
    assert values_of(counted, []) == {"count": 2, "switch": False}
    assert values_of(counted, ["--count", "3"]) is None
    assert values_of(counted, ["--switch"]) is None


@pytest.mark.parametrize("told", [{"envvar": "WORD"}, {"min": 1}, {"callback": print}])
def test_an_option_that_typer_does_more_for_leaves_its_command_to_typer(told):
    def command(word=""):
        pass

    command.__annotations__ = {"word": Annotated[str, deferred.Option("--word", **told)]}
    assert values_of(command, []) is None


def test_a_plain_command_line_never_imports_typer():
    code = (
        "import sys; sys.argv = ['fiche', *sys.argv[1:]]\n"
        "from fiche.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print(sorted({'typer', 'click'} & set(sys.modules)), file=sys.stderr)"
    )
    words = ["check", str(ROOT / "samples/serving/fiche.yaml")]
    ended = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    assert ended.stdout
    assert ended.stderr == "[]\n"
