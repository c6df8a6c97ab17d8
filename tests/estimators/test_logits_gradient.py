"""Two gradients in fp32 as the backward pass begins (formula sheet 2.5)."""

from losses import LOGITS, amount

from fiche.estimators.logits_gradient import MEMBER


def test_twice_four_bytes_a_logit():
    assert amount(MEMBER) == (8 * LOGITS, 8 * LOGITS)


def test_whatever_the_format_of_the_logits():
    assert amount(MEMBER, formats__loaded="fp32") == (8 * LOGITS, 8 * LOGITS)


def test_only_in_the_backward_pass():
    assert MEMBER.phases == ("first_step", "backward")
