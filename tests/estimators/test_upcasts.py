"""16-bit parameters of a quantised base that become fp32 (formula sheet 2.5; peft 0.21.2)."""

import pytest
from trained import llama, mixture, training
from workloads import workload

from fiche.estimators.upcasts import MEMBER

QLORA = {
    "method__kind": "qlora",
    "formats__storage": "nf4",
    "formats__compute": "bf16",
}
# Llama-3.1-8B: two tables of 128256 x 4096 values, 65 norms of 4096.
UNPACKED = 2 * 128256 * 4096 + 65 * 4096


def upcasts(of=None, **told):
    (node,) = MEMBER.estimate(training(of=of or llama(), **{**QLORA, **told}), None)
    return node.low, node.high


def test_llama_3_1_8b_gains_two_gigabytes():
    """2.5: +2.1 GB."""
    assert upcasts(method__settings__prepare_for_kbit="yes") == (2 * UNPACKED, 2 * UNPACKED)
    assert 2 * UNPACKED == 2_101_878_784


def test_untold_is_either():
    assert upcasts() == (0, 2 * UNPACKED)


def test_denied_is_no_item():
    load = training(**QLORA, method__settings__prepare_for_kbit="no")
    assert MEMBER.estimate(load, None) == ()


def test_fused_experts_are_no_linear_modules_and_are_cast():
    """bitsandbytes packs linear modules only (2.4)."""
    of = mixture()
    experts = 2 * 8 * (2 * 160 * 64 + 64 * 160)
    low, _ = upcasts(of=of, method__settings__prepare_for_kbit="yes")
    assert low > 2 * experts


def test_parameters_that_are_fp32_already_gain_nothing():
    from fiche.kernel.record import replace

    assert upcasts(of=replace(llama(), storage="fp32")) == (0, 0)


@pytest.mark.parametrize(
    ("told", "applies"),
    [
        (QLORA, True),
        ({"method__kind": "lora", "formats__storage": "bf16"}, False),
        ({"method__kind": "full", "formats__storage": "nf4"}, False),
    ],
)
def test_only_a_quantised_base_is_prepared(told, applies):
    assert MEMBER.applies(training(**told)) is applies


def test_without_the_models_files_nothing_is_counted():
    assert MEMBER.estimate(workload(operation="adaptation", **QLORA), None) == ()
