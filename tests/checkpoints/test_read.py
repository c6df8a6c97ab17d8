"""Which files of a folder are the model, counted once, and what its files say against each other (E4)."""

import json
import re
from pathlib import Path

import pytest
from checkpoints.build import Gguf, code, entry, refusals, safetensors, small_gguf, torch_zip

from fiche.checkpoints import read_checkpoint, read_tensors, write_tensors
from fiche.checkpoints._folder import chosen
from fiche.kernel.checkpoint import TensorGroup


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "llama"
    made.mkdir()
    return made


def tensors(*names, dtype="BF16", shape=(2, 3), num_bytes=12):
    """A file of alike tensors, one behind the other."""
    header = {
        n: entry(dtype, list(shape), i * num_bytes, (i + 1) * num_bytes)
        for i, n in enumerate(names)
    }
    return safetensors(header, bytes(num_bytes * len(names)))


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def index(weight_map, **metadata):
    return {"metadata": metadata, "weight_map": weight_map}


def shards(kind="model"):
    return {
        f"{kind}-00001-of-00002.safetensors": tensors("h.0.w", "h.1.w"),
        f"{kind}-00002-of-00002.safetensors": tensors("h.2.w", "head"),
    }


def weight_map(kind="model"):
    one, two = shards(kind)
    return {"h.0.w": one, "h.1.w": one, "h.2.w": two, "head": two}


def names(checkpoint):
    return [each.name for each in checkpoint.files]


def stored(checkpoint):
    return sum(each.count * each.num_bytes for each in checkpoint.groups)


# --- One set of weights -----------------------------------------------------------------------------


def test_shards_under_their_index(folder):
    write(folder, shards() | {"model.safetensors.index.json": index(weight_map(), total_size=48)})
    found = read_checkpoint(folder)
    assert (found.format, found.source, found.file) == (
        "safetensors",
        "llama",
        "model.safetensors.index.json",
    )
    assert found.groups == (
        TensorGroup(
            name="h.*.w", dtype="BF16", shape=(2, 3), count=3, num_bytes=12, layers=(0, 1, 2)
        ),
        TensorGroup(name="head", dtype="BF16", shape=(2, 3), count=1, num_bytes=12),
    )
    assert names(found) == ["model.safetensors.index.json", *shards()]
    assert found.doubts == ()
    assert found.metadata == {"total_size": 48}
    content = sum(each.num_bytes - each.header_bytes for each in found.files)
    assert stored(found) == content == 48


def test_the_index_the_folder_and_any_shard_lead_to_the_same(folder):
    write(folder, shards() | {"model.safetensors.index.json": index(weight_map())})
    whole = read_checkpoint(folder)
    for name in ("model.safetensors.index.json", *shards()):
        found = read_checkpoint(folder / name)
        assert (found.groups, found.files, found.sha256) == (
            whole.groups,
            whole.files,
            whole.sha256,
        )


def test_shards_without_an_index(folder):
    write(folder, shards())
    assert stored(read_checkpoint(folder)) == 48
    assert stored(read_checkpoint(folder / next(iter(shards())))) == 48
    (folder / "model-00002-of-00002.safetensors").unlink()
    for path in (folder, folder / "model-00001-of-00002.safetensors"):
        (told,) = refusals(read_checkpoint, path)
        assert told.code == "F810"
        assert "1 of its 2 files are missing: model-00002-of-00002.safetensors" in told.message


def test_shards_that_count_in_six_digits(folder):
    """One published model numbers its files model-00001-of-000163."""
    one, two = "model-00001-of-000002.safetensors", "model-00002-of-000002.safetensors"
    write(folder, {one: tensors("a"), two: tensors("b")})
    assert stored(read_checkpoint(folder / one)) == 24


