"""From a campaign to its jobs: cases x variants x repeats, each with a digest of what it does.

A job's digest says what its process does and on what kind of place, not when: its words, the fiche that
they name, the repeat, the number of cards and what chooses the machine. Limits and order are not in it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from typing import Any

from fiche.kernel.campaign import Campaign, CampaignCase, Option, Options, Variant
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import field, record, replace
from fiche.kernel.secrets import HIDDEN, replaced

MOST_JOBS = 10_000
BASELINE = "base"
# Stand in a job's words for the try's own folder, its record, and the id of its run.
FOLDER = "{folder}"
RECORD = f"{FOLDER}/m.json"
RUN_ID = "{run}"
# What runs a job. A test puts its own in these places; nothing that a user types does.
MEASURE: tuple[str, ...] = (sys.executable, "-m", "fiche", "measure")
RUN: tuple[str, ...] = (sys.executable, "-m", "fiche", "run")

_NAMED = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@record
class Job:
    """One fresh process that makes a record. `words` still hold `{folder}`; `index` is its turn, from 0."""

    id: str
    case: str
    variant: str
    changed: tuple[tuple[str, str], ...]
    repetition: int
    words: tuple[str, ...]
    digest: str
    index: int = 0
    of: int = 0

    @property
    def own(self) -> tuple[str, ...]:
        """The words of a program of one's own; none where a ready workload is measured."""
        return self.words[self.words.index("--") + 1 :] if self.words[0] == "run" else ()

    @property
    def words_shown(self) -> tuple[str, ...]:
        """The words for files and screens that are handed around."""
        return _without_secrets(self.words)

    @property
    def changed_shown(self) -> tuple[tuple[str, str], ...]:
        """The changes, with no value that looks like a secret."""
        return tuple(
            (name, _without_secrets((f"--{name}", value))[1]) for name, value in self.changed
        )

    def plan(self) -> dict[str, Any]:
        """The record's `series.plan`."""
        told: dict[str, Any] = {"kind": "campaign", "index": self.index, "of": self.of}
        if self.changed:
            told["variable"] = ", ".join(name for name, _ in self.changed)
            told["value"] = ", ".join(value for _, value in self.changed_shown)
        return {**told, "digest": self.digest}


def hidden(text: str) -> str:
    """A text with `<secret>` where something looks like one."""
    return replaced(text.encode("utf-8", "surrogateescape"))[0].decode("utf-8", "surrogateescape")


def _without_secrets(words: tuple[str, ...]) -> tuple[str, ...]:
    """Each word by itself, and as the value of the option before it."""
    line = " ".join(words)
    if hidden(line) == line:
        return words
    return tuple(_shown(*pair) for pair in pairwise(("", *words)))


def _shown(before: str, word: str) -> str:
    is_value = hidden(f"{before} {word}") == f"{before} {HIDDEN.decode()}"
    return HIDDEN.decode() if is_value else hidden(word)


@record
class _Point:
    """A case with the variants that hold on it."""

    case: CampaignCase
    variants: tuple[Variant, ...] = field(default_factory=tuple)


def jobs(campaign: Campaign) -> tuple[Job, ...]:
    """Every job of a campaign, in the order in which they start.

    Raises:
        Refused: F565 two jobs would be the same, F568 more than 10 000.
    """
    points = list(_points(campaign))
    count = len(points) * campaign.repeat_process
    if count > MOST_JOBS:
        raise Refused([_too_many(count)])
    made = [_job(campaign, p, n) for p in points for n in range(1, campaign.repeat_process + 1)]
    _refuse_alike(made)
    if campaign.seed is not None:
        made.sort(key=lambda job: _drawn(campaign.seed, job))
    return tuple(_placed(job, place, len(made)) for place, job in enumerate(made))


def _too_many(count: int) -> Diagnostic:
    message = f"{count} jobs are asked for; a campaign has at most {MOST_JOBS}"
    return Diagnostic(code="F568", message=message, address=None, hint="split it")


def _refuse_alike(made: list[Job]) -> None:
    seen: dict[str, Job] = {}
    for job in made:
        first = seen.setdefault(job.digest, job)
        if first is not job:
            message = f"{_label(first)} and {_label(job)} are the same job"
            hint = "leave one out, or change something: a repeat is asked for by repeat_process"
            raise Refused([Diagnostic(code="F565", message=message, address=None, hint=hint)])


