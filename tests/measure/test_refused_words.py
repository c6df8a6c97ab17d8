"""What no record can hold is refused at the call in one sentence, and whatever is let through can be read.

A record is made on a rented machine and imported weeks later: then it is too late to find out (C1, C2).
"""

import json
import math

import pytest
from measure.simulated import SimulatedDevice, SimulatedDevices, simulated

from fiche.importers.fiche_record import read
from fiche.measure.protocol.devices import NoDevice, find_devices
from fiche.measure.protocol.recorder import MisusedError, recorder
from fiche.measure.protocol.words import plain_text


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.json"


def imported(path):
    return read(path.read_bytes(), "0" * 64)


def phases(path):
    return json.loads(path.read_text("utf-8"))["phases"]


class UnprintableError(Exception):
    def __str__(self):
        raise ValueError("no text")


class Index:
    """An integer of another library."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


HUGE = 10**5000
WRONG_COUNTS = [
    -1,
    1.5,
    3.0,
    math.nan,
    math.inf,
    True,
    "8",
    None,
    [8],
    (8,),
    2**63,
    HUGE,
    Index(-1),
]
WRONG_NAMES = [
    "",
    "Prefill",
    "8bit",
    "pre fill",
    "a-b",
    "a.b",
    "é",
    "a" * 61,
    "x\n",
    "\ud800",
    7,
    None,
]


@pytest.mark.parametrize("count", WRONG_COUNTS, ids=lambda count: type(count).__name__)
def test_a_dimension_is_a_whole_number(path, count):
    """No fraction is rounded, no truth value counted: 3.7 tokens executed are not 3."""
    machine = simulated()
    with recorder(path, device=machine) as rec:
        with pytest.raises((TypeError, ValueError), match="new_tokens is a whole number"):
            rec.phase("decode", new_tokens=count)
        with pytest.raises((TypeError, ValueError)):
            rec.whole_loop(new_tokens=count)
        assert machine.calls == []
        with rec.phase("decode") as phase, pytest.raises((TypeError, ValueError)):
            phase.executed(new_tokens=count)
    assert "executed" not in phases(path)[0]
    assert imported(path).runs[0].outcome == "success"


def test_integers_of_other_libraries_are_whole_numbers(path):
    """NumPy's, PyTorch's: whatever has an index."""
    with recorder(path, device=simulated()) as rec, rec.phase("decode", batch=Index(4)) as phase:
        phase.executed(batch=Index(3), largest=2**63 - 1, none=0)
    (told,) = phases(path)
    assert told["declared"] == {"batch": 4}
    assert told["executed"] == {"batch": 3, "largest": 2**63 - 1, "none": 0}
    imported(path)


@pytest.mark.parametrize("name", WRONG_NAMES, ids=repr)
def test_a_name_that_no_phase_has(path, name):
    machine = simulated()
    with recorder(path, device=machine) as rec:
        for wrong in (rec.phase, rec.whole_loop):
            with pytest.raises((TypeError, ValueError), match="the name of a phase"):
                wrong(name)
        with pytest.raises((TypeError, ValueError), match="the name of a phase"):
            rec.whole_loop("loop", covers=["prefill", name])
    assert machine.calls == []


@pytest.mark.parametrize(
    "words",
    [
        {"covers": "prefill"},
        {"pass_": "warm"},
        {"pass_": ""},
        {"check": "finite"},
        {"Batch": 1},
        {"a" * 61: 1},
        {"a.b": 1},
    ],
    ids=str,
)
def test_words_that_no_phase_has(path, words):
    with recorder(path, device=simulated()) as rec:
        with pytest.raises((TypeError, ValueError)) as raised:
            rec.phase("decode", **words)
        assert "\n" not in str(raised.value)
    assert phases(path) == []


@pytest.mark.parametrize(
    "words",
    [
        {"case": "x" * 501},
        {"case": 7},
        {"sample_ms": 0.5},
        {"sample_ms": -1},
        {"sample_ms": True},
        {"warmups": -1},
        {"warmups": 1.0},
        {"repeats": "5"},
        {"seed": -3},
        {"order": 3},
        {"order": "x" * 501},
        {"empty_cache": False},
        {"gpu": "RTX 5070"},
        {"gpu": "H100\n"},
        {"machine": "a/b"},
        {"machine": "x" * 101},
        {"run": 7},
        {"series": 7},
        {"protocol": 7},
        {"plan": "vary"},
        {"plan": {"kind": "vary"}},
        {"plan": {"kind": "guess", "index": 0}},
        {"plan": {"kind": "vary", "index": 0, "value": 8}},
        {"plan": {"kind": "vary", "index": -1}},
        {"plan": {"kind": "vary", "index": 0, "note": "x"}},
        {"plan": {"kind": ["vary"], "index": 0}},
        {"workload": {"a.b": "x"}},
        {"workload": {"Model": "x"}},
        {"workload": {"model": {"bits": 1.5}}},
        {"workload": {"model": {"name": None}}},
        {"workload": {"model": ("a", "b")}},
        {"workload": {"model": ["a"]}},
        {"workload": {"model": math.nan}},
        {"workload": {7: "x"}},
        {"workload": {"model": "x" * 2001}},
        {"workload": {"model": 2**63}},
        {"workload": {"model": HUGE}},
        {"workload": {"model": object()}},
        {"workload": ["model"]},
        {"device": 0},
        {"device": object()},
    ],
    ids=lambda words: f"{words}"[:60] if "workload" not in words else "workload",
)
def test_words_that_no_record_has_leave_no_file(path, words):
    """Refused before anything is written, so that the name is free for the next try."""
    with pytest.raises((TypeError, ValueError)) as raised:
        recorder(path, **{"device": simulated(), **words})
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 600
    assert list(path.parent.iterdir()) == []


def test_a_workload_that_holds_itself_is_refused(path):
    words = {}
    words["model"] = words
    with pytest.raises(ValueError, match="nested deeper"):
        recorder(path, device=simulated(), workload=words)


def test_words_are_kept_as_they_were_at_the_call(path):
    words = {"model": {"name": "a"}}
    with recorder(path, device=simulated(), workload=words):
        words["model"]["name"] = object()
    assert json.loads(path.read_text("utf-8"))["workload"] == {"model": {"name": "a"}}


@pytest.mark.parametrize("output", ["", ".", "..", "/", "a/..", "a\0b"])
def test_an_output_that_names_no_file_is_refused(tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    for world in (None, "2"):
        if world:
            monkeypatch.setenv("RANK", "0")
            monkeypatch.setenv("WORLD_SIZE", world)
        with pytest.raises((ValueError, OSError)):
            recorder(output, device=simulated())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [[], (), ""])
def test_no_device_at_all_is_nothing_to_measure(monkeypatch, names):
    """C9: a record without a device would be a success of nothing."""
    import sys
    from types import SimpleNamespace

    from measure.test_devices import Api

    module = SimpleNamespace(
        __version__="2", version=SimpleNamespace(cuda="12", hip=None), cuda=Api()
    )
    monkeypatch.setitem(sys.modules, "torch", module)
    with pytest.raises(NoDevice):
        find_devices(names)


# --- What is let through can be read --------------------------------------------------------------


TEXTS = [
    "\ud800 half",
    "\0 zero",
    "a\x1b[31mred",
    "x" * 300_000,
    "",
    "\u2028\n\r\n",
    "\U0001f600",
    '"}\n{"',
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:20])
def test_any_message_can_be_read(path, text):

    def run(rec):
        with rec.phase("forward") as phase:
            phase.note(words=text, number=1.5)
            phase.output(False, text or "x")
            raise RuntimeError(text)

    with recorder(path, device=simulated(), order=text[:500] or "x", case=text[:500]) as rec:
        with pytest.raises(RuntimeError):
            run(rec)
        with rec.whole_loop(), pytest.raises(RuntimeError), rec.phase("forward"):
            raise RuntimeError(text)
    (failure,) = imported(path).failures
    assert failure is not None
    error = phases(path)[0]["error"]
    assert len(error["message"]) == min(len(text), 100_000)
    assert ("extra" in error) == (len(text) > 100_000), "a message that was cut is said to be"


def test_an_exception_without_a_text_is_kept_and_raised_again(path):
    with recorder(path, device=simulated()) as rec:
        with pytest.raises(UnprintableError), rec.phase("forward"):
            raise UnprintableError
        with pytest.raises(UnprintableError), rec.whole_loop(), rec.phase("decode"):
            raise UnprintableError
    assert [told["error"]["message"] for told in phases(path)] == [
        plain_text(UnprintableError(), 99)
    ] * 2
    imported(path)


def test_a_device_whose_errors_have_no_text(path):
    machine = simulated()
    for method in ("allocated", "peak_reserved", "reset_peaks"):
        machine.all[0].fail(method, 0, UnprintableError())
    machine.all[0].fail("synchronize", 1, UnprintableError())
    with (
        pytest.raises(UnprintableError),
        recorder(path, device=machine) as rec,
        rec.phase("forward"),
    ):
        pass
    assert phases(path)[0]["outcome"] == "failure"
    imported(path)


def test_thousands_of_dimensions_and_names(path):
    many = {f"d{number}": number for number in range(5000)}
    with recorder(path, device=simulated()) as rec, rec.phase("forward", **many) as phase:
        phase.executed(**many)
    assert len(imported(path).runs[0].executed) == 5000


class Odd:
    """Looks like a tensor."""

    def __init__(self, shape, dtype="bfloat16"):
        self.shape = shape
        self.dtype = dtype


class Raising:
    dtype = "float32"

    @property
    def shape(self):
        raise RuntimeError("of a lost device")


@pytest.mark.parametrize(
    "value",
    [
        Odd((2, -1)),
        Odd((2, None)),
        Odd((2, 1.5)),
        Odd(None),
        Odd([1] * 65),
        Odd((2,), dtype=""),
        Raising(),
        {"\ud800": Odd((1,))},
        {7: {("a",): Odd((1,))}},
        {"k" * 900: Odd((Index(3),))},
        [Odd((1,))] * 500,
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_looks_like_a_tensor_breaks_nothing(path, value):
    """What has no shape of whole numbers is left out (C2); the workload goes on."""
    with recorder(path, device=simulated()) as rec, rec.phase("forward") as phase:
        phase.saw(value=value)
    imported(path)


@pytest.mark.parametrize("note", [math.nan, math.inf, object(), {1, 2}, b"x"], ids=repr)
def test_a_note_is_json(path, note):
    with recorder(path, device=simulated()) as rec, rec.phase("forward") as phase:
        with pytest.raises((TypeError, ValueError)):
            phase.note(plan=note)
        phase.note(plan={"a": [1, 2.5, None]})
    imported(path)


# --- The output -----------------------------------------------------------------------------------


@pytest.mark.parametrize("passed", ["no", "", [], None, object()], ids=repr)
def test_passed_is_true_or_false(path, passed):
    """C14: the text "no" is no pass."""
    with (
        recorder(path, device=simulated()) as rec,
        rec.phase("forward") as phase,
        pytest.raises(TypeError, match="True or False"),
    ):
        phase.output(passed, "by hand")
    assert phases(path)[0]["output_check"] == {"status": "not_checked"}


@pytest.mark.parametrize("returned", [None, "ok", [1]], ids=repr)
def test_a_check_that_answers_neither_way_has_not_passed(path, returned):
    with (
        recorder(path, device=simulated()) as rec,
        rec.phase("forward", check=lambda value: returned) as phase,
    ):
        phase.result(1)
    told = phases(path)[0]["output_check"]
    assert told["passed"] is False
    assert "neither True nor False" in told["method"]


def test_a_check_whose_error_has_no_text_costs_no_phase(path):
    def _(value):
        raise UnprintableError

    with recorder(path, device=simulated()) as rec, rec.phase("forward", check=_) as phase:
        phase.result(1)
    told = phases(path)[0]
    assert (told["outcome"], told["output_check"]["passed"]) == ("success", False)
    imported(path)


# --- Orders of calls ------------------------------------------------------------------------------


def test_a_phase_runs_once(path):
    """What the first run said it executed would stand beside the second one's readings."""
    with recorder(path, device=simulated()) as rec:
        phase = rec.phase("forward", batch=1)
        with phase:
            phase.executed(batch=1)
            with pytest.raises(MisusedError, match="begun before"):
                phase.begin()
        with pytest.raises(MisusedError, match="begun before"), phase:
            raise AssertionError("never reached")
        with rec.whole_loop():
            inner = rec.phase("decode")
            with inner, pytest.raises(MisusedError, match="begun before"):
                inner.begin()
    assert [told["name"] for told in phases(path)] == ["forward", "loop"]


