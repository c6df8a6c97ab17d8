"""Several cards and nodes: a record of each rank, none over another's, and one of them all (C9).

`torchrun` starts real processes that really meet (gloo); only the counters are those of the simulated device.
"""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fiche.importers.fiche_record import read

pytestmark = pytest.mark.cluster

SCRIPT = Path(__file__).with_name("ranked.py")
TORCHRUN = (sys.executable, "-m", "torch.distributed.run")
MIB = 1 << 20


def port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def torchrun(*words, nodes=1, node=0, processes=2, at=None):
    """Start one node's agent; on one machine all nodes meet at one port."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    return subprocess.Popen(
        [
            *TORCHRUN,
            f"--nnodes={nodes}",
            f"--node-rank={node}",
            f"--nproc-per-node={processes}",
            "--master-addr=127.0.0.1",
            f"--master-port={at or port()}",
            str(SCRIPT),
            *map(str, words),
        ],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ended(*agents):
    """The exit code of each agent, and all that was said."""
    said = [agent.communicate(timeout=120)[0] for agent in agents]
    return [agent.returncode for agent in agents], "\n".join(said)


def record(path):
    return json.loads(path.read_text(encoding="utf-8"))


def fiche(*words):
    return subprocess.run(
        [sys.executable, "-m", "fiche", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_each_rank_writes_its_own_record(tmp_path):
    codes, said = ended(torchrun(tmp_path / "m.json"))
    assert codes == [0], said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m-rank0.json", "m-rank1.json"]
    for rank in (0, 1):
        told = record(tmp_path / f"m-rank{rank}.json")
        series = told["series"]["rank"]
        assert (series["rank"], series["world"], series["local_rank"]) == (rank, 2, rank)
        load, forward = told["phases"]
        assert [each["device"] for each in load["devices"]] == [f"cuda:{rank}"]
        assert load["devices"][0]["peak"]["allocated_bytes"] == (rank + 1) * 100 * MIB
        assert forward["outcome"] == "success"


def test_again_no_record_is_written_over(tmp_path):
    """C10: the same command twice: the second run is refused on every rank."""
    assert ended(torchrun(tmp_path / "m.json"))[0] == [0]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    codes, said = ended(torchrun(tmp_path / "m.json"))
    assert codes[0] != 0
    assert "no measurement is overwritten" in said
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_rank_that_fails_keeps_its_failure_and_leaves_the_others_record(tmp_path):
    """C11: torchrun then ends the other rank, whose finished phases are in its journal or record."""
    codes, said = ended(torchrun(tmp_path / "m.json", "--fail", 1))
    assert codes[0] != 0
    failed = record(tmp_path / "m-rank1.json")["phases"][-1]
    assert failed["outcome"] == "failure"
    assert failed["error"]["message"].endswith("out of memory on this rank alone")
    assert finished(tmp_path, 0) == ["model_load"], said


def test_a_rank_that_is_killed_leaves_its_journal(tmp_path):
    """C11: as by the system's own killer: no finished phase is lost, the cut one has no outcome."""
    codes, said = ended(torchrun(tmp_path / "m.json", "--kill", 1))
    assert codes[0] != 0
    assert not (tmp_path / "m-rank1.json").exists(), said
    journal = (tmp_path / "m-rank1.json.journal").read_bytes()
    runs = read(journal, "0" * 64).runs
    assert [(run.phases, run.outcome) for run in runs] == [
        (("model_load",), "success"),
        (("forward",), "unknown"),
    ]
    assert finished(tmp_path, 0) == ["model_load"]


def finished(folder, rank):
    """The phases that a rank finished well, by its record or, where it was ended, its journal."""
    path = min(folder.glob(f"m-rank{rank}.json*"))  # the document, where both are there
    runs = read(path.read_bytes(), "0" * 64).runs
    return [run.phases[0] for run in runs if run.outcome == "success"]


def test_two_nodes_have_a_record_for_each_rank_with_its_node(tmp_path):
    """Two agents on one machine: ranks run on over nodes, devices do not."""
    at = port()
    agents = [
        torchrun(tmp_path / "m.json", nodes=2, node=node, processes=1, at=at) for node in (0, 1)
    ]
    codes, said = ended(*agents)
    assert codes == [0, 0], said
    for rank in (0, 1):
        told = record(tmp_path / f"m-rank{rank}.json")["series"]["rank"]
        assert told == {"rank": rank, "world": 2, "local_rank": 0, "node": str(rank)}


def test_the_records_of_all_ranks_become_one(tmp_path):
    """What `fiche import --merge` makes of them tells the devices of each rank apart (C9)."""
    assert ended(torchrun(tmp_path / "m.json"))[0] == [0]
    merged = tmp_path / "merged.json"
    done = fiche("import", tmp_path / "m-rank0.json", tmp_path / "m-rank1.json", "--merge", merged)
    assert done.returncode == 0, done.stderr
    peaks = {
        (each["device"], each["peak"]["allocated_bytes"])
        for phase in record(merged)["phases"]
        if phase["name"] == "model_load"
        for each in phase["devices"]
    }
    assert {amount for _, amount in peaks} == {100 * MIB, 200 * MIB}
    assert re.search(r"rank", done.stdout)
