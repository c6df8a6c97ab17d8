"""A campaign: what is measured, changed by what, how often, in which order, and where it runs."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.record import field, record

# A word as written, a switch (on or off), or several words for one option.
Option = str | bool | tuple[str, ...]
Options = Mapping[str, Option]


@record
class CampaignCase:
    """One input: the options (or variables) that it sets. `fiche` is the id of a fiche's case, if it is one."""

    id: str
    options: Options = field(default_factory=dict)
    fiche: str = ""


@record
class Variant:
    """One variable changed, under a name (D6, D10)."""

    id: str
    variable: str
    value: Option


@record
class Cluster:
    """How Slurm is asked: what `parameters` holds goes to sbatch as it stands."""

    partition: str = ""
    setup: tuple[str, ...] = ()
    parameters: Mapping[str, str | bool] = field(default_factory=dict)


@record
class Campaign:
    """A campaign as its file states it.

    `command` holds the words of a program of one's own; where it is empty, a ready workload is measured with
    `options`, which otherwise are the variables that the command's words name. `fiche` is the path of
    the fiche whose cases are measured, as written, `fiche_sha256` its digest. `seed` is None where jobs
    run in the order listed, `parallel` where the machine or the cluster decides.
    """

    id: str
    sha256: str
    output: str
    title: str = ""
    options: Options = field(default_factory=dict)
    command: tuple[str, ...] = ()
    command_options: Options = field(default_factory=dict)
    fiche: str = ""
    fiche_sha256: str = ""
    cases: tuple[CampaignCase, ...] = ()
    variants: tuple[Variant, ...] = ()
    baseline: bool = True
    cross: bool = False
    repeat_process: int = 1
    seed: int | None = None
    executor: str = "local"
    gpus: int = 1
    parallel: int | None = None
    minutes: int = 60
    cluster: Cluster = field(default_factory=Cluster)
    candidate: str = ""
