"""`fiche campaign`: cases and variants as jobs in fresh processes, here or on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer


def campaign(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the campaign (YAML)")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="list the jobs; nothing runs, nothing is written")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="tell how the jobs stand; nothing is written")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="try failed jobs again, beside their records")
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="submit to the cluster and leave it alone")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> None:
    """Measure cases and variants as jobs, each in a fresh process.

    It fills the comparison table. The folder of the campaign is its state: the same command again goes on
    where it stopped.
    """
    from fiche.cli.campaign_run import carried_out, prepared
    from fiche.cli.campaign_text import dry_text, standing_text
    from fiche.cli.terminal import put_json, put_text

    ready = prepared(file)
    if dry_run:
        put_json(ready.dry_json()) if json else put_text(dry_text(ready))
        return
    found = (
        ready.status() if status else carried_out(ready, retry_failed=retry_failed, no_wait=no_wait)
    )
    put_json(found.document) if json else put_text(standing_text(found))
    if not status and not found.is_well:
        raise SystemExit(3)
