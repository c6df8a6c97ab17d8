"""One admissible story as files on a disk; a scenario changes one thing and reads decision.json.

Llama 3.1 8B on a rented RTX 4090: its own machine printed 24081 MiB, nobody else was on it, and a
record of the whole limit case peaked at 22 000 000 000 B. Everything goes through YAML and bytes.
"""

import copy
import json
from fractions import Fraction

from fiche.cli.compile import compile_fiche
from fiche.render.json import decision_bytes

MIB, GIB = 2**20, 2**30
GPU, MACHINE, AUTHOR = "nvidia-rtx-4090-24g", "node-7", "A. Martin"
VISIBLE = 24081 * MIB
PEAK = 22_000_000_000
PHASES = ["model_load", "prefill", "decode"]
LIMIT = {"prompt_tokens": 7900, "new_tokens": 292, "resident_sequences": 4}

WORKLOAD = {
    "model": {
        "name": "meta-llama/Llama-3.1-8B-Instruct",
        "revision": "0e9e39f249a16976918f6564b8830bc894c89659",
        "parameters": 8030261248,
        "layers": 32,
        "kv_heads": 8,
        "head_dim": 128,
    },
    "operation": "generation",
    "engine": {"name": "transformers", "version": "5.17.0"},
    "formats": {"storage": "bf16", "compute": "bf16", "cache": "bf16"},
    "attention": "sdpa",
    "backend": "cuda",
    "allocator": {"backend": "native", "settings": "default"},
    "process": "one fresh process per series",
    "placement": {"devices": 1, "resident": "all"},
    "cases": [{"id": "limit", "role": "limit", **LIMIT, "phases": PHASES}],
    "duration": {"value": "40 h", "because": "one campaign"},
}
QUALITY = {
    "id": "quality",
    "kind": "quality",
    "level": "must",
    "metric": "exact_match",
    "dataset": "internal-qa-200",
    "at_least": 0.62,
}
BUDGET = {"id": "budget", "kind": "cost", "level": "must", "at_most": "60 USD", "tax": "excluded"}
RESULT = "exact_match 0.645 on internal-qa-200\n"
QUOTE = (
    "Quote 17\nprice: 47.14 USD for 72 h, per lot of one card\nprices are before tax\n"
    "valid until 2026-12-31\nlots are extended by whole lots\n"
)
ATTESTS = {
    "price": {
        "fact": "price",
        "amount": "47.14 USD",
        "per": "72 h",
        "covers": "lot",
        "quote": "47.14 USD for 72 h, per lot",
    },
    "tax": {"fact": "tax", "basis": "excluded", "quote": "prices are before tax"},
    "validity": {"fact": "validity", "until": "2026-12-31", "quote": "valid until 2026-12-31"},
    "extension": {"fact": "extension", "terms": "lots", "quote": "extended by whole lots"},
}
SCOPE = {key: WORKLOAD[key] for key in ("operation", "engine", "formats", "attention", "backend")}
SCOPE["model"] = {key: WORKLOAD["model"][key] for key in ("name", "revision")}


def asked():
    """The fiche as a dict: every must is admissible."""
    return copy.deepcopy(
        {
            "fiche": 1,
            "title": "Chat assistant",
            "date": "2026-11-29",
            "author": AUTHOR,
            "catalogs": ["offers.yaml"],
            "workload": WORKLOAD,
            "pieces": [
                {"id": "run", "file": "run.json"},
                {
                    "id": "result",
                    "file": "result.txt",
                    "kind": "result",
                    "scope": SCOPE,
                    "attests": [
                        {
                            "fact": "quality",
                            "metric": "exact_match",
                            "dataset": "internal-qa-200",
                            "value": 0.645,
                            "quote": "exact_match 0.645",
                        }
                    ],
                },
                {
                    "id": "quote",
                    "file": "quote.txt",
                    "kind": "quote",
                    "scope": {"offer": "offer-1"},
                    "attests": list(ATTESTS.values()),
                },
            ],
            "requirements": [{"id": "memory", "kind": "memory", "level": "must"}, QUALITY, BUDGET],
            "candidates": [
                {"id": "rent", "gpu": GPU, "cards": 1, "offer": "offer-1", "machine": MACHINE}
            ],
        }
    )


