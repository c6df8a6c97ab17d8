"""`fiche simulate` end to end: real model code without a GPU, from the options to a piece that is read back."""

import json

import pytest
from measure.tiny_models import model_folder

from fiche.importers import fiche_simulation

pytestmark = pytest.mark.torch

LOOP = """
import torch

def loop(rec, width=64):
    with rec.phase("model_load"):
        net = torch.nn.Linear(width, width).cuda()
        optimizer = torch.optim.AdamW(net.parameters())
    for _ in range(2):
        with rec.phase("step", batch=4):
            net(torch.randn(4, width, device="cuda")).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    print("done")

def loaded(rec, rows=10):
    net = torch.nn.Linear(8, 8).cuda()
    data = torch.utils.data.TensorDataset(torch.randn(rows, 8))
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, shuffle=True):
        with rec.phase("forward", batch=len(batch)):
            print(net(batch.cuda()).sum().item())

def plain():
    torch.randn(1024, 1024, device="cuda") @ torch.randn(1024, 1024, device="cuda")

def valued(rec):
    with rec.phase("forward"):
        torch.randn(8, device="cuda").nonzero()

def wrong(rec):
    with rec.phase("forward"):
        torch.randn(2, 3, device="cuda") @ torch.randn(2, 3, device="cuda")

def hungry():
    bytearray(2**40)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(LOOP, encoding="utf-8")
    return tmp_path


def document(path):
    content = path.read_bytes()
    # What fiche writes, fiche reads, every invariant of the form checked.
    assert fiche_simulation.read(content, "0" * 64).simulation is not None
    return json.loads(content)


def peaks(told):
    found = {}
    for phase in told["phases"]:
        key = (phase["name"], phase["pass"])
        found[key] = max(found.get(key, 0), phase["allocated_bytes"]["peak"])
    return found


def kinds(phase):
    return {each["kind"]: each["bytes"] for each in phase["at_peak"]["live"]}


def test_a_generation_with_its_cache(fiche, here):
    """B5, C7: prefill and decode apart; the cache grows by what was generated, and no weight is read."""
    folder = model_folder(here, "llama")
    words = ("--model", folder, "--dtype", "bf16", "--prompt-tokens", 64, "--new-tokens", 8)
    ended = fiche("simulate", *words, "--sequences", 2, "-o", "g.json", "--events", "g.csv")
    assert ended.code == 0, ended.err
    told = document(here / "g.json")
    names = [(phase["name"], phase["pass"]) for phase in told["phases"]]
    passed = [("prefill", "first"), ("decode", "first"), ("prefill", "later"), ("decode", "later")]
    assert names == [("model_init", "first"), ("inputs", "first"), *passed]
    decode = told["phases"][3]
    assert decode["executed"] == {"resident_sequences": 2, "prompt_tokens": 64, "new_tokens": 8}
    # 2 layers x keys and values x 2 sequences x 2 heads x 72 tokens x 8 wide x 2 bytes.
    assert kinds(decode)["cache"] >= 2 * 2 * 2 * 2 * 72 * 8 * 2
    assert told["workload"]["weights"] == "random"
    rows = (here / "g.csv").read_text().splitlines()
    assert len(rows) - 1 > told["timeline"]["phases"][-1]["to_event"]
    assert [row.split(",")[7] for row in rows if ",mark," in row][-2:] == [
        "begin decode",
        "end decode",
    ]


def test_a_training_has_states_only_behind_its_first_step(fiche, here):
    """B6, C7: gradients, states and activations lie in memory together from the second step on."""
    folder = model_folder(here, "llama")
    words = ("--operation", "training", "--dtype", "fp32", "--sequence-tokens", 32)
    ended = fiche("simulate", "--model", folder, *words, "--capacity", "24 GiB", "-o", "t.json")
    assert ended.code == 0, ended.err
    told = document(here / "t.json")
    first, later = (
        next(p for p in told["phases"] if (p["name"], p["pass"]) == ("backward", passed))
        for passed in ("first", "later")
    )
    weights = kinds(first)["parameter"]
    assert "optimizer_state" not in kinds(first)
    assert 2 * weights <= kinds(later)["optimizer_state"] <= 2 * weights + 32 * 1024
    assert peaks(told)[("backward", "later")] > peaks(told)[("backward", "first")]
    assert told["workload"]["operation"] == "training"


@pytest.mark.parametrize("words", [("nf4",), ("int8", "--optimizer", "adamw_8bit")])
def test_qlora_is_simulated_where_bitsandbytes_is_not_installed(fiche, here, words):
    folder = model_folder(here, "llama")
    asked = ("--operation", "adaptation", "--dtype", "bf16", "--lora-rank", 4)
    ended = fiche("simulate", "--model", folder, *asked, "--quantize", *words, "-o", "q.json")
    assert ended.code == 0, ended.err
    told = document(here / "q.json")
    assert told["workload"]["method"]["kind"] == "qlora"
    assert told["workload"]["extensions"]["bitsandbytes"] == "as of 0.48.0"
    assert any("bitsandbytes is stood in for" in note for note in told["notes"])


def test_a_function_of_ones_own(fiche, here):
    ended = fiche("simulate", "--function", "train.py:loop", "--set", "width=512", "-o", "f.json")
    assert (ended.code, ended.err) == (0, "done\n")
    told = document(here / "f.json")
    weights = 4 * (512 * 512 + 512)
    assert [phase["name"] for phase in told["phases"]] == ["program", "model_load", "step", "step"]
    assert told["phases"][1]["allocated_bytes"] == {"start": 0, "peak": weights, "end": weights}
    assert told["phases"][3]["at_peak"]["source"]["file"] == "train.py"
    assert told["workload"]["code"]["name"] == "train.py:loop"


def test_a_loop_over_a_shuffled_loader_runs_and_reads_its_loss(fiche, here):
    """Seeds and orders are numbers of the host; a number that is only read is assumed, and named."""
    ended = fiche("simulate", "--function", "train.py:loaded", "-o", "l.json")
    assert (ended.code, ended.err) == (0, "0.0\n0.0\n0.0\n")
    told = document(here / "l.json")
    assert [phase["declared"].get("batch") for phase in told["phases"][1:]] == [4, 4, 2]
    assert any("train.py" in each["asked"] for each in told["simulator"]["answers"])


def test_a_function_without_a_recorder_is_one_phase(fiche, here):
    assert fiche("simulate", "--function", "train:plain", "-o", "p.json").code == 0
    (phase,) = document(here / "p.json")["phases"]
    assert phase["name"] == "loop"
    # Two factors, their product, and what cuBLAS keeps for itself.
    assert phase["allocated_bytes"]["peak"] - kinds(phase).get("workspace", 0) == 3 * 4 * 2**20


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("valued", (), "F580 the operator aten.nonzero"),
        ("wrong", (), "F582 RuntimeError: "),
        (
            "hungry",
            ("--memory-limit", "6 GiB"),
            "F581 the simulation itself needs more host memory",
        ),
    ],
)
def test_what_cannot_be_simulated_is_one_sentence_and_no_file(fiche, here, name, words, said):
    before = sorted(here.iterdir())
    ended = fiche("simulate", "--function", f"train.py:{name}", *words, "-o", "n.json")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert name == "hungry" or f"train.py{', line' if name == 'wrong' else ':'}" in ended.err
    assert [path for path in sorted(here.iterdir()) if path.name != "__pycache__"] == before


def test_the_same_load_gives_the_same_bytes(fiche, here):
    """Law 5."""
    for name in ("a.json", "b.json"):
        assert fiche("simulate", "--width", 64, "-o", name).code == 0
    assert (here / "a.json").read_bytes() == (here / "b.json").read_bytes()
