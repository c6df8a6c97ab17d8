"""A model on a hub, read by its headers: what is asked, what is said, and what is never half done."""

import json

import pytest
from hub.files import CONFIG, gguf, llama, safetensors, sharded
from hub.server import COMMIT, Hub, start, stop
from huggingface_hub import constants

from fiche.hub import hub_name, received
from fiche.kernel.diagnostic import Refused

CONFIG_BYTES = json.dumps(CONFIG, indent=2).encode()


def held(hub, files, revision=COMMIT):
    hub.models["org/model"] = {"main": files, revision: files, COMMIT: files}


def read(text="org/model"):
    return received(hub_name(text))


def refused(text="org/model"):
    with pytest.raises(Refused) as caught:
        read(text)
    (found,) = caught.value.diagnostics
    return found


def values(checkpoint):
    total = 0
    for group in checkpoint.groups:
        product = group.count
        for side in group.shape:
            product *= side
        total += product
    return total


def test_one_file_with_its_configuration(hub):
    held(hub, {"config.json": CONFIG_BYTES, "model.safetensors": safetensors(llama())})
    found = read()
    assert (found.commit, found.config) == (COMMIT, CONFIG_BYTES)
    assert found.checkpoint.source == f"org/model@{COMMIT}"
    assert values(found.checkpoint) == 106_816
    assert found.notes == ()


def test_shards_are_read_together_and_only_their_headers(hub):
    tensors = [*llama(), *((f"model.experts.{n}.weight", "F32", (1024, 256)) for n in range(24))]
    held(hub, {"config.json": CONFIG_BYTES, **sharded(tensors, 12)})
    found = read()
    assert values(found.checkpoint) == 106_816 + 24 * 1024 * 256
    assert len(found.checkpoint.files) == 13  # with the index
    assert hub.sent < 2 * 2**20 < 24 * 2**20


def test_a_large_header_is_read_whole(hub):
    """Longer than the first answer."""
    tensors = [(f"model.layers.{n}.a_rather_long_name.weight", "BF16", (2,)) for n in range(2000)]
    held(hub, {"model.safetensors": safetensors(tensors)})
    found = read()
    assert values(found.checkpoint) == 4000
    assert found.config is None


def test_a_gguf_file_is_chosen(hub):
    small, large = gguf([("a.weight", (8, 4))]), gguf([("a.weight", (8, 8))])
    held(hub, {"m-Q4.gguf": small, "m-Q8.gguf": large, "README.md": b"."})
    assert refused().code == "F842"
    found = read("org/model:m-Q8.gguf")
    assert (found.checkpoint.format, values(found.checkpoint)) == ("gguf", 64)
    assert found.notes == ("other files of weights, left out: m-Q4.gguf",)


def test_a_configuration_alone_says_so(hub):
    held(hub, {"config.json": CONFIG_BYTES, "README.md": b"."})
    found = read()
    assert (found.checkpoint, found.config) == (None, CONFIG_BYTES)
    assert "only config.json" in found.notes[0]


def test_bytes_lie_on_another_host(hub):
    held(hub, {"config.json": CONFIG_BYTES, "model.safetensors": safetensors(llama())})
    other = Hub(models=hub.models)
    server = start(other)
    try:
        hub.redirect = other.address
        assert values(read().checkpoint) == 106_816
    finally:
        hub.redirect = ""
        stop(server)


def test_a_shard_that_is_not_there(hub):
    files = sharded(llama(), 3)
    files.pop("model-00002-of-00003.safetensors")
    held(hub, {"config.json": CONFIG_BYTES, **files})
    found = refused()
    assert found.code == "F834"
    assert "model-00002-of-00003.safetensors" in found.message


def test_the_first_failure_ends_the_others(hub):
    held(hub, {"config.json": CONFIG_BYTES, **sharded(llama(), 20)})
    hub.statuses["00003-of"] = [403] * 9
    assert refused().code == "F835"


def test_a_damaged_header_is_told_by_its_file(hub):
    damaged = safetensors(llama())[:5000]
    held(hub, {"config.json": CONFIG_BYTES, "model.safetensors": damaged})
    found = refused()
    assert (found.code, "model.safetensors" in found.message) == ("F811", True)


def cached(tmp_path, files):
    root = tmp_path / "cache" / "models--org--model"
    (root / "refs").mkdir(parents=True)
    (root / "refs" / "main").write_text(COMMIT)
    for name, content in files.items():
        path = root / "snapshots" / COMMIT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_a_commit_that_is_in_the_cache_needs_no_network(hub, tmp_path, monkeypatch):
    cached(tmp_path, {"config.json": CONFIG_BYTES, **sharded(llama(), 3)})
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    found = read(f"org/model@{COMMIT}")
    assert values(found.checkpoint) == 106_816
    assert "no network" in found.notes[0]


def test_a_branch_moves_so_the_hub_is_asked(hub, tmp_path):
    cached(tmp_path, {"config.json": CONFIG_BYTES, "model.safetensors": safetensors(llama())})
    held(hub, {"config.json": b"{}", "model.safetensors": safetensors(llama(head=False))})
    assert read().commit == COMMIT
    assert any("/api/models/org/model" in path for path, _ in hub.requests)


def test_what_the_cache_lacks_comes_from_the_hub(hub, tmp_path):
    cached(tmp_path, {"config.json": CONFIG_BYTES})
    held(hub, {"config.json": CONFIG_BYTES, "model.safetensors": safetensors(llama())})
    assert values(read(f"org/model@{COMMIT}").checkpoint) == 106_816


def test_offline_reads_the_cache_or_says_what_it_lacks(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert refused().code == "F844"
    files = sharded(llama(), 2)
    lost = files.pop("model-00002-of-00002.safetensors")
    cached(tmp_path, {"config.json": CONFIG_BYTES, **files})
    found = refused()
    assert (found.code, "model-00002-of-00002.safetensors" in found.message) == ("F844", True)
    path = tmp_path / "cache/models--org--model/snapshots" / COMMIT
    (path / "model-00002-of-00002.safetensors").write_bytes(lost)
    found = read()
    assert (found.commit, values(found.checkpoint)) == (COMMIT, 106_816)
    assert not [path for path, _ in hub.requests if "org/model" in path]
