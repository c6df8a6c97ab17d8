from fiche.simulate.effects._gpu import gpu_of
from fiche.simulate.effects.flash_attention import partial_bytes

A100 = gpu_of((8, 0))


def test_one_token_splits_its_keys_until_the_card_is_full():
    """8 key heads of 4 query heads: 8 blocks for 216 places, 64 blocks of 128 keys. 22 splits fill 176 of 216,
    81 %, the best there is; 16 fill 59 %, less than 85 % of that."""
    rows = 22 * 8 * 4
    found = partial_bytes((1, 32, 1, 128), (1, 8, 8192, 128), 0.0, A100)
    assert found == (rows * 4, rows * 128 * 4) == (2816, 360_448)


def test_a_long_prompt_fills_the_card_by_itself():
    assert partial_bytes((1, 32, 2048, 128), (1, 8, 2048, 128), 0.0, A100) == ()


def test_dropout_and_short_keys_are_not_split():
    assert partial_bytes((1, 32, 1, 128), (1, 8, 8192, 128), 0.1, A100) == ()
    assert partial_bytes((1, 8, 1, 64), (1, 8, 256, 64), 0.0, A100) == ()


def test_a_card_with_fewer_multiprocessors_splits_less():
    small = gpu_of((8, 0), processors=20)
    whole = partial_bytes((1, 32, 1, 128), (1, 8, 8192, 128), 0.0, A100)
    assert sum(partial_bytes((1, 32, 1, 128), (1, 8, 8192, 128), 0.0, small)) < sum(whole)
