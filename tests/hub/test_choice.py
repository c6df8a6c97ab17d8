"""Which files of a repository are read: one set of weights, never two copies of it."""

import pytest

from fiche.hub._choice import choice
from fiche.hub.name import HubName
from fiche.kernel.diagnostic import Refused


def chosen(*names, file=""):
    return choice(HubName(model="org/model", file=file), sorted(names))


def refused(*names, file=""):
    with pytest.raises(Refused) as caught:
        chosen(*names, file=file)
    (found,) = caught.value.diagnostics
    return found


def test_an_index_comes_before_a_second_copy():
    """Formula sheet 2.4: repositories ship both `model-*` and `consolidated-*`, the same weights."""
    found = chosen(
        "config.json",
        "consolidated.safetensors",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin",
    )
    assert found.index == "model.safetensors.index.json"
    assert found.files == ()
    assert {"consolidated.safetensors", "pytorch_model.bin"} <= set(found.left_out)


def test_one_file_of_safetensors_comes_before_older_ones():
    found = chosen("config.json", "model.safetensors", "pytorch_model.bin", "rust_model.ot")
    assert (found.files, found.left_out) == (("model.safetensors",), ("pytorch_model.bin",))


def test_parts_without_an_index_are_read_together():
    parts = tuple(f"model-0000{n}-of-00003.safetensors" for n in (1, 2, 3))
    assert chosen("config.json", *parts).files == parts
    assert chosen("config.json", "adapter_model.safetensors").files == ()


def test_older_weights_of_torch():
    assert chosen("pytorch_model.bin").files == ("pytorch_model.bin",)
    found = chosen("pytorch_model.bin.index.json", "pytorch_model-00001-of-00001.bin")
    assert found.index == "pytorch_model.bin.index.json"


def test_one_gguf_is_taken_and_several_are_a_choice():
    assert chosen("a-Q4_K_M.gguf", "mmproj-f16.gguf").files == ("a-Q4_K_M.gguf",)
    parts = ("q/a-00001-of-00002.gguf", "q/a-00002-of-00002.gguf")
    assert chosen(*parts).files == parts
    found = refused("a-Q4_K_M.gguf", "a-Q8_0.gguf", *parts)
    assert (found.code, "3 GGUF models" in found.message) == ("F842", True)
    assert "org/model:a-Q4_K_M.gguf" in found.hint
    assert "q/a-00001-of-00002.gguf" in found.hint


def test_a_chosen_file_with_all_its_parts():
    names = ("a-Q8_0.gguf", "b-00001-of-00002.gguf", "b-00002-of-00002.gguf")
    assert chosen(*names, file="a-Q8_0.gguf").files == ("a-Q8_0.gguf",)
    assert chosen(*names, file="b-00001-of-00002.gguf").files == names[1:]
    assert chosen(*names, file="b-00001-of-00002.gguf").left_out == ("a-Q8_0.gguf",)


def test_a_file_that_is_not_there_is_named_with_those_that_are():
    found = refused("model-Q4_K_M.gguf", "model-Q8_0.gguf", file="model-Q4_K_S.gguf")
    assert (found.code, "did you mean model-Q4_K_M.gguf" in found.hint) == ("F834", True)
    assert refused("a.gguf", "README.md", file="README.md").code == "F834"


def test_half_a_model_is_refused():
    """A part of a model would be counted as the whole."""
    assert refused("config.json", "model-00001-of-00002.safetensors").code == "F810"
    assert refused("a-00001-of-00002.gguf").code == "F810"


def test_a_configuration_alone_is_something_and_nothing_is_nothing():
    assert chosen("config.json", "README.md").files == ()
    assert refused("README.md", "tokenizer.json").code == "F843"
