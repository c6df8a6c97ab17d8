"""What a table of a device tool does in a decision: it bounds from above, and tells of others (D4, C5)."""

import pytest
from importers.nvidia import MIB, NONE, PYTHON, wide
from scenarios.story import asked, device, files, found, judged, phase, record, verdict, visible

GPU, A40 = "nvidia-rtx-4090-24g", "nvidia-a40-48g"


def needing(need, gpu, *pieces, **candidate):
    fiche = asked()
    fiche["requirements"] = [{"id": "room", "kind": "capacity", "level": "must", "at_least": need}]
    fiche["candidates"] = [{"id": "rent", "gpu": gpu, "cards": 1, "machine": "node-1", **candidate}]
    fiche["pieces"] = [
        {"id": name.split(".")[0], "file": name, "machine": "node-1"} for name in pieces
    ]
    return fiche


def table(name, total, used="4MiB", processes=NONE):
    text = wide(used, processes).replace("NVIDIA H200", name.ljust(11))
    return text.replace("143771MiB", total.rjust(9))


def test_a_table_excludes_and_never_admits(tmp_path):
    """Two A40 of one name: with ECC on, 46068 MiB are below 49e9 bytes."""
    for need, total, expected in (
        ("49000000000 B", "46068MiB", "exclude"),
        ("49000000000 B", "49140MiB", "to_confirm"),
        ("1 GiB", "46068MiB", "to_confirm"),
    ):
        fiche = needing(need, A40, "gpu.txt", other_users="none")
        told = judged(tmp_path, fiche, {**files(), "gpu.txt": table("NVIDIA A40", total)})
        assert verdict(told, "room") == expected


def test_a_table_of_another_card_says_nothing_of_this_one(tmp_path):
    fiche = needing("20000000000 B", GPU, "gpu.txt")
    told = judged(tmp_path, fiche, {**files(), "gpu.txt": table("Tesla T4", "15360MiB")})
    assert verdict(told, "room") == "to_confirm"


@pytest.mark.parametrize(
    ("used", "processes", "expected"),
    [
        ("4MiB", NONE, "admissible"),
        ("23000MiB", PYTHON.format(22990), "to_confirm"),
        ("23000MiB", NONE, "to_confirm"),
    ],
    ids=["idle", "something computes", "something that a container does not see"],
)
def test_an_idle_card_tells_that_nobody_else_uses_it(tmp_path, used, processes, expected):
    """Beside a run's own total: what was in use while nothing computed bounds what others hold."""
    fiche = needing("23900000000 B", GPU, "run.json", "gpu.txt")
    lines = table("RTX 4090", "24531MiB", used, processes)
    nobody_looked = phase(devices=[device(other_processes_bytes=None)])
    run = record(nobody_looked, machine="node-1", devices=[visible(0, 24081 * MIB)])
    told = judged(tmp_path, fiche, {**files(), "run.json": run, "gpu.txt": lines})
    assert verdict(told, "room") == expected
    if expected == "admissible":
        assert found(told, "room")["margin"]["low_bytes"] == (24081 - 5) * MIB - 23_900_000_000


TOPOLOGY = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-7\nGPU1\tNV12\t X \t0-7\n"


@pytest.mark.parametrize(
    ("way", "machine", "expected"),
    [
        ("NV12", "node-1", "admissible"),
        ("NV12", "node-2", "to_confirm"),
        ("PHB", "node-1", "to_confirm"),
    ],
)
def test_a_topology_names_the_link_of_its_own_machine(tmp_path, way, machine, expected):
    fiche = needing("1 GiB", GPU, "topo.txt")
    fiche["requirements"] = [
        {"id": "link", "kind": "interconnect", "level": "must", "link": "NVLink"}
    ]
    fiche["candidates"][0]["machine"] = machine
    contents = {**files(), "topo.txt": TOPOLOGY.replace("NV12", way)}
    assert verdict(judged(tmp_path, fiche, contents), "link") == expected


def test_a_topology_holds_no_rate(tmp_path):
    fiche = needing("1 GiB", GPU, "topo.txt")
    rate = {"id": "link", "kind": "interconnect", "level": "must", "link": "NVLink"}
    fiche["requirements"] = [{**rate, "at_least": "600 GB/s"}]
    told = judged(tmp_path, fiche, {**files(), "topo.txt": TOPOLOGY})
    assert verdict(told, "link") == "to_confirm"