def test_a_phase_that_is_over_takes_no_word(path):
    """It is on disk already, and what is said later would be lost in silence."""
    with recorder(path, device=simulated()) as rec:
        with rec.phase("forward") as phase:
            pass
        calls = (
            lambda: phase.executed(batch=1),
            lambda: phase.output(True, "by hand"),
            lambda: phase.note(a=1),
            lambda: phase.saw(a=Odd((1,))),
            lambda: phase.result(1),
        )
        for call in calls:
            with pytest.raises(MisusedError, match="is over"):
                call()


@pytest.mark.parametrize("error", [None, "out of memory", KeyError])
def test_a_phase_fails_with_an_exception(path, error):
    """`fail(None)` would be a success."""
    with recorder(path, device=simulated()) as rec:
        phase = rec.phase("forward").begin()
        with pytest.raises(TypeError, match="an exception"):
            phase.fail(error)
        phase.fail(RuntimeError("out of memory"))
    assert phases(path)[0]["outcome"] == "failure"


def test_what_only_runs_later_is_no_phase_of_its_call(path):
    """A phase around it would end before the work begins, and claim its success."""

    async def coroutine():
        return 1

    def generator():
        yield 1

    async def both():
        yield 1

    with recorder(path, device=simulated()) as rec:
        for function in (coroutine, generator, both):
            with pytest.raises(TypeError, match="runs later"):
                rec.phase("decode")(function)
    assert phases(path) == []


def test_nested_decorators_and_recursion_are_phases_of_their_own(path):
    with recorder(path, device=simulated()) as rec:

        @rec.phase("outer")
        @rec.phase("inner")
        def down(depth):
            return depth if depth == 0 else down(depth - 1)

        assert down(2) == 0
    told = phases(path)
    assert [phase["name"] for phase in told] == ["outer", "inner"] * 3
    assert [phase.get("parent") for phase in told] == [None, 0, 1, 2, 3, 4]
    assert [phase["pass"] for phase in told] == ["first", "first", *["later"] * 4]
    imported(path)


def test_a_capture_is_not_spoilt_by_a_synchronization(path):
    """A CUDA graph that is being captured fails for good when the device is synchronized."""

    class Capturing(SimulatedDevice):
        is_on = False

        def capturing(self):
            return self.is_on

    device = Capturing()
    with recorder(path, device=SimulatedDevices([device])) as rec:
        device.is_on = True
        with pytest.raises(MisusedError, match="captured"):
            rec.phase("forward").begin()
        assert device.calls == []
        device.is_on = False
        with rec.whole_loop():
            device.is_on = True
            with rec.phase("forward"):
                pass
            device.is_on = False
    assert [told["name"] for told in phases(path)] == ["loop"]
