"""Parameters gathered for use under ZeRO-3 and FSDP (formula sheet 2.5)."""

from trained import LLAMA_PARAMETERS, llama, training

from fiche.estimators.gathered_parameters import MEMBER

FULL = {"method__kind": "full", "formats__loaded": "bf16", "placement__sharding": "zero3"}
LARGEST = 14336 * 4096


def gathered(**told):
    load = training(of=llama(), **{**FULL, **told})
    assert MEMBER.applies(load)
    (node,) = MEMBER.estimate(load, None)
    return node.low, node.high


def test_from_the_largest_matrix_to_the_whole_model():
    assert gathered() == (2 * LARGEST, 2 * LLAMA_PARAMETERS)


def test_deepspeed_holds_a_limited_number():
    """stage3_max_live_parameters 10^9 and stage3_prefetch_bucket_size 5 x 10^7 unless told."""
    assert gathered(engine__name="deepspeed") == (2 * LARGEST, 2 * 1_050_000_000)
    told = {"engine__settings__stage3_max_live_parameters": 10**8}
    assert gathered(engine__name="deepspeed", **told)[1] == 2 * 150_000_000


def test_tensor_parallelism_cuts_the_matrix_too():
    assert gathered(placement__tensor_parallel=8)[0] == 0


def test_only_where_the_weights_themselves_are_shared_out():
    assert not MEMBER.applies(training(**{**FULL, "placement__sharding": "zero2"}))
    assert not MEMBER.applies(training(**FULL, operation="generation"))


def test_a_model_that_is_not_known_gathers_what_is_not_known():
    from fiche.kernel.record import replace

    assert MEMBER.estimate(replace(training(**FULL), model=None), None) == ()