def offers(**changes):
    """One lot of one card: what a row alone says, the quote attests."""
    row = {
        "id": "offer-1",
        "seller": "provider A",
        "kind": "rent",
        "gpu": GPU,
        "cards_per_lot": 1,
        "price": {"amount": "47.14 USD", "per": "72 h", "covers": "lot"},
        "setup": {"amount": "0 USD", "per": "order"},
        "storage": {"amount": "0 USD", "per": "order"},
        "egress": {"amount": "0 USD", "per": "order"},
    }
    row.update(changes)
    return {"offers": 1, "list": [{k: v for k, v in row.items() if v is not None}]}


def device(index=0, peak=PEAK, **changes):
    """What the counters of one device showed; `None` leaves a reading out."""
    read = {
        "device": f"cuda:{index}",
        "start": {"allocated_bytes": 0, "reserved_bytes": 0},
        "peak": {"allocated_bytes": 20_500_000_000, "reserved_bytes": 21_000_000_000},
        "end": {"allocated_bytes": 16_500_000_000, "reserved_bytes": 21_000_000_000},
        "process_device_bytes": {"counter": "nvml_accounting_max_memory_usage", "peak": peak},
        "other_processes_bytes": {"bytes": 0, "counter": "nvml_compute_processes"},
    }
    read.update(changes)
    return {name: value for name, value in read.items() if value is not None}


def phase(index=0, **changes):
    """The un-phased loop in its real order, from the load on."""
    made = {
        "index": index,
        "name": "serve_loop",
        "pass": "first",
        "ordering": "whole_loop",
        "covers": PHASES,
        "executed": LIMIT,
        "outcome": "success",
        "devices": [device()],
        "duration_ns": 41_000_000_000,
    }
    made.update(changes)
    return {name: value for name, value in made.items() if value is not None}


def visible(index=0, total=VISIBLE, name="NVIDIA GeForce RTX 4090"):
    """A device of the environment, as the framework and the system's tool see it."""
    return {
        "index": index,
        "name": name,
        "total_memory_bytes": total,
        "nvml_total_bytes": total + 450 * MIB,
    }


def record(*phases, gpu=GPU, machine=MACHINE, devices=None, workload=None):
    """A measurement record: of the whole limit case where no phase is given."""
    load = {k: v for k, v in WORKLOAD.items() if k not in ("cases", "duration", "process")}
    load = {**load, **(workload or {})}
    environment = {
        "python": "3.12.9",
        "framework": {"name": "torch", "version": "2.11.0+cu128"},
        "backend": load.pop("backend"),
        "allocator": load.pop("allocator"),
        "devices": devices or [visible()],
    }
    return copy.deepcopy(
        {
            "format": "fiche-measurement/1",
            "tool": {"name": "bench", "version": "1"},
            "series": {
                "id": "series-1",
                "started_at": "2026-11-20T09:00:00+00:00",
                "process": {"protocol": "one fresh process per series", "pid": 4133},
                "order": "as listed",
                "warmups": 0,
                "repeats": 1,
                "empty_cache": "never",
                "seed": 0,
            },
            "environment": {k: v for k, v in environment.items() if v is not None},
            "gpu": gpu,
            "machine": machine,
            "workload": {k: v for k, v in load.items() if v is not None},
            "phases": list(phases) or [phase()],
        }
    )


def oom(
    requested="2.00 GiB", free="512.00 MiB", total="23.52 GiB", own="23.01 GiB", extra="", index=0
):
    """An allocator's message; `extra` stands where other processes and limits are named."""
    in_use = f" Including non-PyTorch memory, this process has {own} memory in use." if own else ""
    return (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {requested}. GPU {index} has a "
        f"total capacity of {total} of which {free} is free.{extra}{in_use} Of the allocated memory "
        "22.00 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.\n"
    )


def files(**changes):
    """The evidence of the story by file name, with `_` for `.` in names given as keywords."""
    made = {
        "run.json": record(),
        "result.txt": RESULT,
        "quote.txt": QUOTE,
        "offers.yaml": offers(),
    }
    made.update({name.replace("_", "."): content for name, content in changes.items()})
    return {name: content for name, content in made.items() if content is not None}


