"""What tests of pictures share: decisions of random numbers, and where the words of a drawing lie."""

from functools import cache
from itertools import combinations

from hypothesis import strategies as st
from render import decisions
from render.decisions import GIB, declared, observed, pointer, stated

from fiche.kernel.comparison import Comparison
from fiche.kernel.figure import Figure, total
from fiche.kernel.finding import Finding, Verdict
from fiche.kernel.origin import Computed
from fiche.kernel.piece import Observation, Reading, Run
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, count_of
from fiche.report.letters import width
from fiche.report.parts import Lettering, Plate, Sign, Stroke

LETTERS = 15
FILE = "evidence/run-4090.json"

words = st.text(min_size=1, max_size=60) | st.sampled_from(
    (
        "rent-4090",
        "‮" + "x" * 80,
        "<script>alert(1)</script>",
        "]]></svg>",
        "W" * 50,
        "名前" * 20,
        "é" * 40,
    )
)
sizes = st.integers(1, 4000).map(lambda n: n * GIB // 16)


# --- Decisions ------------------------------------------------------------------------------------


@st.composite
def needs(draw):
    """(kind, sizes of the items, width of an interval) of a need."""
    kind = draw(st.sampled_from(("observed", "floor", "envelope", "none")))
    return kind, draw(st.lists(sizes, min_size=1, max_size=6)), draw(st.sampled_from((0, 0, GIB)))


@st.composite
def rooms(draw):
    """(low, high) of a capacity; None is an open end."""
    low = draw(st.none() | sizes)
    high = draw(st.none() | sizes)
    if low is not None and high is not None:
        low, high = sorted((low, high))
    return low, high


verdicts = st.sampled_from(tuple(Verdict))


@cache
def base():
    """The decision made by hand, once: making it is most of what a test takes."""
    return decisions.rich()


@st.composite
def answers(draw):
    """(candidate, case, need, capacity, verdict) each: names of any letters, needs that some share."""
    names = draw(st.lists(words, min_size=1, max_size=12))
    shared = draw(st.lists(needs(), min_size=1, max_size=7))
    cases = ("usual", draw(words))
    return tuple(
        (
            f"{place}{name}",
            cases[place % 2],
            shared[draw(st.integers(0, len(shared) - 1))],
            draw(rooms()),
            draw(verdicts),
        )
        for place, name in enumerate(names)
    )


def decided(rows):
    """The decision made by hand, with these answers and no other."""
    made = base()
    found = tuple(finding(*row, place) for place, row in enumerate(rows))
    first = made.outcomes[0]
    outcomes = tuple(
        replace(first, candidate=replace(first.candidate, id=one.candidate), findings=(one,))
        for one in found
    )
    asked = replace(made.fiche, candidates=tuple(one.candidate for one in outcomes))
    return replace(made, fiche=asked, outcomes=outcomes, findings=found, second_readings=())


def finding(who, case, need, room, verdict, place):
    kind, items, spread = need
    shown, low, high = _need(kind, items, spread)
    have = [
        None
        if end is None
        else declared(end, BYTE, f"have.{n}.{end}", pointer(FILE, 3), "maker", "label")
        for n, end in enumerate(room)
    ]
    useful = None
    if have[0] is not None and high is not None:
        distance = have[0].low - shown.low
        useful = Figure(
            low=distance,
            high=distance,
            unit=BYTE,
            origin=Computed(operation="-", inputs=()),
            id=f"useful.{place}",
        )
    return Finding(
        requirement="memory",
        kind="memory",
        level="must",
        candidate=who,
        verdict=verdict,
        reason="proven_failure" if verdict is Verdict.EXCLUDE else "open",
        text="told",
        need=shown,
        have=have[1] if have[0] is None else have[0],
        margin=useful,
        case=case,
        comparison=Comparison(
            need_low=low,
            need_high=high,
            have_low=have[0],
            have_high=have[1],
            need_is_floor=low is not None and shown is low and high is None,
        ),
    )


def _need(kind, items, spread):
    if kind == "none":
        return None, None, None
    if kind == "observed":
        seen = observed(items[0], f"peak.{items[0]}", FILE, 4, "process_device_used")
        return seen, None, seen
    parts = [
        stated(size, BYTE, f"item.{n}.{size}", 9, f"item {n} with a name of its own")
        for n, size in enumerate(items)
    ]
    if spread:
        parts[0] = replace(parts[0], high=parts[0].low + spread)
    name = (
        "floor: what must be resident together"
        if kind == "floor"
        else "conservative envelope: a sum"
    )
    whole = total(parts, BYTE).named(f"{kind}.{'.'.join(map(str, items))}.{spread}", name)
    return whole, whole if kind == "floor" else None, None


levels = st.none() | sizes
# (name, allocated at its start, allocated peak, reserved peak) of each phase.
phases = st.lists(st.tuples(words, levels, levels, levels), min_size=1, max_size=14)
# (prompt tokens, resident sequences, peak or failure) of each run.
runs = st.lists(
    st.tuples(st.integers(0, 200_000), st.integers(1, 64), levels), min_size=1, max_size=30
)


def phased(told):
    """A decision with a record of these phases."""
    made = []
    for place, (name, start, peak, reserved) in enumerate(told):
        read = (
            _level("memory_allocated", "start", start, name),
            _level("max_memory_allocated", "peak", peak, name),
            _level("max_memory_reserved", "peak", reserved, name),
        )
        made.append(
            Run(
                id=f"run.{place}.phase",
                outcome="success",
                whole_loop=False,
                phases=(name,),
                observations=tuple(one for one in read if one is not None),
            )
        )
    return with_runs(made)


def _level(counter, stat, size, phase, scope="process_allocator"):
    if size is None:
        return None
    return Observation(
        counter=counter,
        scope=scope,
        stat=stat,
        kind_of_origin="measured",
        pointer=pointer(FILE, 22),
        value=decisions.exact(size),
        device_index=0,
        phase=phase,
    )


def measured(told):
    """A decision with these runs of one workload, some of which failed."""
    made = []
    for place, (tokens, held, peak) in enumerate(told):
        seen = _level("process_device_used", "peak", peak, "loop", "process")
        made.append(
            Run(
                id=f"run-{place}",
                outcome="failure" if peak is None else "success",
                whole_loop=True,
                first_pass=True,
                phases=("prefill",),
                executed={
                    "prompt_tokens": stated(tokens, count_of("tokens"), "", 1),
                    "resident_sequences": stated(held, count_of("sequences"), "", 1),
                },
                observations=() if seen is None else (seen,),
            )
        )
    return with_runs(made)


def with_runs(runs):
    """The decision made by hand, where one piece tells of these runs and of no other."""
    made = base()
    reading = Reading(kind="record", shape="fiche-record/1", backend="cuda", runs=tuple(runs))
    piece = decisions.piece("several", FILE, "record", "2026-11-18", 32, reading)
    return replace(made, fiche=replace(made.fiche, pieces=(piece,)))


# --- Drawings -------------------------------------------------------------------------------------


def box(mark):
    """(left, top, right, bottom) of words, with what their letters need above and below the line."""
    heavy = mark.tone not in ("plain", "quiet")
    wide = min(width(mark.text, LETTERS, heavy=heavy), mark.room)
    left = mark.x - {"start": 0, "middle": wide // 2, "end": wide}[mark.anchor]
    return left, mark.y - 11, left + wide, mark.y + 3


def letterings(drawing):
    return [mark for mark in drawing.marks if isinstance(mark, Lettering) and mark.text]


def assert_sound(drawing):
    """Nothing leaves the picture, no words lie on other words, nothing is turned inside out."""
    for mark in letterings(drawing):
        left, top, right, bottom = box(mark)
        assert left >= 0, mark
        assert right <= drawing.width, mark
        assert top >= 0, mark
        assert bottom <= drawing.height, mark
    for one, other in combinations(letterings(drawing), 2):
        (a, b, c, d), (e, f, g, h) = box(one), box(other)
        assert c <= e or g <= a or d <= f or h <= b, (one, other)
    for mark in drawing.marks:
        if isinstance(mark, Plate):
            assert mark.width > 0
            assert mark.height > 0
            assert 0 <= mark.x <= mark.x + mark.width <= drawing.width
            assert 0 <= mark.y <= mark.y + mark.height <= drawing.height
        if isinstance(mark, Stroke):
            assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in mark.points)
        if isinstance(mark, Sign):
            assert 0 <= mark.x <= drawing.width
            assert 0 <= mark.y <= drawing.height
