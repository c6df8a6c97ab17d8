"""One entry in full, as its bag has it; only what replaces it is known to the index alone."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from fiche.archive.document import document
from fiche.archive.entry import Entry, Kept
from fiche.archive.identity import bag_path
from fiche.archive.index_found import Statement
from fiche.archive.refusals import refused
from fiche.archive.store import Store, folder_of, is_remote
from fiche.cli.archive_indexed import indexed, say
from fiche.cli.archive_links_text import statement_json, statement_text
from fiche.cli.archive_options import opened
from fiche.cli.archive_search_text import about, count, rows_table, said
from fiche.cli.output import write_file
from fiche.cli.terminal import clean, paragraph, put_bytes, put_json, put_text, table
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused
from fiche.report.numbers import exact

FORMAT = "fiche-archive-shown/1"
_MOST_ROWS = 200


def show_entry(id: str, archive: str | None, index: str | None, *, as_json: bool) -> None:
    """Print an entry.

    Raises:
        Refused: F932 there is none; F955 several begin so; what keeps the archive from answering.
    """
    store = opened(archive)
    found = indexed(store, index)
    entry = store.entry(found.id_of(id))
    replacing, said_of_others = found.superseding(entry.id), found.statements(entry.id)
    say(found)
    if as_json:
        shown = {"format": FORMAT, "archive": store.where, "place": place_of(store, entry)}
        links = {
            "supersedes": [statement_json(one) for one in said_of_others],
            "superseded_by": list(replacing),
        }
        put_json({**shown, **links, "entry": document(entry)})
    else:
        put_text("".join(_text(entry, store, replacing, said_of_others)))


def write_content(
    id: str,
    path: str | None,
    output: Path | None,
    archive: str | None,
    index: str | None,
    *,
    force: bool,
) -> None:
    """Write a file of an entry, as its digest says that it was.

    Raises:
        Refused: F932 there is no such entry; F955 several begin so; F956 it has no such file; F933 the bytes
            have changed; F610, F611 the output.
    """
    if path is None:
        raise Refused([together("-o writes one file of the entry", "name it with --file PATH")])
    store = opened(archive)
    found = indexed(store, index)
    entry = store.entry(found.id_of(id))
    say(found)
    content = store.content(entry.id, _kept(entry, path).path)
    if output is None:
        put_bytes(content)
    else:
        write_file(output, content, force=force)


def _kept(entry: Entry, path: str) -> Kept:
    """The file of a path; by the name that it had, too."""
    found = [one for one in entry.files if path in (one.path, f"data/{one.path}")]
    found = found or [one for one in entry.files if path == one.name]
    if len(found) == 1:
        return found[0]
    known = ", ".join(said(one.path) for one in entry.files[:8])
    more = ", …" if len(entry.files) > 8 else ""
    message = f"{entry.id[:8]} has no file '{path[:80]}'"
    raise refused("F956", message, f"its files: {known}{more}")


def place_of(store: Store, entry: Entry) -> str:
    """Where the bag lies: a folder, or a URL."""
    path = bag_path(entry.id)
    if is_remote(store.where):
        return f"{store.where.rstrip('/')}/{path}"
    return str(folder_of(store.where) / path)


def _text(
    entry: Entry, store: Store, replacing: Sequence[str], said_of_others: Sequence[Statement]
) -> Iterator[str]:
    yield paragraph(f"{entry.kind}: {said(entry.title)}")
    yield table(list(_facts(entry, replacing, said_of_others)), indent="  ", whole=(0,))
    # A path is copied: it is not torn.
    yield f"  lies in          {clean(place_of(store, entry))}\n"
    yield f"\n{count(len(entry.files), 'file')}\n"
    for one in entry.files:
        yield _file(one)
    yield f"\n{count(len(entry.rows), 'row')}\n"
    for told, rows in groupby(entry.rows[:_MOST_ROWS], key=about):
        yield paragraph(told, indent="  ") if told else ""
        yield rows_table(list(rows))
    if len(entry.rows) > _MOST_ROWS:
        yield paragraph(f"… {len(entry.rows) - _MOST_ROWS} more: --json has all", indent="  ")
    yield "\nas a piece of a fiche\n"
    yield from (f"  {line}\n" for line in _cited(entry, store))


def _facts(
    entry: Entry, replacing: Sequence[str], said_of_others: Sequence[Statement]
) -> Iterator[tuple[str, str]]:
    labels = ", ".join(f"{said(name)}={said(text)}" for name, text in entry.labels.items())
    told = {
        "id": entry.id,
        "its own id": said(entry.own_id),
        "identifier": said(entry.identifier),
        "date": said(entry.date) or "none is told",
        "added": said(entry.added),
        "format": said(entry.format),
        "written by": said(entry.tool_version),
        "author": said(entry.author),
        "source": said(entry.source),
        "supersedes": "; ".join(map(statement_text, said_of_others)),
        "superseded by": ", ".join(replacing),
        "keep until": said(entry.keep_until) or "no day is set",
        "confidentiality": entry.confidentiality or "not told",
        "rights": said(entry.rights) or "not told",
        "labels": labels,
    }
    return ((name, text) for name, text in told.items() if text)


def _file(one: Kept) -> str:
    called = f", called {said(one.name)}" if one.name and one.name != one.path else ""
    kind = f", {said(one.media_type)}" if one.media_type else ""
    own = paragraph(f"{said(one.path)}  {exact(one.num_bytes)} B{kind}{called}", indent="  ")
    return own + f"    sha256 {one.sha256}\n"


def _cited(entry: Entry, store: Store) -> Iterator[str]:
    """How a fiche names the file: a copy of it, by the digest that says whether it is still the same."""
    (main,) = (one for one in entry.files if one.path == entry.main)
    name = said(main.path.rpartition("/")[2])
    if entry.kind in ("record", "piece"):
        where = shlex.quote(clean(store.where))
        yield f"fiche import archive:{entry.id} --archive {where} --to fiche.yaml"
    yield (
        f"fiche archive show {entry.id} --archive {shlex.quote(clean(store.where))}"
        f" --file {shlex.quote(said(main.path))} -o evidence/{shlex.quote(name)}"
    )
    file = json.dumps(f"evidence/{name}")
    yield f"- {{id: {entry.kind}-{entry.id[:8]}, file: {file}, sha256: {main.sha256}}}"