def written(folder, fiche, contents):
    """Write a fiche and its files; JSON is YAML, and bytes stay as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"fiche.yaml": fiche, **contents}.items():
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content, indent=1)
            (folder / name).write_text(text, encoding="utf-8")
    return folder / "fiche.yaml"


def judged(folder, fiche=None, contents=None):
    """decision.json of a fiche and its files, after looking at what must hold for any of them."""
    path = written(folder, fiche or asked(), contents if contents is not None else files())
    document = json.loads(decision_bytes(compile_fiche(path).decision))
    check(document)
    return document


# --- What a scenario asks of a decision ---------------------------------------------------------


def found(document, requirement="memory", candidate=None, case=None, device=None):
    """The one finding of a requirement."""
    some = [
        f
        for f in document["findings"]
        if f["requirement"] == requirement
        and candidate in (None, f["candidate"])
        and case in (None, f["case"])
        and device in (None, f["device"])
    ]
    assert len(some) == 1, [(f["candidate"], f["case"], f["device"]) for f in some]
    return some[0]


def verdict(document, requirement="memory", **where):
    return found(document, requirement, **where)["verdict"]


def status(document, candidate="rent"):
    return next(c["status"] for c in document["candidates"] if c["id"] == candidate)


def conditions(document, candidate="rent"):
    """Topics of a candidate's open conditions, in the order of reading."""
    listed = next(c["conditions"] for c in document["candidates"] if c["id"] == candidate)
    return [condition["topic"] for condition in listed]


def figure(document, name):
    return next(f for f in document["figures"] if f["id"] == name)


# --- What holds for every decision --------------------------------------------------------------

OPERATIONS = {
    "+": lambda a, b: (a[0] + b[0], _sum(a[1], b[1])),
    "total": lambda *parts: (sum(p[0] for p in parts), _sum(*(p[1] for p in parts))),
    "-": lambda a, b: (
        0 if b[1] is None else a[0] - b[1],
        None if a[1] is None else max(a[1] - b[0], 0 if b[1] is None else a[0] - b[1]),
    ),
    "*": lambda a, b: _product(a, b),
    "/": lambda a, b: (
        Fraction(0) if b[1] is None else Fraction(a[0]) / b[1],
        None if a[1] is None or b[0] == 0 else Fraction(a[1]) / b[0],
    ),
    "floor": lambda a: (a[0].__floor__(), None if a[1] is None else a[1].__floor__()),
    "ceil": lambda a: (a[0].__ceil__(), None if a[1] is None else a[1].__ceil__()),
    "smaller": lambda a, b: (min(a[0], b[0]), _least(a[1], b[1])),
    "larger": lambda a, b: (max(a[0], b[0]), _most(a[1], b[1])),
    "either": lambda a, b: (min(a[0], b[0]), _most(a[1], b[1])),
    "between": lambda a, b, *grounds: (min(a[0], b[0]), _most(a[1], b[1])),
    "bare": lambda a: a,
}


def _sum(*highs):
    return None if None in highs else sum(highs)


def _least(a, b):
    return min((h for h in (a, b) if h is not None), default=None)


def _most(a, b):
    return None if None in (a, b) else max(a, b)


def _product(a, b):
    if 0 in (a[1], b[1]):
        return 0, 0
    return a[0] * b[0], None if None in (a[1], b[1]) else a[1] * b[1]


def bounds(listed):
    """(low, high) of a figure as decision.json writes it."""
    for one, low, high in (("bytes", "low_bytes", "high_bytes"), ("value", "low", "high")):
        if one in listed:
            return Fraction(listed[one]), Fraction(listed[one])
        if low in listed:
            top = listed[high]
            return Fraction(listed[low]), None if top is None else Fraction(top)
    raise AssertionError(f"{listed['id']} has no amount")


def evaluated(expression, figures):
    """An expression of decision.json worked out again, by other code than that which made it."""
    if expression is None:
        return Fraction(0), None
    if isinstance(expression, int):
        return Fraction(expression), Fraction(expression)
    if isinstance(expression, str):
        return bounds(figures[expression])
    head, *rest = expression
    if head not in OPERATIONS:  # a leaf without a name: its two ends
        return Fraction(head), None if rest[0] is None else Fraction(rest[0])
    return OPERATIONS[head](*(evaluated(part, figures) for part in rest))


def parts(value):
    yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        yield from parts(part)


def check(document):
    """Numbers, ids, references, formulas, counts and words of any decision."""
    assert not any(isinstance(part, float) for part in parts(document))
    figures = {f["id"]: f for f in document["figures"]}
    assert len(figures) == len(document["figures"]), "two figures of one id"
    assert all(figures), "a figure without an id"
    for listed in figures.values():
        _check_figure(listed, figures)
    _check_readings(document)
    _check_findings(document, figures)
    _check_counts(document)


