"""`typer` for modules that only declare options with it: importing it waits until its parser is needed.

A command says what it takes with `typer.Option` and `typer.Argument`, as any program of typer does. Most
command lines are plain enough to be read from these declarations alone (`fiche.cli.plain_words`), and then
typer's parser, a third of what a short command takes, is never imported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from fiche.kernel.record import record

__all__ = ["Declared", "real", "typer"]


@record(eq=False)
class Declared:
    """An option or an argument as a command declares it: its words, and what else typer is told of it."""

    kind: str
    words: tuple[str, ...]
    told: Mapping[str, Any]


def _declared(kind: str, *words: str, **told: Any) -> Declared:  # noqa: ANN401 - what typer takes
    return Declared(kind=kind, words=words, told=told)


class _Deferred:
    """Declares without typer; any other name is typer's own, which is then imported."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever typer has
        if name in ("Option", "Argument"):
            return partial(_declared, name)
        import typer

        return getattr(typer, name)


if TYPE_CHECKING:
    import typer
else:
    typer = _Deferred()


def real(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same command, declared to typer itself."""
    from inspect import signature

    hints = get_type_hints(function, include_extras=True)

    @wraps(function)
    def called(*values: Any, **named: Any) -> Any:  # noqa: ANN401 - as the command
        return function(*values, **named)

    kinds = {name: _real(hint) for name, hint in hints.items()}
    shape = signature(function)
    named = [each.replace(annotation=kinds[each.name]) for each in shape.parameters.values()]
    # What typer reads: the signature made here, not that of the function behind.
    del called.__wrapped__
    called.__annotations__ = kinds
    called.__signature__ = shape.replace(parameters=named)  # type: ignore[attr-defined]
    return called


def _real(hint: Any) -> Any:  # noqa: ANN401 - a type
    import typer

    given: tuple[Any, ...] = getattr(hint, "__metadata__", ())
    if not any(isinstance(each, Declared) for each in given):
        return hint
    made = (
        getattr(typer, each.kind)(*each.words, **each.told) if isinstance(each, Declared) else each
        for each in given
    )
    return Annotated[(hint.__origin__, *made)]
