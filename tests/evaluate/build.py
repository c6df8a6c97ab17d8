"""Small builders of what is judged, for the tests of criteria and of evaluate.

The defaults make one admissible story: Llama 3.1 8B on an RTX 4090 whose own machine printed 24081
MiB, alone on it, with a record of the whole limit case that peaked at 20 GB. A test changes one thing.
"""

import hashlib
import re
from fractions import Fraction

from fiche.evaluate.decide import Doors, decide
from fiche.evaluate.findings import judged, second_readings, supposing
from fiche.evaluate.loads import loads_of
from fiche.kernel.address import Pointer, Span
from fiche.kernel.catalog import Card, Offer, Sighting
from fiche.kernel.choice import Choice
from fiche.kernel.comparison import Inquiry
from fiche.kernel.decision import Fiche
from fiche.kernel.doors import Criterion, Estimator, Vendor
from fiche.kernel.fact import Fact
from fiche.kernel.figure import Figure
from fiche.kernel.finding import Verdict
from fiche.kernel.origin import Assumed, Declared, Observed, Stated
from fiche.kernel.piece import (
    Attested,
    Capacity,
    Failure,
    Observation,
    OtherProcess,
    Piece,
    Printed,
    Reading,
    Result,
    Run,
)
from fiche.kernel.purchase import NO_PURCHASE
from fiche.kernel.quantity import parse_bytes, parse_duration, parse_money, parse_ratio
from fiche.kernel.record import replace
from fiche.kernel.requirement import Candidate, Requirement
from fiche.kernel.rounding import printed_interval
from fiche.kernel.unit import BYTE, HOUR, ONE, SECOND, WATT, count_of
from fiche.kernel.workload import Case, Workload
from fiche.load.catalog import Catalogs
from fiche.load.fault import Faults
from fiche.load.policy import built_in
from fiche.registry import members

MIB, GIB = 2**20, 2**30
GPU = "nvidia-rtx-4090-24g"
MACHINE = "node-7"
AUTHOR = "A. Martin"
DATE = "2026-11-29"
UNITS = {"MiB": MIB, "GiB": GIB, "B": 1}

CATALOGS = Catalogs(Faults())

NEUTRAL = built_in("neutral").policy
STRICT = built_in("strict").policy

ADMISSIBLE, TO_CONFIRM, EXCLUDE = Verdict.ADMISSIBLE, Verdict.TO_CONFIRM, Verdict.EXCLUDE


# --- Words and numbers -------------------------------------------------------------------------


def span(line=1, text=""):
    return Span(file="chat.yaml", line=line, column=5, text=text)


def digest(id):
    return hashlib.sha256(id.encode()).hexdigest()


def pointer(id, line=1):
    return Pointer(sha256=digest(id), line=line)


def typed(value, by=AUTHOR):
    """A fact that a person typed about a piece, or that the fiche states."""
    return Fact(value=value, address=span(), by=by)


def stated(value, unit=ONE, id="", because=""):
    origin = Stated(span=span(), because=because)
    return Figure(low=value, high=value, unit=unit, origin=origin, id=id, label=id)


def assumed(value, unit=BYTE, id="reserve.guess"):
    origin = Assumed(by=AUTHOR, because="seen on the workstation", span=span())
    return Figure(low=value, high=value, unit=unit, origin=origin, id=id, label=id)


def declared(value, unit, by="seller", id="", high=None):
    origin = Declared(address=span(), by=by)
    most = value if high is None else high
    return Figure(low=value, high=most, unit=unit, origin=origin, id=id, label=id)


def observed(value, unit=BYTE, id="", high=None):
    origin = Observed(pointer=pointer(id), counter=id, scope="process", stat="peak")
    most = value if high is None else high
    return Figure(low=value, high=most, unit=unit, origin=origin, id=id, label=id)


def bytes_of(text):
    return stated(parse_bytes(text).value, BYTE)


def money(text, make=stated):
    amount = parse_money(text)
    return make(amount.value, amount.unit)


def hours(text, make=stated):
    return make(parse_duration(text).value, HOUR)