def _label(job: Job) -> str:
    return job.id.rpartition("-")[0]


def _drawn(seed: int | None, job: Job) -> str:
    """A place by chance that is the same with every Python, whatever is added beside the job."""
    return hashlib.sha256(f"{seed} {job.digest}".encode()).hexdigest()


def _placed(job: Job, index: int, of: int) -> Job:
    return replace(job, index=index, of=of)


# --- Points -----------------------------------------------------------------------------------


def _points(campaign: Campaign) -> Iterator[_Point]:
    for case in campaign.cases or (CampaignCase(id=""),):
        for variants in _combined(campaign):
            yield _Point(case=case, variants=variants)


def _combined(campaign: Campaign) -> Iterator[tuple[Variant, ...]]:
    """The baseline, then one change at a time, or every combination of changed variables (D6)."""
    none: tuple[Variant | None, ...] = (None,)
    if not campaign.cross:
        if campaign.baseline or not campaign.variants:
            yield ()
        yield from ((variant,) for variant in campaign.variants)
        return
    axes: dict[str, list[Variant]] = {}
    for variant in campaign.variants:
        axes.setdefault(variant.variable, []).append(variant)
    for chosen in product(
        *((*(none if campaign.baseline else ()), *axis) for axis in axes.values())
    ):
        yield tuple(variant for variant in chosen if variant is not None)


# --- Words ------------------------------------------------------------------------------------


def _job(campaign: Campaign, point: _Point, repetition: int) -> Job:
    changes = {variant.variable: variant.value for variant in point.variants}
    options = {**campaign.options, **point.case.options, **changes}
    words = _run(campaign, options) if campaign.command else _measure(campaign, point.case, options)
    digest = _digest(campaign, words, repetition)
    variant = "+".join(each.id for each in point.variants)
    parts = [point.case.id, variant or BASELINE]
    parts += [f"r{repetition}"] if campaign.repeat_process > 1 else []
    return Job(
        id=f"{'.'.join(part for part in parts if part)}-{digest[:8]}",
        case=point.case.id,
        variant=variant,
        changed=tuple((name, text(value)) for name, value in changes.items()),
        repetition=repetition,
        words=words,
        digest=digest,
    )


def _measure(campaign: Campaign, case: CampaignCase, options: Options) -> tuple[str, ...]:
    source = ("--from", campaign.fiche, "--case", case.fiche) if campaign.fiche else ()
    return ("measure", *source, *typed(options), "--output", RECORD)


def _run(campaign: Campaign, options: Options) -> tuple[str, ...]:
    values = {name: text(value) for name, value in options.items()}
    words = tuple(_filled(word, values) for word in campaign.command)
    head = ("run", *typed(campaign.command_options), "--run", RUN_ID, "--output", f"{FOLDER}/run")
    return (*head, "--", *words)


def _filled(word: str, values: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda found: values.get(found[1], found[0]), word)


def typed(options: Options) -> tuple[str, ...]:
    """Options as they are typed: `width: 1024` is `--width 1024`; a switch that is off is left out."""
    return tuple(word for name, value in options.items() for word in _typed(name, value))


def _typed(name: str, value: Option) -> Iterator[str]:
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        yield from (option,) if value else ()
        return
    for each in (value,) if isinstance(value, str) else value:
        yield from (option, each)


def text(value: Option) -> str:
    """A value as one word for people and for a command."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else ",".join(value)


def command(job: Job, folder: str, run: str) -> list[str]:
    """The words of the process, for a try whose files lie in `folder`; `run` is the id of its run."""
    head, *words = job.words
    program = {"measure": MEASURE, "run": RUN}[head]
    return [*program, *(word.replace(FOLDER, folder).replace(RUN_ID, run) for word in words)]


def _digest(campaign: Campaign, words: tuple[str, ...], repetition: int) -> str:
    place: dict[str, Any] = {"executor": campaign.executor, "gpus": campaign.gpus}
    if campaign.executor == "slurm":
        cluster = campaign.cluster
        place["partition"], place["parameters"] = cluster.partition, dict(cluster.parameters)
    told = {
        "words": words,
        "fiche": campaign.fiche_sha256,
        "repetition": repetition,
        "place": place,
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
