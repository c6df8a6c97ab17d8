"""Every command of fiche with its arguments and options, as `--help` says them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

Parameter = Any  # typer and click have their own, and fiche has either

SHOWN_BY_TYPER = {"--install-completion", "--show-completion", "--help"}
HEAD = "| {0} | required | meaning | where left out |\n| --- | --- | --- | --- |"


def commands() -> str:
    """The page below its introduction."""
    # Where the document is written does not choose its words.
    import typer

    from fiche.cli.main import app

    return "\n".join(_command(typer.main.get_command(app), "fiche"))


def _command(command: Parameter, path: str) -> Iterator[str]:
    yield f"## `{path}`\n"
    yield cleandoc(command.help or "") + "\n"
    yield f"    {' '.join(_usage(command, path))}\n"
    inner = getattr(command, "commands", None) or {}
    for kind, word in (("argument", "argument"), ("option", "option")):
        rows = [one for one in command.params if one.param_type_name == kind and _shown(one)]
        if rows:
            yield HEAD.format(word)
            yield from (_row(one) for one in rows)
            yield ""
    if inner:
        yield "| command | what it does |\n| --- | --- |"
        for name, one in inner.items():
            heading = f"{path} {name}"
            yield f"| [`{heading}`](#{heading.replace(' ', '-')}) | {_first(one)} |"
        yield ""
    for name, one in inner.items():
        yield from _command(one, f"{path} {name}")


def _first(command: Parameter) -> str:
    return _cell(cleandoc(command.help or "").split("\n\n")[0])


def _shown(parameter: Parameter) -> bool:
    hidden = getattr(parameter, "hidden", False)
    return not hidden and not SHOWN_BY_TYPER & set(getattr(parameter, "opts", ()))


def _usage(command: Parameter, path: str) -> Iterator[str]:
    yield path
    if any(one.param_type_name == "option" and _shown(one) for one in command.params):
        yield "[OPTIONS]"
    for one in command.params:
        if one.param_type_name == "argument":
            name = _metavar(one)
            many = "..." if one.nargs == -1 else ""
            yield (name if one.required else f"[{name}]") + many
    if getattr(command, "commands", None):
        yield "COMMAND"


def _metavar(parameter: Parameter) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _row(parameter: Parameter) -> str:
    names = (*parameter.opts, *parameter.secondary_opts)
    if parameter.param_type_name == "argument":
        shown = f"`{_metavar(parameter)}`"
    else:
        shown = ", ".join(f"`{name}`" for name in names)
        if not getattr(parameter, "is_flag", False):
            shown += f" `{_metavar(parameter)}`"
    many = (
        "; may be given again"
        if parameter.multiple and not re.search("again|repeatable", parameter.help or "")
        else ""
    )
    cells = (
        shown,
        "yes" if parameter.required else "–",
        _cell(parameter.help or "–") + many,
        _default(parameter),
    )
    return "| " + " | ".join(cells) + " |"


def _default(parameter: Parameter) -> str:
    value = parameter.default
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return _cell(shown)
    if value in (None, False, "", (), []) or callable(value) or parameter.required:
        return "–"
    return f"`{value}`"


def _cell(text: str) -> str:
    """One cell of a table: `org/model`, {braces} and |bars| stay what they are."""
    return re.sub(r"([|<])", r"\\\1", " ".join(text.split()))


if __name__ == "__main__":
    sys.stdout.write(commands())