def ratio(text):
    return stated(parse_ratio(text).value, ONE)


def shown(text, rounding=None):
    """What a program printed: `24081 MiB` is cut down, `23.64 GiB` is rounded, bytes are exact."""
    number, unit = text.split(" ")
    digits = len(number.partition(".")[2])
    how = rounding or {"MiB": f"floor-{digits}-digits", "GiB": f"nearest-{digits}-digits"}.get(
        unit, "exact"
    )
    return printed_interval(number, UNITS[unit], how)


def exact(value):
    return Printed(
        text=f"{value} B", unit_bytes=1, value=value, low=value, high=value, rounding="exact"
    )


def amount(value):
    return exact(value) if isinstance(value, int) else shown(value)


# --- The workload ------------------------------------------------------------------------------

FACTS = {
    "model.name": "meta-llama/Llama-3.1-8B-Instruct",
    "model.revision": "0e9e39f2",
    "operation": "generation",
    "engine.name": "vllm",
    "engine.version": "0.28.0",
    "formats.storage": "bf16",
    "formats.compute": "bf16",
    "formats.cache": "bf16",
    "attention": "flash",
    "backend": "cuda",
    "allocator.backend": "native",
    "allocator.settings": "default",
    "process_protocol": "one fresh process per series",
    "placement.resident": "all",
}
FIGURES = {
    "model.parameters": (8030261248, "parameters"),
    "model.layers": (32, "layers"),
    "model.kv_heads": (8, "heads"),
    "model.head_dim": (128, "dim"),
    "placement.devices": (1, "devices"),
}


def case(id="limit", *, phases=("prefill", "decode"), role="limit", **dimensions):
    sizes = dimensions or {"prompt_tokens": 7900, "new_tokens": 292, "resident_sequences": 4}
    return Case(
        id=id,
        role=role,
        dimensions={
            name: stated(value, count_of(name.rpartition("_")[2]), f"{id}.{name}")
            for name, value in sizes.items()
        },
        phases=phases,
        span=span(),
    )


def workload(cases=None, reserve=(), margin=(), duration="40 h", **changes):
    """Facts and figures by dotted path, `__` for the dot; None leaves one out."""
    given = {path.replace("__", "."): value for path, value in changes.items()}
    counts = {path: value for path, (value, _) in FIGURES.items()}
    numbers = {**counts, **{k: v for k, v in given.items() if isinstance(v, int)}}
    words = {**FACTS, **{k: v for k, v in given.items() if isinstance(v, str)}}
    gone = {path for path, value in given.items() if value is None}
    figures = {
        path: stated(value, count_of(FIGURES.get(path, ("", ""))[1]), path)
        for path, value in numbers.items()
        if path not in gone
    }
    if duration is not None:
        figures["duration"] = replace(hours(duration), id="duration")
    return Workload(
        facts={path: typed(value, "") for path, value in words.items() if path not in gone},
        figures=figures,
        cases=(case(),) if cases is None else tuple(cases),
        reserve=tuple(reserve),
        margin=tuple(margin),
    )


def pinned(load):
    """The same workload with counts read from a config file, not stated by somebody."""
    figures = {
        path: replace(figure, origin=observed(0, id="config").origin)
        if path.startswith("model.")
        else figure
        for path, figure in load.figures.items()
    }
    return replace(load, figures=figures)


# --- Cards, offers, candidates -----------------------------------------------------------------


def card(gpu=GPU, gb=24, vendor="nvidia", power=None, sightings=(), **facts):
    figures = {
        "nominal": declared(gb * 10**9, BYTE, "maker", f"card.{gpu}.nominal"),
        "nominal_binary": declared(gb * GIB, BYTE, "maker", f"card.{gpu}.nominal_binary"),
    }
    if power is not None:
        figures["power"] = declared(power, WATT, "maker", f"card.{gpu}.power")
    return Card(
        id=gpu,
        vendor=vendor,
        name=gpu,
        enumerated_as="card",
        figures=figures,
        facts={name.replace("__", "."): typed(value, "") for name, value in facts.items()},
        names_printed=(),
        traps=(),
        sightings=tuple(sightings),
        span=span(),
        gathered=DATE,
    )


