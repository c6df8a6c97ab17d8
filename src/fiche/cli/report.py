"""`fiche report`: one decision as HTML, PDF, JSON, CSV, Markdown and a crate, into a new folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer

_Formats = Annotated[
    str,
    typer.Option(
        "--formats", metavar="NAMES", help="which files: html, pdf, json, csv, md, crate, by comma"
    ),
]

_Review = Annotated[
    Path | None,
    typer.Option("--review", metavar="FILE", help="comments of people (YAML): docs/review.md"),
]


def report(
    fiche: Annotated[Path, typer.Argument(metavar="FICHE", help="the workload fiche (YAML)")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="a new folder to write into")
    ],
    formats: _Formats = "html,pdf,json",
    language: Annotated[
        str,
        typer.Option(
            "--language", metavar="TAG", help="en, fr, pt, tr: over the one that the fiche states"
        ),
    ] = "",
    annex: Annotated[
        bool, typer.Option("--annex", help="print in the PDF all that stands behind the answer")
    ] = False,
    review: _Review = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="say DRAFT on every page: not to be signed")
    ] = False,
    verapdf: Annotated[
        str, typer.Option("--verapdf", metavar="PATH", help="validate the PDF with this veraPDF")
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="replace the files of an earlier report there")
    ] = False,
    require_retained: Annotated[
        bool, typer.Option("--require-retained", help="exit with 3 if no candidate is retained")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="print names and digests of what was written")
    ] = False,
) -> None:
    """Compile a fiche into a decision report."""
    from fiche.cli.compile import compile_fiche
    from fiche.cli.reports import Asked, files, parse_formats, refuse_existing, told, write
    from fiche.cli.validation import met, validate, validator

    wanted = Asked(formats=parse_formats(formats), language=language, annex=annex, draft=draft)
    program = validator(verapdf, wanted.formats)
    refuse_existing(output, force=force)
    compiled = compile_fiche(fiche, review)
    written = files(compiled, wanted)
    judged = validate(written, program)
    write(output, written, force=force)
    told(output, written, judged, as_json=json)
    if not met(judged):
        raise SystemExit(3)
    if require_retained and not any(o.status == "retained" for o in compiled.decision.outcomes):
        raise SystemExit(3)
