"""What the archive keeps of one thing: its id, its files with their digests, and the rows it is found by."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.record import field, record

# What an entry may be of.
KINDS = ("record", "piece", "fiche", "catalog", "policy", "decision")
# How far it may be shown; absent where nobody said it.
CONFIDENTIALITY = ("public", "internal", "confidential")
# What became of a row: of a decision its verdicts, of a record or a log what the run did.
OUTCOMES = ("admissible", "to confirm", "exclude", "passed", "failed", "unknown")
# Where an amount comes from: no amount is kept without it.
ORIGINS = ("observed", "computed", "assumed", "declared")


@record
class Kept:
    """A file of an entry: its path below the bag's `data/`, with `/` between folders, and its digest.

    `name` is what it was called where it came from, empty where that is its path already.
    """

    path: str
    num_bytes: int
    sha256: str
    media_type: str
    name: str = ""


@record
class Row:
    """One thing that an entry states of one model on one card: an observed amount, or a verdict.

    Words are as the source has them, and empty where it does not say. `amount` is an exact decimal in `unit`
    (bytes for memory), or empty; `origin` is one of `ORIGINS`: what a program planned with is computed. `place`
    leads into the file (a JSON pointer, a line). `quantity` is the counter and its statistic
    (`max_memory_reserved.peak`). `card` is the name of a catalog where the source gives one, else the device's
    own; `device` is which of several (`cuda:0`). The `phase` of an un-phased loop is `whole_loop`;
    `which_pass` is first or later.
    """

    model: str = ""
    revision: str = ""
    card: str = ""
    machine: str = ""
    engine: str = ""
    engine_version: str = ""
    operation: str = ""
    case: str = ""
    candidate: str = ""
    device: str = ""
    phase: str = ""
    which_pass: str = ""
    quantity: str = ""
    amount: str = ""
    unit: str = ""
    origin: str = ""
    outcome: str = ""
    place: str = ""


@record
class Entry:
    """One bag's subject. `id` is made of the content alone: the same files have the same id everywhere.

    `date` is the one that the content tells (empty where it tells none), `added` the moment of adding (UTC,
    `2026-12-01T10:00:00Z`); `keep_until` is a day. `main` is the path of the file that the entry is named by.
    `own_id` is what the thing calls itself: the `fiche.id` of a fiche and of its decision, the series of a
    record; `identifier` is a persistent one. `supersedes` are ids that were named at the adding,
    `stated_supersedes` what the content itself says, in its words: ids, digests or identifiers.
    """

    id: str
    kind: str
    title: str
    date: str
    added: str
    main: str
    files: tuple[Kept, ...]
    rows: tuple[Row, ...] = ()
    format: str = ""
    own_id: str = ""
    author: str = ""
    tool_version: str = ""
    supersedes: tuple[str, ...] = ()
    keep_until: str = ""
    confidentiality: str = ""
    rights: str = ""
    source: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    identifier: str = ""
    stated_supersedes: tuple[str, ...] = ()