def catalog_card(id):
    """A card of the built-in catalog."""
    found = CATALOGS.card(id)
    assert found is not None, id
    return found


def catalog_cards():
    """Every card of the built-in catalog that software shows as a device."""
    found = [catalog_card(id) for id in CATALOGS.card_names()]
    return [card for card in found if card.enumerated_as != "module"]


def of_catalog(gpu, id="rent", **changes):
    """A candidate of a built-in card."""
    return candidate(id, gpu, card=catalog_card(gpu), **changes)


def sighting(low, high, counter="torch_total_memory"):
    return Sighting(
        counter=counter, printed="", low=low, high=high, context="", source="", span=span()
    )


def candidate(id="rent", gpu=GPU, cards=1, *, load=None, gb=24, other_users="none", **changes):
    return Candidate(
        id=id,
        gpu=gpu,
        card=changes.pop("card", None) or card(gpu, gb),
        cards=stated(cards, count_of("cards"), f"{id}/cards"),
        offer=changes.pop("offer", None),
        machine=changes.pop("machine", MACHINE),
        workload=load or workload(),
        span=span(),
        other_users=None if other_users is None else typed(other_users),
        **changes,
    )


def offer(price="47.14 USD", *, id="offer-01", gpu=GPU, kind="rent", per="72 h", **terms):
    """Terms by name: money, hours, counts and figures become figures, the rest words; None leaves one out."""
    told = {
        "cards_per_lot": 1,
        "covers": "lot",
        "tax": "excluded",
        "valid_until": "2026-12-31",
        "extension": "lots",
        **{name.replace("__", "."): value for name, value in terms.items()},
    }
    figures = {"price": money(price, declared)}
    if per is not None:
        figures["hours"] = hours(per, declared)
    facts = {}
    for name, value in told.items():
        if name in ("setup", "storage", "egress") and value is not None:
            figures[name] = money(value, declared)
        elif name == "min_time" and value is not None:
            figures[name] = hours(value, declared)
        elif name == "tax_rate" and value is not None:
            figures[name] = ratio(value)
        elif isinstance(value, Figure):
            figures[name] = value
        elif isinstance(value, int):
            unit = count_of("cards") if name == "cards_per_lot" else ONE
            figures[name] = declared(value, unit)
        elif value is not None:
            facts[name] = typed(value, "")
    return Offer(
        id=id, seller="provider A", kind=kind, gpu=gpu, figures=figures, facts=facts, span=span()
    )


# --- Pieces ------------------------------------------------------------------------------------


def facts_of(load, id, card, changes):
    """What a careful record prints: every strict fact of a workload, and the card it ran on."""
    told = {path: fact.value for path, fact in load.facts.items()}
    told["gpu"] = card
    for path in ("placement.devices", "method.rank"):
        if path in load.figures:
            told[path] = str(load.figures[path].low)
    told |= {path.replace("__", "."): value for path, value in changes.items()}
    return {
        path: Fact(value=value, address=pointer(id))
        for path, value in told.items()
        if value is not None
    }


def peak(counter, value, *, stat="peak", device=0, **changes):
    return Observation(
        counter=counter,
        scope="process" if counter == "process_device_used" else "process_allocator",
        stat=stat,
        kind_of_origin="measured",
        pointer=pointer("peak"),
        value=None if value is None else amount(value),
        device_index=device,
        **changes,
    )


def used(value, **changes):
    return peak("process_device_used", value, **changes)


def reserved(value, **changes):
    return peak("max_memory_reserved", value, **changes)


def allocated(value, **changes):
    return peak("max_memory_allocated", value, **changes)


def outside(value, **changes):
    return peak("outside_allocator", value, **changes)


def ran(of, **changes):
    """Executed dimensions of a case, some of them changed; None is not told."""
    sizes = {name: figure.low for name, figure in of.dimensions.items()}
    sizes |= changes
    return {
        name: observed(value, count_of(name.rpartition("_")[2]), name)
        for name, value in sizes.items()
        if value is not None
    }