def test_copies_are_left_out_and_named(folder):
    write(
        folder,
        {
            "model.safetensors": tensors("a"),
            "consolidated.safetensors": tensors("a"),
            "adapter_model.safetensors": tensors("lora"),
            "pytorch_model.bin": torch_zip(12),
            "pytorch_model.bin.index.json": index({"a": "pytorch_model.bin"}),
            "original/consolidated.00.pth": torch_zip(12),
            "training_args.bin": b"x",
            "optimizer.pt": b"x",
            "config.json": {},
        },
    )
    found = read_checkpoint(folder)
    assert (stored(found), names(found)) == (12, ["model.safetensors"])
    assert found.doubts == (
        "left out: adapter_model.safetensors, consolidated.safetensors, pytorch_model.bin, "
        "pytorch_model.bin.index.json, original/",
    )


def test_the_maker_s_own_form_is_read_where_there_is_no_other(folder):
    write(folder, {"consolidated.safetensors": tensors("a"), "adapter_x.safetensors": tensors("b")})
    assert read_checkpoint(folder).file == "consolidated.safetensors"


def test_files_that_the_index_does_not_name_are_left_out(folder):
    write(folder, shards() | {"model.safetensors.index.json": index(weight_map())})
    write(folder, shards("consolidated") | {"extra.safetensors": tensors("x")})
    assert read_checkpoint(folder).doubts == (
        "left out: consolidated-00001-of-00002.safetensors, "
        "consolidated-00002-of-00002.safetensors, extra.safetensors",
    )


@pytest.mark.parametrize(
    "files",
    [
        {"model.safetensors": b"", "model.safetensors.index.json": b""},
        {"model.Q4_K.gguf": b"", "model.Q8_0.gguf": b""},
        {"model.safetensors": b"", "model.gguf": b""},
        {"a.safetensors": b"", "b.safetensors": b""},
        {"a.bin": b"", "b.bin": b""},
        dict.fromkeys([*shards("a"), *shards("b")], b""),
    ],
)
def test_several_models_are_refused_with_their_names(folder, files):
    write(folder, files)
    (told,) = refusals(read_checkpoint, folder)
    assert told.code == "F809"
    assert all(re.split("-0|$", name)[0] in told.hint for name in files)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "*.safetensors"),
        (["config.json", "tokenizer.bin", "training_args.bin"], "*.safetensors"),
        (["adapter_model.safetensors"], "base model"),
        (["model_index.json"], "one of its folders"),
        (["mmproj-F16.gguf", "imatrix.gguf"], "*.safetensors"),
    ],
)
def test_a_folder_without_weights_is_refused_with_what_to_name(folder, files, words):
    write(folder, dict.fromkeys(files, b"x"))
    (told,) = refusals(read_checkpoint, folder)
    assert (told.code, words in told.hint) == ("F808", True)


def test_the_cache_of_a_hub_says_which_folder_to_name(folder):
    (folder / "snapshots").mkdir()
    (told,) = refusals(read_checkpoint, folder)
    assert "snapshots/" in told.hint


def test_the_choice_does_not_depend_on_the_order_of_names():
    there = ["b.bin", "model.safetensors", "consolidated.safetensors", "z.gguf.part"]
    assert chosen(there, "x") == chosen(there[::-1], "x")


# --- One file -----------------------------------------------------------------------------------------


def test_a_file_is_known_by_its_ending_or_by_its_first_bytes(folder):
    contents = {
        "safetensors": tensors("a"),
        "gguf": small_gguf().content(),
        "pytorch_bin": torch_zip(12),
    }
    for kind, content in contents.items():
        write(folder, {"weights": content})
        assert read_checkpoint(folder / "weights").format == kind
    (folder / "weights").unlink()
    write(folder, {"model.safetensors": small_gguf().content()})
    assert code(read_checkpoint, folder / "model.safetensors") == "F811"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("notes.txt", b"hello, this is a text", "F826"),
        ("config.json", b'{"model_type": "llama"}', "F826"),
        ("config.json", b'{"model_type": ', "F803"),
        ("model.safetensors", b"version https://git-lfs.github.com/spec/v1\noid x", "F826"),
        ("model.gguf", b"", "F816"),
        ("model.safetensors", b"", "F811"),
        ("pytorch_model.bin", b"", "F820"),
        ("vocabulary.gguf", Gguf().content(), "F823"),
        ("empty.safetensors", safetensors({}), "F823"),
    ],
)
def test_a_file_without_tensors_is_refused(folder, name, content, expected):
    write(folder, {name: content})
    assert code(read_checkpoint, folder / name) == expected