def _check_figure(listed, figures):
    low, high = bounds(listed)
    assert high is None or low <= high, listed
    assert ("formula" in listed) == (listed["basis"] == "computed"), listed["id"]
    if listed["basis"] == "computed":
        assert set(listed["inputs"]) <= set(figures), listed["id"]
        worked = evaluated(listed["expression"], figures)
        assert worked == (low, high), f"{listed['id']}: {listed['formula']} = {worked}"
    if listed["basis"] == "unknown":
        assert listed["conditions"], listed["id"]


def _check_readings(document):
    """Every reading has an id of its own, and every piece and input a digest."""
    ids = [
        part["id"]
        for piece in document["pieces"]
        for group in ("observations", "failures", "capacities")
        for holder in (piece, *piece["runs"])
        for part in holder.get(group, ())
    ]
    assert len(ids) == len(set(ids))
    for one in (*document["pieces"], *document["inputs"]):
        assert len(one["sha256"]) == 64


def _check_findings(document, figures):
    candidates = {c["id"]: c for c in document["candidates"]}
    pieces = {p["id"] for p in document["pieces"]}
    for told in document["findings"]:
        where = (told["candidate"], told["requirement"], told["case"], told["device"])
        assert set(told["pieces"]) <= pieces, where
        for side in ("need", "have", "margin"):
            if told[side] is not None:
                assert bounds(figures[told[side]["id"]]) == bounds(told[side]), (where, side)
        _check_words(told, where)
    for who in candidates.values():
        _check_candidate(who, document, figures)


def _check_words(told, where):
    """The text, the codes and the conditions of a finding agree with its verdict."""
    starts = {
        "conflict": ("to_confirm", "pieces contradict each other: "),
        "below_floor": ("to_confirm", "pieces contradict each other: "),
        "proven_failure": ("exclude", "a proven failure"),
        "refused": ("exclude", ("a piece in scope refuses", "the catalog refuses")),
        "above_capacity": ("exclude", "the least that is needed is above"),
        "confirmed": ("admissible", ("a piece in scope confirms", "the catalog confirms")),
        "within_capacity": ("admissible", "the most that is needed is within"),
        "nothing_required": ("to_confirm", "what is required is not stated"),
        "overlap": ("to_confirm", "the intervals overlap"),
        "open": ("to_confirm", "no piece in scope settles"),
        "stale": ("to_confirm", "what it leans on is out of date: "),
        "near_limit": ("to_confirm", "what was measured lies within the guard band"),
    }
    code, start = starts[told["reason_code"]]
    assert told["verdict"] == code, where
    assert told["reason"].startswith(start), where
    assert (told["condition"] is not None) == (code == "to_confirm"), where
    assert bool(told["conditions"]) == (code == "to_confirm"), where
    if code == "exclude" and told["reason_code"] == "above_capacity":
        assert bounds(told["need"])[0] > bounds(told["have"])[1], where
    if told["reason_code"] == "within_capacity":
        assert bounds(told["need"])[1] <= bounds(told["have"])[0], where


def _check_candidate(who, document, figures):
    musts = [
        f["verdict"]
        for f in document["findings"]
        if f["candidate"] == who["id"] and f["level"] == "must"
    ]
    assert musts, "memory and quality are always musts"
    expected = {"exclude": "excluded", "to_confirm": "to_confirm", "admissible": "retained"}
    worst = max(musts, key=["admissible", "to_confirm", "exclude"].index)
    if document["workload_conditions"] and worst == "admissible":
        worst = "to_confirm"
    assert who["status"] == expected[worst], who["id"]
    assert who["rank"] is None or who["status"] == "retained", who["id"]
    for name in ("cost", "useful_margin", "cards"):
        assert who[name] is None or who[name] in figures, (who["id"], name)


def _check_counts(document):
    counts, candidates = document["counts"], document["candidates"]
    for state in ("retained", "to_confirm", "excluded"):
        assert counts[state] == sum(c["status"] == state for c in candidates)
    for code in ("admissible", "to_confirm", "exclude"):
        told = sum(f["verdict"] == code for f in document["findings"])
        assert counts[f"findings_{code}"] == told
    assert counts["candidates"] == len(candidates)
    assert counts["findings"] == len(document["findings"])
    assert document["shortlist"] == [c["id"] for c in candidates if c["status"] == "to_confirm"]
    ranks = [c["rank"] for c in candidates if c["rank"] is not None]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    assert [c["id"] for c in candidates if c["rank"]] == document["ranking"]