def run(*seen, load=None, id="whole-loop", of=None, gpu=GPU, piece="run", executed=None, **changes):
    """A successful whole loop of a case; facts of the record by `facts={path: value}`."""
    load = load or workload()
    of = of or load.cases[-1]
    printed = facts_of(load, piece, gpu, changes.pop("facts", {}))
    return Run(
        id=id,
        outcome=changes.pop("outcome", "success"),
        whole_loop=changes.pop("whole_loop", True),
        phases=changes.pop("phases", of.phases),
        facts=changes.pop("printed", printed),
        executed=ran(of, **(executed or {})),
        observations=seen,
        first_pass=changes.pop("first_pass", True),
        **changes,
    )


def total(value, *, counter="torch_total_memory", device=0, others=None, name=""):
    return Capacity(
        counter=counter,
        value=amount(value),
        device_index=device,
        pointer=pointer("total"),
        device_name=name,
        others=None if others is None else amount(others),
    )


def piece(id="run", *, runs=(), totals=(), machine=None, kind="record", attests=(), **scope):
    """A piece: `machine` is printed by the file, `scope` is typed by its author.

    `executed` in the scope are typed dimensions, `by` who typed all of it. It is of the decision's day.
    """
    by, dated = scope.pop("by", AUTHOR), scope.pop("date", DATE)
    dimensions = scope.pop("executed", {})
    told = {} if machine is None else {"machine": Fact(value=machine, address=pointer(id))}
    return Piece(
        id=id,
        file=f"evidence/{id}",
        sha256=digest(id),
        num_bytes=1,
        media_type="application/json",
        kind=kind,
        version="",
        span=span(),
        reading=Reading(
            kind=kind, shape="", runs=tuple(runs), capacities=tuple(totals), facts=told
        ),
        typed={path.replace("__", "."): typed(value, by) for path, value in scope.items()},
        typed_dimensions={
            name: stated(value, count_of(name.rpartition("_")[2]), f"{id}/{name}")
            for name, value in dimensions.items()
        },
        attested=tuple(attests),
        date=dated,
        typed_by=by,
    )


def failure(**changes):
    """An out-of-memory message that proves the lack: 2 GiB asked, 1 GiB free, nobody else there."""
    told = {
        "requested": "2.00 GiB",
        "free": "1.00 GiB",
        "total_capacity": "23.52 GiB",
        "process_in_use": "22.40 GiB",
        **changes.pop("quantities", {}),
    }
    return Failure(
        pointer=pointer("oom"),
        message_kind=changes.pop("message_kind", "allocator_oom"),
        memory=changes.pop("memory", "device"),
        backend="cuda",
        device_index=changes.pop("device_index", 0),
        quantities={name: amount(v) for name, v in told.items() if v is not None},
        other_processes=tuple(
            OtherProcess(pid=pid, in_use=shown("1.00 GiB")) for pid in changes.pop("others", ())
        ),
        message="CUDA out of memory.",
        **changes,
    )


def failing(why=None, **changes):
    """A run that failed; its record tells all strict facts unless `printed` says less."""
    return run(outcome="failure", failure=why or failure(), **changes)


def oom_log(id="oom", why=None, **scope):
    """A bare log: the file prints the failure and no scope at all; a person types the scope."""
    log = Run(id="log", outcome="failure", whole_loop=True, phases=(), failure=why or failure())
    return piece(id, runs=[log], kind="oom", **scope)


def attest(fact, *, quoted=True, by=AUTHOR, id="quote", **terms):
    """An attested fact; `quoted` is True where the very words stand in the document."""
    address = pointer(id) if quoted else span()
    return Attested(
        fact=fact,
        terms={name: value for name, value in terms.items() if isinstance(value, Figure)},
        words={
            name: Fact(value=value, address=address, by="" if quoted else by)
            for name, value in terms.items()
            if isinstance(value, str)
        },
        span=span(),
        pointer=pointer(id) if quoted else None,
        by=by,
    )


