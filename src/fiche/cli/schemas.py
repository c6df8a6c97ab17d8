"""The JSON Schemas that travel with fiche, by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fiche.assets import schema_dir
from fiche.cli.output import exists, write_file
from fiche.cli.usage import unknown
from fiche.kernel.diagnostic import Refused

SUFFIX = ".schema.json"


def chosen(name: str | None) -> dict[str, bytes]:
    """The bytes of each schema by name, or of the one named.

    Raises:
        Refused: F701 there is no schema of that name.
    """
    files = {path.name.removesuffix(SUFFIX): path for path in schema_dir().glob(f"*{SUFFIX}")}
    if name is not None and name not in files:
        raise Refused([unknown("schema", name, sorted(files))])
    return {each: files[each].read_bytes() for each in sorted(files) if name in (None, each)}


def write_schemas(found: Mapping[str, bytes], folder: Path, *, force: bool) -> None:
    """Write each schema into a folder under its own file name.

    Raises:
        Refused: F610 one of them is there and `force` is False, F611 it cannot be written.
    """
    paths = [folder / f"{name}{SUFFIX}" for name in found]
    there = [path for path in paths if path.exists() and not force]
    if there:  # all or none: said before the first one is written
        raise Refused([exists(path) for path in there])
    for name, content in found.items():
        write_file(folder / f"{name}{SUFFIX}", content, force=force)


def list_text(found: Mapping[str, bytes], folder: Path | None) -> str:
    """One line a schema: its name and title, or the file it was written to."""
    import json

    if folder is not None:
        return "".join(f"{folder / name}{SUFFIX}\n" for name in found)
    titles = {name: json.loads(content).get("title", "") for name, content in found.items()}
    column = max(map(len, titles), default=0)
    return "".join(f"{name:<{column}}  {title}\n" for name, title in titles.items())
