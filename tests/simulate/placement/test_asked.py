"""Words of a placement."""

import pytest

from fiche.simulate.placement.asked import Placement, Settings


def test_no_word_is_one_device_with_nothing_to_place():
    placement = Placement.of({})
    assert (placement.devices, placement.stand_ins, placement.whole) == (1, 1, True)
    assert placement.notes() == ()


def test_devices_that_nothing_else_counts_have_a_batch_each():
    placement = Placement.of({"devices": 8, "sharding": "fsdp"})
    assert (placement.data, placement.stand_ins, placement.shares) == (8, 1, True)


def test_data_parallel_ranks_are_what_the_other_cuts_leave():
    placement = Placement.of({"devices": 8, "tensor_parallel": 2, "sharding": "zero3"})
    assert (placement.tensor, placement.data) == (2, 4)


def test_layers_over_devices_are_devices_of_one_process():
    placement = Placement.of({"pipeline_parallel": 4})
    assert (placement.devices, placement.stand_ins) == (4, 4)
    assert "4 devices of one process" in placement.notes()[0]


def test_settings_are_those_of_the_software_unless_told():
    assert Placement.of({"devices": 2}).settings == Settings()
    told = Placement.of({"devices": 2, "reduce_bucket_size": 7, "param_dtype": "bf16"}).settings
    assert (told.reduce_bucket_size, told.param_dtype) == (7, "bf16")


def test_notes_name_what_is_not_in_the_figures():
    said = " ".join(Placement.of({"devices": 4, "sharding": "fsdp"}).notes())
    assert "NCCL" in said
    assert "one rank of 4" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"device": 2}, "no word of a placement"),
        ({"devices": 0}, "whole number from 1"),
        ({"devices": True}, "whole number from 1"),
        ({"devices": 4, "tensor_parallel": 2, "data_parallel": 4}, "is 8, and devices is 4"),
        ({"devices": 3, "tensor_parallel": 2}, "is 2, and devices is 3"),
        ({"sharding": "zero4"}, "can be none, zero1"),
        ({"expert_parallel": 2}, "no simulation cuts a load so"),
        ({"context_parallel": 2}, "no simulation cuts a load so"),
        ({"pipeline_parallel": 2, "tensor_parallel": 2}, "no other cut beside it"),
        ({"devices": 2, "offload": "optimizer"}, "no sharding moves anything"),
        ({"devices": 2, "sharding": "zero2", "offload": "parameters"}, "keeps them whole"),
        ({"devices": 2, "sharding": "fsdp", "offload": "optimizer"}, "with the parameters only"),
        ({"devices": 2, "offload": "cache"}, "can be none, optimizer, parameters"),
        ({"devices": 2, "reduce_bucket_size": -1}, "whole number from 0"),
        ({"devices": 2, "param_dtype": "fp8"}, "can be bf16, fp16, fp32"),
        ({"devices": 2, "tp_plan": ["colwise"]}, "no table of modules and styles"),
    ],
)
def test_words_that_make_no_placement_are_refused_in_a_sentence(words, said):
    with pytest.raises(ValueError, match=said):
        Placement.of(words)