def document(id, *attests, kind="quote", **scope):
    return piece(id, kind=kind, attests=attests, **scope)


def quote(price="47.14 USD", *more, id="quote", per=None, offer="offer-01", **changes):
    terms = {"amount": money(price, declared)}
    if per is not None:
        terms["per"] = hours(per, declared)
    return document(id, attest("price", id=id, **terms, **changes), *more, offer=offer)


def capacity_words(value, counter="torch_total_memory", rounding="exact", **changes):
    """A total that a document states, as an attested fact."""
    seen = amount(value) if rounding == "exact" else shown(value, rounding)
    figure = declared(seen.low, BYTE, high=seen.high)
    return attest("capacity", counter=counter, value=figure, **changes)


# --- Requirements, policies, fiches ------------------------------------------------------------


def requirement(kind, level="must", *, id=None, cases=(), **terms):
    """Thresholds as figures, lists of which one is enough as lists, the rest as words."""
    return Requirement(
        id=id or kind,
        kind=kind,
        level=level,
        span=span(),
        cases=tuple(cases),
        figures={name: value for name, value in terms.items() if isinstance(value, Figure)},
        facts={name: typed(value, "") for name, value in terms.items() if isinstance(value, str)},
        choices={
            name: tuple(typed(one, "") for one in value)
            for name, value in terms.items()
            if isinstance(value, list)
        },
    )


def printing(id="print", machine=MACHINE, **facts):
    """What a tool printed of a machine: `devices__0__ecc="on"`; None as machine prints none."""
    made = piece(id, machine=machine)
    told = {path.replace("__", "."): value for path, value in facts.items()}
    words = {path: Fact(value=value, address=pointer(id)) for path, value in told.items()}
    reading = replace(made.reading, facts={**made.reading.facts, **words})
    return replace(made, reading=reading)


def memory(**changes):
    return requirement("memory", **changes)


def capacity(need, **changes):
    figure = stated(need, BYTE) if isinstance(need, int) else bytes_of(need)
    return requirement("capacity", at_least=figure, **changes)


def quality(at_least="0.62", **changes):
    return requirement(
        "quality",
        metric="exact_match",
        dataset="internal-qa-200",
        at_least=stated(Fraction(at_least)),
        **changes,
    )


def budget(at_most="60 USD", tax="excluded", **changes):
    words = {} if tax is None else {"tax": tax}
    return requirement("cost", at_most=money(at_most), **words, **changes)


def result(value="0.655", *, id="result", load=None, metric="exact_match", **scope):
    """An evaluation of the workload's own formats and engine, quoted from its file."""
    scored = attest(
        "quality", id=id, metric=metric, dataset="internal-qa-200", value=stated(Fraction(value))
    )
    told = {
        path.replace(".", "__"): fact.value for path, fact in (load or workload()).facts.items()
    }
    return document(id, scored, kind="result", **{**told, **scope})


def taken(metric, value, unit="s", stat="", label="request rate inf, concurrency 4", half=0):
    """A figure of a benchmark, as wide as its rounding; the load it was taken under is in its label."""
    number = Fraction(str(value))
    return Result(
        metric=metric,
        text=f"{value} {unit}",
        low=number - half,
        high=number + half,
        unit=unit,
        pointer=pointer(metric),
        stat=stat,
        label=label,
    )


def lengths(of=None, label="request rate inf, concurrency 4", **changes):
    """What a benchmark prints of ten requests of a case: totals, of which its readers take means."""
    sizes = {name: figure.low for name, figure in (of or case()).dimensions.items()} | changes
    totals = {"total_input_tokens": "prompt_tokens", "total_output_tokens": "new_tokens"}
    told = [taken("completed", 10, "requests", "total", label)]
    told += [
        taken(metric, 10 * sizes[name], "tokens", "total", label)
        for metric, name in totals.items()
        if sizes.get(name) is not None
    ]
    return told


