"""Streams of events to replay: written by hand, or drawn."""

from hypothesis import strategies as st

from fiche.simulate.ledger.events import Events

MIB = 1 << 20


def events_of(*steps):
    """Return events from words: ("a", MiB or bytes as text), "-a" to free, "empty"."""
    events, names = Events(), {}
    for step in steps:
        if step == "empty":
            events.empty_cache()
        elif isinstance(step, str):
            events.free(names[step.removeprefix("-")])
        else:
            name, amount, *stream = step
            names[name] = len(names)
            asked = int(amount) if isinstance(amount, str) else int(amount * MIB)
            events.alloc(names[name], asked, *stream)
    return events


AMOUNTS = st.one_of(
    st.integers(0, 4096),
    st.integers(1, 80).map(lambda n: n * 256 * 1024),
    st.sampled_from([MIB, MIB + 1, 10 * MIB - 1, 10 * MIB, 16 * MIB, 32 * MIB, 50 * MIB]),
)


@st.composite
def drawn_events(draw, most=60, streams=2, empties=True):
    """Allocations and frees in any order, with the cache emptied now and then."""
    events, live = Events(), []
    for number in range(draw(st.integers(1, most))):
        kind = draw(st.integers(0, 9))
        if kind < 4 and live:
            events.free(live.pop(draw(st.integers(0, len(live) - 1))))
        elif kind == 9 and empties:
            events.empty_cache()
        else:
            live.append(number)
            events.alloc(number, draw(AMOUNTS), draw(st.integers(0, streams - 1)))
    return events


def all_freed(events):
    """Return the same events, with everything freed and the cache emptied behind them."""
    whole = Events()
    whole.extend(events)
    live = dict.fromkeys(name for op, name in zip(events.ops, events.ids, strict=True) if op == 0)
    for op, name in zip(events.ops, events.ids, strict=True):
        if op == 1:
            del live[name]
    for name in live:
        whole.free(name)
    whole.empty_cache()
    return whole
