"""A command whose options arrive as they are typed: text, paths and switches need no validator.

typer builds a pydantic validator for every value, and importing pydantic costs more than a whole
`fiche check`. The few simple types here are converted by calling them; any other type, and any typer
that has no such door, keeps its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand, TyperGroup

from fiche.cli.plain_words import SIMPLE


class PlainCommand(TyperCommand):
    """A typer command that converts text, paths and switches itself."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer brings its own context
        """Its parameters and `--help`, each with a plain conversion where one is enough."""
        return [_plainly(parameter) for parameter in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """A group whose own options (`--version`, `--help`, completion) need no validator either."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer brings its own context
        """As for a command."""
        return [_plainly(parameter) for parameter in super().get_params(ctx)]


class _AsTyped:
    """Stands where typer would put a validator."""

    def __init__(self, convert: Callable[[Any], Any], *, many: bool) -> None:
        self._convert = convert
        self._many = many

    def coerce(self, value: Any, param: object, ctx: object) -> Any:  # noqa: ANN401 - any option
        """The value as the command wants it; None where the option was not given."""
        if self._many:
            return [self._convert(each) for each in value or ()]
        return None if value is None else self._convert(value)


def _plainly(parameter: Any) -> Any:  # noqa: ANN401 - typer's parameters are its own
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None or not hasattr(parameter, "get_runtime_param"):
        return parameter
    many = bool(parameter.multiple or parameter.nargs == -1)
    kind = descriptor.annotation
    simple = SIMPLE.get(getattr(kind, "__args__", (None,))[0] if many else kind)
    if simple is not None and descriptor.parameter_info.parser is None:
        converter = _AsTyped(simple, many=many)
        parameter.get_runtime_param = lambda: converter
    if parameter.param_type_name == "argument":  # its help says what it is: no type of Python
        parameter.display_type_rich = lambda ctx: None
    return parameter
