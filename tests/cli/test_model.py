"""`fiche model`: what the files of a model are, in the terminal, as JSON, and saved for a fiche (A1, B2)."""

import json

import pytest
from hub.files import CONFIG, gguf, llama, safetensors, sharded

CONFIG_BYTES = json.dumps(CONFIG, indent=2).encode()
# 256 x 64 twice, 64, and 2 layers of 36 992 values (tests/hub/files.py).
VALUES = 106_816


@pytest.fixture
def folder(tmp_path):
    """A model of two layers, complete."""
    root = tmp_path / "toy"
    root.mkdir()
    (root / "config.json").write_bytes(CONFIG_BYTES)
    (root / "model.safetensors").write_bytes(safetensors(llama(), {"format": "pt"}))
    return root


def told(fiche, *arguments):
    ended = fiche("model", *arguments, "--json")
    assert (ended.code, ended.err) == (0, "")
    return ended.json()


def test_a_folder_is_said_in_a_screen(fiche, folder):
    ended = fiche("model", folder)
    assert (ended.code, ended.err) == (0, "")
    for words in (
        "llama",
        "LlamaForCausalLM",
        "stored  106 816 in 213 632 B (0.21 MB, 0.20 MiB)",
        "loaded  106 816 by the class",
        "The same tensors: nothing to explain.",
        "2 full layers x 2 KV heads x 16",
        "1 safetensors file",
    ):
        assert words in ended.out, words
    assert len(ended.out.splitlines()) < 50


def test_the_same_for_programs(fiche, folder):
    found = told(fiche, folder)
    assert found["format"] == "fiche-model-report/1"
    assert (found["model_type"], found["family"]) == ("llama", "llama")
    assert found["values"]["stored"] == {"unit": "values", "value": str(VALUES)}
    assert found["values"]["loaded"] == {"unit": "values", "value": str(VALUES)}
    assert found["values"]["unexplained"]["value"] == "0"
    assert found["formats"] == [
        {
            "format": "BF16",
            "tensors": 21,
            "values": {"unit": "values", "value": str(VALUES)},
            "bytes": 2 * VALUES,
        }
    ]
    parts = {each["role"]: each["values"]["value"] for each in found["parts"]}
    assert sum(map(int, parts.values())) == VALUES
    (cache,) = found["caches"]
    assert (cache["cache"], cache["kv_heads"]["value"], cache["layers"]) == (
        "attention",
        "2",
        [0, 1],
    )
    assert found["conditions"] == []


def test_a_tied_head_that_is_stored_is_explained(fiche, folder):
    """Formula sheet 2.1: the header holds a second copy, the class one."""
    config = {**CONFIG, "tie_word_embeddings": True}
    (folder / "config.json").write_text(json.dumps(config))
    ended = fiche("model", folder)
    assert "+16 384 values: a second copy of the embedding" in ended.out
    found = told(fiche, folder)
    assert found["values"]["loaded"]["value"] == str(VALUES - 16_384)
    (line,) = [each for each in found["values"]["because"] if each["values"]["value"] != "0"]
    assert (line["kind"], line["tensors"], line["bytes"]) == (
        "tied_head",
        ["lm_head.weight"],
        32_768,
    )


def test_what_no_rule_explains_is_plainly_unexplained(fiche, folder):
    strange = [*llama(), ("model.strange.thing", "F32", (5, 5))]
    (folder / "model.safetensors").write_bytes(safetensors(strange))
    out = fiche("model", folder).out
    assert (
        "unexplained: +25 values: no tensor of the class accounts for it: model.strange.thing"
        in out
    )
    assert told(fiche, folder)["values"]["unexplained"]["value"] == "25"


def test_a_tensor_that_the_class_wants_is_missing(fiche, folder):
    (folder / "model.safetensors").write_bytes(safetensors(llama(head=False)))
    out = fiche("model", folder).out
    assert "unexplained: -16 384 values: the class holds them, and the files do not" in out


def test_formats_have_a_row_each(fiche, folder):
    mixed = [*llama(), ("model.rotary_emb.inv_freq", "F32", (8,))]
    (folder / "model.safetensors").write_bytes(safetensors(mixed))
    formats = {each["format"]: each["bytes"] for each in told(fiche, folder)["formats"]}
    assert formats == {"BF16": 2 * VALUES, "F32": 32}
    assert "+8 values" in fiche("model", folder).out


def test_an_index_and_its_shards(fiche, folder):
    (folder / "model.safetensors").unlink()
    for name, content in sharded(llama(), 3).items():
        (folder / name).write_bytes(content)
    for source in (folder, folder / "model.safetensors.index.json"):
        assert told(fiche, source)["values"]["stored"]["value"] == str(VALUES)


def test_one_file_is_that_file_alone(fiche, folder):
    found = told(fiche, folder / "model.safetensors")
    assert (found["family"], found["values"]["loaded"]) == (None, None)
    assert found["values"]["stored"]["value"] == str(VALUES)
    assert "config.json beside it was not read" in found["notes"][0]
    assert found["conditions"][0]["piece_kind"] == "config.json"
    assert "no family knows this class" in fiche("model", folder / "model.safetensors").out


