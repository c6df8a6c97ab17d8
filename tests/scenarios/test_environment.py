"""An environment bounds what its own machine offers, and says nothing of another (D4, A5, F2)."""

import copy

import pytest
from importers.environments import ENVIRONMENT, GIB, VISIBLE
from scenarios.story import MACHINE, asked, device, files, found, judged, phase, record, verdict

LABEL = 24 * GIB


def of(machine=MACHINE, others=0, change=None):
    """The environment of a machine; `others` None where nobody looked."""
    made = copy.deepcopy(ENVIRONMENT)
    made["machine"] = machine
    if machine is None:
        del made["machine"]
    if others is None:
        del made["readings"]
    else:
        made["readings"][0]["other_processes_bytes"]["bytes"] = others
    if change is not None:
        change(made)
    return made


def needing(need, *requirements, piece=None):
    """A fiche that asks for room on node-7, with the environment as its only piece."""
    fiche = asked()
    room = {"id": "room", "kind": "capacity", "level": "must", "at_least": f"{need} B"}
    fiche["requirements"] = [room, *requirements]
    fiche["pieces"] = [{"id": "env", "file": "env.json", **(piece or {})}]
    return fiche


def told(folder, need, environment, **more):
    return judged(folder, needing(need, **more), {**files(), "env.json": environment})


@pytest.mark.parametrize(
    ("need", "expected"),
    [(VISIBLE, "admissible"), (VISIBLE + 1, "exclude"), (LABEL + 1, "exclude")],
)
def test_the_machines_own_print_bounds_from_both_sides(tmp_path, need, expected):
    """DESIGN 4: low is the framework-visible total that this machine printed, high is that print."""
    decided = told(tmp_path, need, of())
    assert verdict(decided, "room") == expected
    assert found(decided, "room")["pieces"] == ["env"]


@pytest.mark.parametrize(
    ("need", "expected"), [(VISIBLE, "to_confirm"), (VISIBLE + 1, "to_confirm"), (1, "to_confirm")]
)
def test_another_machine_is_not_bounded(tmp_path, need, expected):
    """Capacity is of a machine, not of a name: the same card elsewhere neither admits nor excludes."""
    decided = told(tmp_path, need, of("node-8"))
    assert verdict(decided, "room") == expected
    assert found(decided, "room")["pieces"] == []


def test_what_others_held_is_taken_off(tmp_path):
    decided = told(tmp_path, VISIBLE - 2 * GIB, of(others=2 * GIB))
    assert verdict(decided, "room") == "admissible"
    assert verdict(told(tmp_path / "b", VISIBLE - GIB, of(others=2 * GIB)), "room") != "admissible"


def test_others_that_nobody_looked_at_leave_the_lower_bound_open(tmp_path):
    assert verdict(told(tmp_path, GIB, of(others=None)), "room") == "to_confirm"
    decided = told(tmp_path / "b", VISIBLE + 1, of(others=None))
    assert verdict(decided, "room") == "exclude"


def test_a_tool_alone_never_admits(tmp_path):
    def listed(made):
        (one,) = made["environment"]["devices"]
        del one["total_memory_bytes"]
        one["counted_by"] = "nvml"

    physical = ENVIRONMENT["environment"]["devices"][0]["nvml_total_bytes"]
    assert verdict(told(tmp_path, GIB, of(change=listed)), "room") == "to_confirm"
    assert verdict(told(tmp_path / "b", physical + 1, of(change=listed)), "room") == "exclude"


def test_the_author_may_name_the_machine_and_a_contradiction_is_shown(tmp_path):
    named = {"machine": MACHINE}
    decided = told(tmp_path, VISIBLE, of(None), piece=named)
    assert verdict(decided, "room") == "admissible"
    decided = told(tmp_path / "b", VISIBLE, of("node-8"), piece=named)
    assert verdict(decided, "room") == "to_confirm"


def test_another_device_than_the_candidates_card_is_not_its_capacity(tmp_path):
    def other(made):
        made["environment"]["devices"][0]["name"] = "Tesla T4"

    assert verdict(told(tmp_path, VISIBLE + 1, of(change=other)), "room") == "to_confirm"


def test_it_stands_in_for_what_a_run_elsewhere_cannot_tell(tmp_path):
    """The run of another machine of this card shows the need; this machine's environment its capacity."""
    fiche = asked()
    elsewhere = record(phase(devices=[device()]), machine="node-8")
    without = judged(tmp_path / "a", fiche, {**files(), "run.json": elsewhere})
    assert verdict(without) == "to_confirm"
    fiche["pieces"].append({"id": "env", "file": "env.json"})
    contents = {**files(), "run.json": elsewhere, "env.json": of()}
    decided = judged(tmp_path / "b", fiche, contents)
    assert verdict(decided) == "admissible"
    assert set(found(decided)["pieces"]) == {"run", "env"}


def test_it_admits_nothing_by_itself(tmp_path):
    """Nothing ran: the need is as unknown as before."""
    fiche = asked()
    fiche["pieces"] = [{"id": "env", "file": "env.json"}]
    decided = judged(tmp_path, fiche, {**files(), "env.json": of()})
    assert verdict(decided) == "to_confirm"


@pytest.mark.parametrize(
    ("version", "machine", "expected"),
    [
        ("570.0", MACHINE, "admissible"),
        ("580.0", MACHINE, "exclude"),
        ("570.0", "node-8", "to_confirm"),
    ],
)
def test_versions_that_the_machine_prints_answer_for_it(tmp_path, version, machine, expected):
    """D3: tied to a piece of that machine; another machine's driver is not this one's."""
    driver = {
        "id": "driver",
        "kind": "software",
        "level": "must",
        "component": "driver",
        "at_least": version,
    }
    decided = judged(tmp_path, needing(GIB, driver), {**files(), "env.json": of(machine)})
    assert verdict(decided, "driver") == expected