def bench(*results, id="bench", load=None, gpu=GPU, of=None, sizes=None, facts=None, **scope):
    """A result of a serving benchmark whose file prints every strict fact, and the lengths of a case."""
    load, warnings = load or workload(), scope.pop("warnings", ())
    label = results[0].label if results else "request rate inf, concurrency 4"
    made = piece(id, kind=scope.pop("kind", "vllm_bench"), **scope)
    of = of or (load.cases[-1] if load.cases else case())
    told = lengths(of, label, **(sizes or {}))
    reading = replace(
        made.reading,
        results=(*results, *told),
        facts={**made.reading.facts, **facts_of(load, id, gpu, facts or {})},
        warnings=tuple(warnings),
    )
    return replace(made, reading=reading)


def throughput(at_least="300", unit="tokens/s", **changes):
    return requirement("throughput", at_least=stated(Fraction(at_least), count_of(unit)), **changes)


def latency(at_most="0.8", metric="ttft", percentile="p95", **changes):
    limit = stated(Fraction(at_most), SECOND)
    return requirement("latency", metric=metric, percentile=percentile, at_most=limit, **changes)


def policy(typed_scope="counts", tolerance="0 %"):
    base = NEUTRAL if typed_scope == "counts" else STRICT
    return replace(base, tie_tolerance=ratio(tolerance))


def fiche(candidates=None, pieces=(), requirements=(), *, load=None, policy=NEUTRAL, **changes):
    base = load or workload()
    return Fiche(
        title="Chat assistant",
        date=changes.pop("date", DATE),
        author=AUTHOR,
        file="chat.yaml",
        workload=base,
        requirements=tuple(requirements),
        candidates=tuple(candidates or (candidate(load=base),)),
        pieces=tuple(pieces),
        policy=policy,
        inputs=(),
        invalidated_by=(),
        choice=changes.pop("choice", None),
        **changes,
    )


def choice(chosen):
    return Choice(chosen=chosen, by=AUTHOR, role="engineer", because="needed on Monday")


# --- Judging -----------------------------------------------------------------------------------

DOORS = Doors(
    estimators=members("fiche.estimators", Estimator),
    criteria=members("fiche.criteria", Criterion),
    vendors=members("fiche.vendors", Vendor),
)
CRITERIA = {criterion.name: criterion for criterion in DOORS.criteria}


def decision(*args, **changes):
    return decide(fiche(*args, **changes), DOORS, "0")


def ground(pieces=(), *, on=None, base=None, policy=NEUTRAL, assume=False, purchase=NO_PURCHASE):
    load = on.workload if on else workload()
    return Inquiry(
        base=base or load,
        pieces=tuple(pieces),
        policy=policy,
        date=DATE,
        loads=loads_of(load, DOORS.estimators, "", {}),
        vendors={vendor.name: vendor for vendor in DOORS.vendors},
        assume=assume,
        purchase=purchase,
    )


def findings(asked, pieces=(), on=None, **changes):
    """Every finding of one requirement on one candidate, on firm bounds."""
    on = on or candidate()
    criterion = CRITERIA[asked.kind]
    return tuple(judged(criterion, asked, on, ground(pieces, on=on, **changes)))


def finding(asked, pieces=(), on=None, **changes):
    """The only finding of one requirement on one candidate."""
    (only,) = findings(asked, pieces, on, **changes)
    return only


def verdict(asked, pieces=(), on=None, **changes):
    return finding(asked, pieces, on, **changes).verdict


def second(asked, pieces=(), on=None, **changes):
    """The second readings of one requirement on one candidate."""
    on = on or candidate()
    criterion = CRITERIA[asked.kind]
    firm = ground(pieces, on=on, **changes)
    found = tuple(judged(criterion, asked, on, firm))
    guessing = replace(firm, assume=True)
    return tuple(second_readings(supposing(criterion, asked, on, found, guessing)))


def topics(found):
    return {condition.topic for condition in found.conditions}


def texts(found):
    return "; ".join(condition.text for condition in found.conditions)


def says(found, pattern):
    """True where the finding, or one of its conditions, says so."""
    return re.search(pattern, f"{found.text}; {texts(found)}") is not None


def outcome(made, id):
    return next(o for o in made.outcomes if o.candidate.id == id)
