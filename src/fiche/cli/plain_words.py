"""The words of a command line, read from a command's declarations where they leave no question.

Each option is spelt as it is declared and given once, text, paths and switches alone, and nothing is missing.
All else (help, completion, mistakes, numbers with bounds) is for typer's parser, which reads the same
declarations: what is read here is read there to the same values.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_type_hints

from fiche.cli.deferred import Declared
from fiche.kernel.record import record

# What text, paths and switches are made by; `fiche.cli.plain` converts the same ones for typer.
SIMPLE: dict[Any, Callable[[Any], Any]] = {str: str, bool: bool, Path: Path}
# What may be told of an option without changing how it is read.
_SHOWN = {"metavar", "help", "show_default", "hidden", "rich_help_panel"}


@record(eq=False)
class _Parameter:
    """One parameter of a command; `convert` is None where its words are not for here."""

    name: str
    words: tuple[str, ...]
    convert: Callable[[Any], Any] | None
    is_switch: bool
    takes_many: bool


def values_of(command: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """What the command is called with; None where typer has to read the words.

    Args:
        command: its parameters are declared with `fiche.cli.deferred.typer`.
        words: the command line after the command's name.
    """
    if os.name == "nt":  # where typer's parser expands patterns of file names
        return None
    parameters = _parameters(command)
    if parameters is None:
        return None
    by_word = {word: each for each in parameters for word in each.words}
    given = _options(by_word, words)
    if given is None:
        return None
    options, rest = given
    arguments = _arguments([each for each in parameters if not each.words], rest)
    if arguments is None:
        return None
    return _completed(command, parameters, {**options, **arguments})


def _parameters(command: Callable[..., Any]) -> list[_Parameter] | None:
    hints = get_type_hints(command, include_extras=True)
    code = command.__code__
    if code.co_flags & 0x0C:  # *words, **options: who knows what they stand for
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    made = [_parameter(name, hints.get(name)) for name in names]
    known = [each for each in made if each is not None]
    return known if len(known) == len(made) else None


def _parameter(name: str, hint: Any) -> _Parameter | None:  # noqa: ANN401 - a type
    found = [each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Declared)]
    if len(found) != 1 or not found[0].told.keys() <= _SHOWN:
        return None
    (declared,) = found
    kind, takes_many = _kind(hint.__origin__)
    words = declared.words
    is_option = declared.kind == "Option"
    convert = SIMPLE.get(kind)
    # A switch with no word of its own has a second one, to switch it off.
    unclear = (kind is bool and not words) or any("/" in word for word in words)
    if unclear or (words and not is_option):
        convert = None
    if is_option and not words:
        words = (f"--{name.replace('_', '-')}",)
    return _Parameter(
        name=name,
        words=words,
        convert=convert,
        is_switch=kind is bool,
        takes_many=takes_many,
    )


def _kind(annotated: Any) -> tuple[Any, bool]:  # noqa: ANN401 - a type
    """The type of one value, and whether there may be several."""
    if isinstance(annotated, UnionType):
        kinds = [each for each in annotated.__args__ if each is not NoneType]
        annotated = kinds[0] if len(kinds) == 1 else None
    if getattr(annotated, "__origin__", None) is list:
        return annotated.__args__[0], True
    return annotated, False


def _options(
    by_word: dict[str, _Parameter], words: Sequence[str]
) -> tuple[dict[str, Any], list[str]] | None:
    """The options by name, and the words that are none."""
    options: dict[str, Any] = {}
    rest: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-"):
            rest.append(word)
            continue
        spelt, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        found = by_word.get(spelt)
        if found is None or found.convert is None or (found.is_switch and equals):
            return None
        if found.is_switch:
            text: Any = True
        else:
            text = value if equals else next(waiting, "-")
            if text.startswith("-"):  # no value, or one that looks like an option
                return None
        if found.takes_many:
            options.setdefault(found.name, []).append(found.convert(text))
        elif found.name in options:
            return None
        else:
            options[found.name] = found.convert(text)
    return options, rest


def _arguments(parameters: list[_Parameter], words: list[str]) -> dict[str, Any] | None:
    """The arguments by name, in their order; one that takes many is the last."""
    if any(each.convert is None for each in parameters) or "" in words:
        return None
    if any(each.takes_many for each in parameters[:-1]):
        return None
    given: dict[str, Any] = {}
    for position, each in enumerate(parameters):
        if each.convert is None or position >= len(words):
            break
        if each.takes_many:
            given[each.name] = [each.convert(word) for word in words[position:]]
            return given
        given[each.name] = each.convert(words[position])
    return given if len(words) <= len(parameters) else None


def _completed(
    command: Callable[..., Any], parameters: list[_Parameter], given: dict[str, Any]
) -> dict[str, Any] | None:
    """The values, with what is declared for those not given; None where one must be given."""
    code = command.__code__
    positional = code.co_varnames[: code.co_argcount]
    stated = command.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(stated) :], stated, strict=True))
    defaults |= command.__kwdefaults__ or {}
    values: dict[str, Any] = {}
    for each in parameters:
        if each.name in given:
            values[each.name] = given[each.name]
        elif each.name not in defaults:
            return None
        else:
            values[each.name] = defaults[each.name]
    return values
