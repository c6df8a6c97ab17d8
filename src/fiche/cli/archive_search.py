"""`fiche archive search`: every row that an archive has of a model, a card, an outcome, an amount."""

from __future__ import annotations

from typing import Annotated, Any

from fiche.cli.archive_options import Archive, Json, Named
from fiche.cli.deferred import typer


def _many(metavar: str, help: str) -> Any:  # noqa: ANN401 - as typer has it
    return typer.Option(metavar=metavar, help=f"{help}; repeatable")


def _one(metavar: str, help: str, *names: str) -> Any:  # noqa: ANN401 - as typer has it
    return typer.Option(*names, metavar=metavar, help=help)


_Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="WORD", help="in any text of a row or of its entry; all of them"),
]
_Part = Annotated[list[str] | None, _many("PART", "part of its name")]
_Card = Annotated[list[str] | None, _many("PART", "part of a catalog's id, or of a printed name")]
_Begin = Annotated[list[str] | None, _many("TEXT", "how it begins")]
_Outcome = Annotated[list[str] | None, _many("WORD", "passed, failed, unknown, or a verdict")]
_Verdict = Annotated[list[str] | None, _many("WORD", "admissible, 'to confirm' or exclude")]
_Kind = Annotated[
    list[str] | None, _many("KIND", "record, piece, fiche, catalog, policy or decision")
]
_Label = Annotated[list[str] | None, _many("NAME=PART", "one of the labels")]
_Rights = Annotated[list[str] | None, _many("PART", "part of the rights")]
_Word = Annotated[list[str] | None, _many("WORD", "public, internal or confidential")]
_Min = Annotated[str | None, _one("AMOUNT", "at least, with its unit: '16 GiB'")]
_Max = Annotated[str | None, _one("AMOUNT", "at most, with its unit")]
_From = Annotated[str | None, _one("DAY", "dated that day or later", "--from")]
_Until = Annotated[str | None, _one("DAY", "dated that day or earlier")]
_Digest = Annotated[str | None, _one("SHA256", "of any file, or how it begins")]
_Superseded = Annotated[bool, typer.Option("--superseded", help="only what a later entry replaces")]
_Current = Annotated[bool, typer.Option("--current", help="only what no later entry replaces")]
_Sort = Annotated[str, _one("NAME", "date, added, amount, model, card, engine; -NAME backwards")]
_Limit = Annotated[str | None, _one("N", "rows shown [20]; 0 is all, as --csv and --ids show")]
_Csv = Annotated[bool, typer.Option("--csv", help="one line a row")]
_Ids = Annotated[bool, typer.Option("--ids", help="the ids of all entries found, a line each")]


def search(
    words: _Words = None,
    model: _Part = None,
    card: _Card = None,
    engine: _Part = None,
    engine_version: _Begin = None,
    revision: _Begin = None,
    machine: _Part = None,
    case: _Part = None,
    candidate: _Part = None,
    phase: _Part = None,
    quantity: _Part = None,
    outcome: _Outcome = None,
    verdict: _Verdict = None,
    min: _Min = None,
    max: _Max = None,
    kind: _Kind = None,
    since: _From = None,
    until: _Until = None,
    digest: _Digest = None,
    label: _Label = None,
    rights: _Rights = None,
    confidentiality: _Word = None,
    superseded: _Superseded = False,
    current: _Current = False,
    sort: _Sort = "date",
    limit: _Limit = None,
    archive: Archive = None,
    index: Named = None,
    json: Json = False,
    csv: _Csv = False,
    ids: _Ids = False,
) -> None:
    """Search an archive. All that is asked for must hold; small and capital letters are the same.

    A part is found anywhere in a name; =NAME is the whole of it, and = alone what is not told.
    """
    told = dict(locals())
    from fiche.cli.archive_searched import searched

    searched(told)
