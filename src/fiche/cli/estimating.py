"""What `fiche estimate` prints: sums, a table over values, or how far one dimension can go."""

from __future__ import annotations

from pathlib import Path

from fiche.cli.options import Options, asked_workload
from fiche.cli.terminal import put_json, put_text
from fiche.cli.usage import together
from fiche.kernel.diagnostic import Refused
from fiche.kernel.workload import Workload


def put_estimate(fiche: Path | None, case: str | None, options: Options) -> None:
    """Print what was asked of a workload.

    Raises:
        Refused: options that do not go together, or what is wrong with the workload.
    """
    _check(options)
    workload = asked_workload(fiche, case, options)
    if options.solve is not None:
        _solve(workload, options)
    elif options.sweep:
        _sweep(workload, options)
    else:
        _sums(workload, options)


def _check(options: Options) -> None:
    if options.solve is not None and options.sweep:
        raise Refused([together("--solve and --sweep ask two questions", "ask one at a time")])
    if options.on is not None and options.solve is None:
        raise Refused([together("--on goes with --solve", "say what to solve for")])
    if (options.grid or options.csv) and not options.sweep:
        raise Refused([together("--grid and --csv go with --sweep", "name what to sweep")])
    if options.csv and options.json:
        raise Refused([together("--csv and --json are two forms", "keep one of them")])


def _solve(workload: Workload, options: Options) -> None:
    from fiche.cli.inverse import solution, solution_json, solution_text

    found = solution(workload, options.solve or "", options.on)
    if options.json:
        put_json(solution_json(found))
    else:
        put_text(solution_text(found))


def _sweep(workload: Workload, options: Options) -> None:
    from fiche.cli.sweep import axes, sweep, sweep_csv, sweep_json

    found = sweep(workload, axes(options.sweep), grid=options.grid)
    if options.json:
        put_json(sweep_json(found))
    else:
        from fiche.cli.sweep_text import sweep_text

        put_text(sweep_csv(found) if options.csv else sweep_text(found))


def _sums(workload: Workload, options: Options) -> None:
    from fiche.cli.estimates import candidates_to_examine, estimate_of

    found = estimate_of(workload)
    listed = candidates_to_examine(found) if options.cards else None
    if options.json:
        from fiche.cli.estimates_json import estimate_json

        put_json(estimate_json(found, listed))
    else:
        from fiche.cli.estimates_text import estimate_text

        put_text(estimate_text(found, listed))
