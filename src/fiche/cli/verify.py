"""`fiche verify`: a report recomputed from itself alone; what fails, and what is not provable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer

_PATH = "a report.pdf, a report.html, or the folder that fiche report wrote"
_TRUST = (
    "a certificate that vouches for signers (PEM or DER; repeatable); else those of this system"
)
_SIGNED = "fail where nobody signed the file"
_VOUCHED = "fail where nobody vouches for a signer"
_EXTRACT = "put the files that the report was made of back under their own names, into a new folder"
_FORCE = "with --extract: replace the files of an earlier one there"


def verify(
    report: Annotated[Path, typer.Argument(metavar="REPORT", help=_PATH)],
    extract: Annotated[
        Path | None, typer.Option("--extract", metavar="FOLDER", help=_EXTRACT)
    ] = None,
    trust: Annotated[
        list[Path] | None, typer.Option("--trust", metavar="FILE", help=_TRUST)
    ] = None,
    require_signature: Annotated[bool, typer.Option("--require-signature", help=_SIGNED)] = False,
    require_trusted: Annotated[bool, typer.Option("--require-trusted", help=_VOUCHED)] = False,
    force: Annotated[bool, typer.Option("--force", help=_FORCE)] = False,
    json: Annotated[
        bool, typer.Option("--json", help="print every step as one JSON object")
    ] = False,
) -> None:
    """Recompute a report from the report alone, and compare.

    Exit code 0: it holds; 3: something does not hold; 2: it cannot be read. No network is used.
    """
    from fiche.cli.verifying import Asked, extracted, put, verified

    asked = Asked(
        path=report,
        extract=extract,
        trust=tuple(trust or ()),
        signed=require_signature or require_trusted,
        vouched=require_trusted,
        force=force,
    )
    found = verified(asked)
    put(found, extracted(asked, found), as_json=json)
    if not found.holds:
        raise SystemExit(3)
