"""The fp32 copy of narrower logits inside the loss (formula sheet 2.5)."""

from losses import LOGITS, amount

from fiche.estimators.logits_upcast import MEMBER


def test_four_bytes_a_logit_where_logits_have_sixteen_bits():
    assert amount(MEMBER) == (4 * LOGITS, 4 * LOGITS)


def test_logits_in_fp32_are_not_copied():
    assert amount(MEMBER, formats__loaded="fp32") == (0, 0)


def test_untold_width_is_an_interval():
    told = {"formats__loaded": "fp32", "training__autocast": "bf16"}
    assert amount(MEMBER, **told) == (0, 4 * LOGITS)


def test_only_in_the_loss():
    assert MEMBER.phases == ("loss",)