def test_a_path_that_is_not_there(folder):
    assert code(read_checkpoint, folder / "absent") == "F807"
    assert code(read_checkpoint, Path("/dev/null")) == "F807"


# --- What an index says and its files do not ----------------------------------------------------------


def doubts(folder, told, **metadata):
    write(folder, shards() | {"model.safetensors.index.json": index(told, **metadata)})
    return read_checkpoint(folder).doubts


def test_totals_that_differ_are_stated_both(folder):
    """truth.md 2 and 4: both totals of a published index can be wrong."""
    assert doubts(folder, weight_map(), total_size=96, total_parameters=48) == (
        "model.safetensors.index.json: total_size says 96 B, its tensors hold 48 B",
        "model.safetensors.index.json: total_parameters says 48 values, "
        "its tensors hold 24 values as stored",
    )
    assert doubts(folder, weight_map(), total_size=48.0, total_parameters=24) == ()
    assert len(doubts(folder, weight_map(), total_size="48")) == 1


def test_tensors_that_are_elsewhere_are_named(folder):
    told = weight_map()
    told["h.0.w"] = told["head"]
    told["lost"] = told.pop("h.1.w")
    assert doubts(folder, told) == (
        "model.safetensors.index.json names 1 tensor that no file holds: lost",
        "1 tensor in the files that model.safetensors.index.json does not name (counted): h.1.w",
        "1 tensor in another file than model.safetensors.index.json says: h.0.w",
    )
    assert stored(read_checkpoint(folder)) == 48


def test_a_tensor_in_two_files_counts_once_where_an_index_says_which(folder):
    write(folder, shards())
    write(folder, {"model-00002-of-00002.safetensors": tensors("h.2.w", "head", "h.0.w")})
    assert code(read_checkpoint, folder) == "F815"
    write(folder, {"model.safetensors.index.json": index(weight_map())})
    found = read_checkpoint(folder)
    assert stored(found) == 48
    assert found.doubts == ("1 tensor stored more than once (12 B more, counted once): h.0.w",)
    other = tensors("h.2.w", "head", "h.0.w", dtype="F32", num_bytes=24)
    write(folder, {"model-00002-of-00002.safetensors": other})
    assert code(read_checkpoint, folder) == "F815"


def test_missing_shards_are_named_with_the_total_that_the_index_tells(folder):
    write(folder, {"model.safetensors.index.json": index(weight_map(), total_size=48)})
    for path in (folder, folder / "model.safetensors.index.json"):
        (told,) = refusals(read_checkpoint, path)
        assert told.code == "F810"
        assert told.message.endswith("(the index says that all tensors hold 48 B)")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"metadata": {}}, "F826"),
        ({"weight_map": {}}, "F806"),
        ({"weight_map": ["a"]}, "F806"),
        ({"weight_map": {"a": 1}}, "F806"),
        ({"weight_map": {str(n): f"{n}.safetensors" for n in range(10_001)}}, "F806"),
        ({"weight_map": {"a": "../a.safetensors"}}, "F822"),
        ({"weight_map": {"a": "/etc/passwd"}}, "F822"),
        ({"weight_map": {"a": "b\\c"}}, "F822"),
        ({"weight_map": {"a": "C:x"}}, "F822"),
        ({"weight_map": {"a": ".."}}, "F822"),
        ({"weight_map": {"a": ""}}, "F822"),
        ({"weight_map": {"a": "b\u202ec"}}, "F822"),
        ({"weight_map": {"a": "b" * 256}}, "F822"),
        (b'{"weight_map": {"a": "b", "a": "c"}}', "F804"),
    ],
)
def test_an_index_out_of_form_is_refused(folder, content, expected):
    write(folder, {"x.index.json": content})
    assert code(read_checkpoint, folder / "x.index.json") == expected