def test_a_configuration_alone(fiche, folder):
    (folder / "model.safetensors").unlink()
    for source in (folder, folder / "config.json"):
        found = told(fiche, source)
        assert found["values"]["stored"] is None
        assert found["values"]["loaded"]["value"] == str(VALUES)
        assert "loaded  106 816 by the class" in fiche("model", source).out


def test_a_type_that_nobody_knows_is_open(fiche, folder):
    """C2: never a guess."""
    (folder / "config.json").write_text(json.dumps({**CONFIG, "model_type": "not_yet_known"}))
    found = told(fiche, folder)
    assert (found["family"], found["caches"]) == (None, [])
    assert "'not_yet_known' is not known here" in found["conditions"][0]["text"]
    assert "Still to give" in fiche("model", folder).out


def test_a_gguf_file(fiche, tmp_path):
    path = tmp_path / "toy.gguf"
    path.write_bytes(gguf([("token_embd.weight", (64, 256)), ("output_norm.weight", (64,))]))
    found = told(fiche, path)
    assert found["stored_as"] == "gguf"
    assert found["values"]["stored"]["value"] == str(64 * 256 + 64)


def test_code_of_a_model_is_mentioned_and_never_run(fiche, folder):
    config = {**CONFIG, "auto_map": {"AutoModelForCausalLM": "modeling.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "modeling.py").write_text("raise SystemExit(5)")
    assert "that code was not run" in told(fiche, folder)["notes"][0]


def test_saved_files_say_the_same_and_a_fiche_can_name_them(fiche, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = fiche("model", folder, "--save", "chat/model")
    assert ended.code == 0, ended.err
    assert (tmp_path / "chat/model/config.json").read_bytes() == CONFIG_BYTES
    assert sorted(path.name for path in (tmp_path / "chat/model").iterdir()) == [
        "config.json",
        "tensors.json",
    ]
    for line in (
        "  model:",
        "    name: toy",
        "    config: chat/model/config.json",
        "    tensors: chat/model/tensors.json",
    ):
        assert f"{line}\n" in ended.out
    first, second = told(fiche, folder), told(fiche, "chat/model")
    for key in ("values", "formats", "files", "parts", "caches", "name"):
        assert first[key] == second[key], key
    assert told(fiche, "chat/model/tensors.json")["values"]["stored"]["value"] == str(VALUES)


def test_nothing_is_written_over_unasked(fiche, folder, tmp_path):
    out = tmp_path / "out"
    assert fiche("model", folder, "--save", out).code == 0
    (out / "config.json").write_text("mine")
    ended = fiche("model", folder, "--save", out)
    assert (ended.code, "F610" in ended.err, ended.out) == (2, True, "")
    assert (out / "config.json").read_text() == "mine"
    assert fiche("model", folder, "--save", out, "--force").code == 0
    assert (out / "config.json").read_bytes() == CONFIG_BYTES


def test_force_without_save_is_refused(fiche, folder):
    ended = fiche("model", folder, "--force")
    assert (ended.code, "F702" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("model.safetensors", b"\xff" * 64, "F811"),
        ("config.json", b"{", "F803"),
        ("notes.txt", b"nothing of a model", "F826"),
    ],
)
def test_a_file_that_is_none_is_refused(fiche, tmp_path, name, content, code):
    (tmp_path / name).write_bytes(content)
    ended = fiche("model", tmp_path / name)
    assert (ended.code, ended.out, code in ended.err) == (2, "", True), ended.err
    assert "hint: " in ended.err


def test_neither_a_path_nor_a_name(fiche, tmp_path):
    for source in ("llama", str(tmp_path / "none"), "a" * 5000, "org/../x"):
        ended = fiche("model", source)
        assert (ended.code, ended.out) == (2, "")
        assert "F831" in ended.err
    assert fiche("model", tmp_path).code == 2


def test_names_in_a_header_cannot_act_on_a_terminal(fiche, folder):
    """Law 7."""
    strange = [*llama(), ("model.\x1b[31mred\u202e", "F32", (3,))]
    (folder / "model.safetensors").write_bytes(safetensors(strange))
    out = fiche("model", folder).out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_a_name_that_yaml_would_read_otherwise_is_quoted():
    from fiche.cli.models import _scalar

    assert _scalar("org/model-7B") == "org/model-7B"
    assert _scalar("0e9e39f249a16976918f6564b8830bc894c89659") == (
        "0e9e39f249a16976918f6564b8830bc894c89659"
    )
    assert _scalar("1234567") == '"1234567"'
    assert _scalar("12345e7") == '"12345e7"'
    assert _scalar("true") == '"true"'
    assert _scalar("a: b") == '"a: b"'


def test_the_printed_lines_make_a_fiche(fiche, folder, tmp_path, monkeypatch):
    """What `--save` prints can be pasted: the fiche counts the tensors' bytes (B2)."""
    monkeypatch.chdir(tmp_path)
    out = fiche("model", folder, "--save", "model").out
    lines = out[out.index("  model:\n") :]
    text = (
        "fiche: 1\ntitle: A test\ndate: 2026-11-29\nworkload:\n"
        f"{lines}"
        "  operation: generation\n"
        "candidates:\n  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1}\n"
    )
    (tmp_path / "fiche.yaml").write_text(text)
    ended = fiche("check", "fiche.yaml")
    assert ended.code == 0, ended.err
    assert f"{2 * VALUES:,}".replace(",", " ") in fiche("explain", "fiche.yaml", "weights").out
