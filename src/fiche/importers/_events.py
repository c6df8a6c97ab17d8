"""From messages to events: one failure is printed by a logger, a traceback and every layer around it.

A repeat has the same figures and may come from the same speaker. Two tests with equal figures, two
commands of a session, and a failure after the program went on are events of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from fiche.importers._excerpt import distance
from fiche.importers._found import Found
from fiche.importers._marks import marked
from fiche.importers._prefix import Speaker
from fiche.importers._prose import Document
from fiche.importers._restarts import Restarts
from fiche.kernel.lazy import lazy
from fiche.kernel.piece import OtherProcess, Printed
from fiche.kernel.record import field, record

_NEAR = 256 * 1024
_LOOKED_AT = 64 * 1024
_AFTER = 8 * 1024
_COMPARED = 64
_KEPT_FRONT = 800

_SESSION = lazy(
    rb"\n(?:>>> |In \[\d{1,6}\]:|[^\n]{0,80}##\[group\]Run "
    rb"|(?:[^\n]{0,80}[$#]|\+{1,4}) (?:python|torchrun|accelerate|deepspeed|srun)\b"
    rb"|[^\n]{0,60}?(?:(?<![=#*~])[=#*~]{3,80}+|(?<![+>-])[+>-]{2,80}+ )[^\n]{0,60}?"
    rb"\b(?i:run|trial|experiment|config|case|seed|attempt)\b[^\n\d]{0,40}+\d)"
)
_WENT_ON = lazy(
    rb"(?i:skipping (?:this )?batch|\bretrying\b|\bretry \d|recover(?:ed|ing)? from|falling back to"
    rb"|(?<!by )(?<!try )(?<!tried )(?:decreas|reduc|halv|lower|adjust)(?:ed|ing) (?:the )?(?:micro.?)?batch"
    rb"|(?:decrease|reduce|halve|lower|adjust) (?:the )?(?:micro.?)?batch(?:.?size)?:? (?:to|from) \d"
    rb"|batch.?size (?:was )?(?:reduced|decreased|lowered|halved)|with (?:a )?smaller batch"
    rb"|training with a batch size of)"
)
_WENT_ON_WORDS = (b"batch", b"retry", b"recover", b"falling back to")
_WRAPS = lazy(rb"failed with error|RayTaskError|ray::|Exception in worker")
_TEST = lazy(rb"(?:FAILED|ERROR)\b[^\n]{0,400}?::(test\w{0,200}(?:\[[^\]\n]{0,200}\])?)")
_HEADING = lazy(
    rb"(?:\A|\n)(?:_{3,} ?(?:[\w.]{1,200}\.)?(test\w{0,200}(?:\[[^\]\n]{0,200}\])?) ?_{3,}"
    rb"|(?:ERROR|FAIL): (test\w{0,200}))"
)


@record(frozen=False, kw_only=False)
class Event:
    """One failure: the first and the fullest of its messages, all their figures, how many repeat it."""

    first: Found
    fullest: Found
    test: bytes | None
    quantities: dict[str, Printed]
    other_processes: tuple[OtherProcess, ...]
    complete: bool | None
    stop: int
    device_index: int | None
    rank: int | str | None
    speaker: Speaker
    identity: str
    shape: str
    clock: int | None = None
    repeats: int = 0
    recovered: bool | None = None
    warnings: list[str] = field(default_factory=list)

    def take(self, found: Found, test: bytes | None) -> None:
        """Count a repeat; a fuller copy of the message fills in what the first one lacks."""
        self.repeats += 1
        self.stop = found.stop
        self.clock = _clock(found) or self.clock
        self.test = self.test or test
        self.identity = self.identity or found.identity
        self._settle(found)
        if self.rank is None:
            self.rank = found.speaker.rank
        if self.speaker.may_be(found.speaker):
            self.speaker = self.speaker.and_of(found.speaker)
        if found.bare:
            return
        if _fullness(found) > _fullness(self.fullest):
            self.fullest, self.shape = found, found.shape
        if self.device_index is None:
            self.device_index = found.device_index
        for name, value in found.quantities.items():
            self.quantities.setdefault(name, value)
        if self.complete is False:
            self.other_processes = max(self.other_processes, found.other_processes, key=len)
            self.complete = found.complete

    def _settle(self, found: Found) -> None:
        """A doubt stays only where every message leaves it: a sure one names what happened."""
        left = [text for text in self.warnings if text in found.warnings]
        if not left and self.warnings and not found.bare:
            self.shape = found.shape
        self.warnings = left


def _fullness(found: Found) -> int:
    return len(found.quantities) + len(found.other_processes)


def events(content: bytes, found: Iterable[Found]) -> list[Event]:
    """The events of a log in order; every further message of an event is counted in `repeats`."""
    result: list[Event] = []
    by_kind: dict[object, list[Event]] = defaultdict(list)
    headings = b"___" in content or b"\nERROR: test" in content or b"\nFAIL: test" in content
    previous: Event | None = None
    restarts, document = Restarts(content), Document(content)
    for message in found:
        started = restarts.before(message.start, message.speaker.service)
        restarts.skip(message.stop)
        test = _test(content, message, headings=headings)
        if previous is not None:
            _went_on(document, previous, message.start)
        alike = result if message.bare else by_kind[_kind(message)]
        event = next(
            (
                e
                for e in reversed(alike[-_COMPARED:])
                if e.stop > started and _same(content, e, message, test)
            ),
            None,
        )
        if event is None:
            event = _event(message, test)
            result.append(event)
            by_kind[_kind(message)].append(event)
        else:
            event.take(message, test)
        previous = event
    if previous is not None:
        _went_on(document, previous, len(content))
    if _one_core(content):
        for event in result:
            event.rank = None if event.rank == _FIRST_CORE else event.rank
    return result


_FIRST_CORE = "DP0"


def _one_core(content: bytes) -> bool:
    """True where one engine core of vLLM speaks: it is numbered even alone, and is no rank then."""
    return b"EngineCore_DP0 " in content and b"EngineCore_DP1 " not in content


def _event(found: Found, test: bytes | None) -> Event:
    return Event(
        first=found,
        fullest=found,
        test=test,
        quantities=dict(found.quantities),
        other_processes=found.other_processes,
        complete=found.complete,
        stop=found.stop,
        device_index=found.device_index,
        rank=found.speaker.rank,
        speaker=found.speaker,
        identity=found.identity,
        shape=found.shape,
        clock=_clock(found),
        warnings=list(found.warnings),
    )


_TIME = lazy(rb"(?<![\d:<])(\d\d):([0-5]\d):([0-5]\d)(?![\d:<])")
_APART = 60


def _clock(found: Found) -> int | None:
    """The seconds of the day that stand in front of a message."""
    told = _TIME.search(found.front[:_KEPT_FRONT])
    return None if told is None else int(told[1]) * 3600 + int(told[2]) * 60 + int(told[3])


def _long_after(event: Event, found: Found) -> bool:
    """True where a minute or more lies between two messages: no traceback takes so long."""
    now = _clock(found)
    if now is None or event.clock is None:
        return False
    return _APART <= (now - event.clock) % 86_400 <= 86_400 - _APART


def _kind(found: Found) -> object:
    return found.message_kind, found.backend, found.memory, found.library


def _same(content: bytes, event: Event, found: Found, test: bytes | None) -> bool:
    """True when a message repeats an event; the cheap questions come first."""
    if event.recovered or event.first.backend != found.backend:
        return False
    if event.identity and found.identity and event.identity != found.identity:
        return False
    if not found.bare and not (_figures_agree(event, found) and _devices_agree(event, found)):
        return False
    return _spoken_by_one(event, found) and _in_one_run(content, event, found, test)


def _spoken_by_one(event: Event, found: Found) -> bool:
    wrapped = _WRAPS.search(found.front[-600:]) is not None
    return wrapped or event.first.speaker.may_be(found.speaker)


def _in_one_run(content: bytes, event: Event, found: Found, test: bytes | None) -> bool:
    """False for two tests, for two commands of a session, and for messages far from each other."""
    if test is not None and event.test is not None:
        return test == event.test
    if _long_after(event, found):
        return False
    start = found.start
    if distance(content, event.stop, start) > _NEAR:
        return False
    return _SESSION.search(content, max(event.stop, start - _LOOKED_AT), start) is None


def _devices_agree(event: Event, found: Found) -> bool:
    return found.device_index is None or event.device_index in (None, found.device_index)


def _figures_agree(event: Event, found: Found) -> bool:
    """Equal figures; where one message breaks off or has none by nature, equal as far as it goes."""
    mine, other = event.quantities, found.quantities
    common = mine.keys() & other.keys()
    if any(mine[name].text != other[name].text for name in common):
        return False
    if event.complete is False or found.complete is False:
        return bool(common) or not mine or not other
    if found.library is not None:
        return True
    processes = [p.pid for p in event.other_processes] == [p.pid for p in found.other_processes]
    return mine.keys() == other.keys() and processes


def _went_on(document: Document, event: Event, until: int) -> None:
    """Note that the program went on; words of people behind a fenced block are not the program's."""
    stop = min(until, event.stop + _AFTER, document.fence_end(event.first.start) or until)
    behind = document.content[event.stop : stop].lower()
    if marked(behind, _WENT_ON_WORDS) and _WENT_ON.search(document.content, event.stop, stop):
        event.recovered = True


def _test(content: bytes, found: Found, *, headings: bool) -> bytes | None:
    """The test that a message belongs to, from its own line or the nearest heading above."""
    own = _TEST.findall(found.front[-800:])
    if own:
        return bytes(own[-1])
    if not headings:
        return None
    start = found.start
    above = _HEADING.findall(content, max(0, start - _LOOKED_AT), start)
    return next(bytes(name) for name in above[-1] if name) if above else None