def test_a_path_out_of_the_folder_is_refused_at_its_line(folder):
    content = json.dumps({"weight_map": {"a": "a.safetensors", "b": "../b"}}, indent=1)
    write(folder, {"model.safetensors.index.json": content.encode()})
    (told,) = refusals(read_checkpoint, folder)
    assert (told.code, str(told.address)) == ("F822", "model.safetensors.index.json:4:8")


# --- Several files of the other formats -----------------------------------------------------------------


def test_pickled_shards_tell_bytes_and_names_but_no_shapes(folder):
    one, two = "pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"
    told = index({"h.0.w": one, "h.1.w": two, "head": two}, total_size=60)
    files = {one: torch_zip(12), two: torch_zip(12, 24), "pytorch_model.bin.index.json": told}
    write(folder, files)
    found = read_checkpoint(folder)
    assert found.format == "pytorch_bin"
    assert [(each.name, each.dtype, each.count, each.num_bytes) for each in found.groups] == [
        ("data/*", "", 2, 12),
        ("data/*", "", 1, 24),
    ]
    assert found.metadata["weight_map"] == {"h.*.w": 2, "head": 1}
    assert found.doubts == (
        "pytorch_model.bin.index.json: total_size says 60 B, its storages hold 48 B",
    )


def part(number, count, *names, total=None):
    made = Gguf()
    made.value("split.no", 2, made.pack("H", number))
    made.value("split.count", 2, made.pack("H", count))
    if total is not None:
        made.value("split.tensors.count", 5, made.pack("i", total))
    for name in names:
        made.tensor(name, (8,), 0, 32)
    return made.content()


def test_parts_of_a_gguf_are_one_model(folder):
    one, two = "m-00001-of-00002.gguf", "m-00002-of-00002.gguf"
    write(folder, {one: part(0, 2, "blk.0.a", total=3), two: part(1, 2, "blk.1.a", "blk.2.a")})
    for path in (folder, folder / one, folder / two):
        found = read_checkpoint(path)
        assert (found.groups[0].count, names(found)) == (3, [one, two])
        assert found.metadata == {"split.count": 2, "split.tensors.count": 3}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (part(0, 3, "a"), part(1, 3, "b")),
        (part(1, 2, "a"), part(0, 2, "b")),
        (part(0, 2, "a", total=3), part(1, 2, "b")),
        (part(0, 2, "a"), Gguf().tensor("b", (8,), 0, 32).content()),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(folder, one, two):
    write(folder, {"m-00001-of-00002.gguf": one, "m-00002-of-00002.gguf": two})
    assert code(read_checkpoint, folder) == "F821"


def test_a_part_under_another_name_is_no_whole_model(folder):
    write(folder, {"renamed.gguf": part(0, 2, "a")})
    assert code(read_checkpoint, folder) == "F821"
    write(folder, {"renamed.gguf": part(0, 1, "a")})
    assert stored(read_checkpoint(folder)) == 32


def test_a_projector_of_images_is_left_out_and_named(folder):
    whole = small_gguf().content()
    write(folder, {"m.gguf": whole, "mmproj-m.gguf": whole})
    assert read_checkpoint(folder).doubts == ("left out: mmproj-m.gguf",)


# --- Identity -------------------------------------------------------------------------------------------


def test_the_digest_is_that_of_the_listing(folder):
    write(folder, {"model.safetensors": tensors("a")})
    found = read_checkpoint(folder)
    write(folder, {"tensors.json": write_tensors(found)})
    again = read_checkpoint(folder / "tensors.json")
    assert again == read_tensors(write_tensors(found), "tensors.json")
    assert (again.sha256, again.groups) == (found.sha256, found.groups)
    write(folder, {"model.safetensors": tensors("b")})
    assert read_checkpoint(folder).sha256 != found.sha256
