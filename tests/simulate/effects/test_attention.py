"""Which kernel attention takes, by the rules of sdp_utils.cpp, and what it is given."""

import pytest
from simulate.effects.rows_applied import applied, most

pytestmark = pytest.mark.torch

MATH, FLASH, EFFICIENT, CUDNN = 0, 1, 2, 3


def chosen(capability=(8, 0), *, shape=(2, 8, 128, 64), keys=None, mask=None, **options):
    import torch

    from fiche.simulate.effects._backend import Asked, backend_of
    from fiche.simulate.effects._gpu import gpu_of

    dtype = getattr(torch, options.pop("dtype", "bfloat16"))
    learns = options.pop("learns", False)
    shapes = (shape, keys or shape, options.pop("values", None) or keys or shape)
    tensors = [torch.empty(s, dtype=dtype, device="meta", requires_grad=learns) for s in shapes]
    if options.pop("strided", False):
        tensors[0] = tensors[0].transpose(2, 3).contiguous().transpose(2, 3)
    told = None if mask is None else torch.empty(mask, dtype=torch.bool, device="meta")
    asked = Asked(
        *tensors,
        told,
        options.pop("dropout", 0.0),
        options.pop("causal", False),
        options.pop("grouped", False),
    )
    assert not options
    return backend_of(asked, gpu_of(capability))


@pytest.mark.parametrize(
    ("options", "backend"),
    [
        ({}, FLASH),
        ({"causal": True, "dropout": 0.1, "learns": True}, FLASH),
        ({"dtype": "float16"}, FLASH),
        ({"dtype": "float32"}, EFFICIENT),
        ({"dtype": "float64"}, MATH),
        ({"mask": (2, 1, 128, 128)}, EFFICIENT),
        ({"shape": (2, 8, 128, 257)}, MATH),
        ({"shape": (2, 8, 128, 264)}, EFFICIENT),
        ({"shape": (2, 8, 128, 60)}, FLASH),
        ({"shape": (2, 8, 128, 60), "mask": (128, 128)}, MATH),
        ({"shape": (2, 8, 1, 64), "keys": (2, 8, 128, 64), "causal": True}, EFFICIENT),
        ({"shape": (2, 8, 128, 64), "keys": (2, 2, 128, 64), "grouped": True}, FLASH),
        (
            {
                "shape": (2, 8, 128, 64),
                "keys": (2, 2, 128, 64),
                "grouped": True,
                "mask": (128, 128),
            },
            MATH,
        ),
        ({"shape": (2, 8, 128, 64), "keys": (2, 2, 128, 64)}, MATH),
        ({"shape": (8, 128, 64)}, MATH),
        ({"values": (2, 8, 128, 128)}, EFFICIENT),
        ({"strided": True}, MATH),
    ],
)
def test_an_a100_takes(options, backend):
    assert chosen(**options) == backend


@pytest.mark.parametrize(
    ("capability", "options", "backend"),
    [
        ((7, 5), {"dtype": "float16"}, EFFICIENT),
        ((7, 5), {}, MATH),
        ((8, 6), {"shape": (2, 8, 128, 256), "learns": True}, FLASH),
        ((8, 6), {"shape": (2, 8, 128, 256), "learns": True, "dropout": 0.1}, EFFICIENT),
        ((8, 9), {"shape": (2, 8, 128, 224), "learns": True}, EFFICIENT),
        ((8, 9), {"shape": (2, 8, 128, 224)}, FLASH),
        ((9, 0), {}, CUDNN),
        ((9, 0), {"mask": (2, 1, 128, 128)}, CUDNN),
        ((9, 0), {"mask": (2, 128, 128)}, EFFICIENT),
        ((9, 0), {"shape": (2, 8, 128, 256)}, FLASH),
        ((9, 0), {"shape": (2, 8, 128, 192), "values": (2, 8, 128, 128)}, CUDNN),
        ((9, 0), {"shape": (2, 8, 1, 64)}, FLASH),
        ((12, 0), {}, FLASH),
    ],
)
def test_other_cards_take(capability, options, backend):
    assert chosen(capability, **options) == backend


def test_what_a_program_switches_off_is_not_taken():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel([SDPBackend.MATH]):
        assert chosen() == MATH
    with sdpa_kernel([SDPBackend.EFFICIENT_ATTENTION]):
        assert chosen() == EFFICIENT
        with pytest.raises(RuntimeError, match="No available kernel"):
            chosen(dtype="float64")


def attended(rec, width=64, mask=None, learns=False):
    import torch

    given = {"device": "cuda", "dtype": torch.bfloat16, "requires_grad": learns}
    query, key, value = (torch.empty(1, 8, 100, width, **given) for _ in range(3))
    told = None if mask is None else torch.ones(mask, dtype=torch.bool, device="cuda")
    with rec.phase("forward"):
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=told)


def test_flash_makes_an_output_sums_and_random_state():
    assert (
        most(attended) == 8 * 100 * 64 * 2 + 3584 + 2 * 512
    )  # 8 x 100 sums in fp32: 3200, seven blocks


def test_heads_that_8_does_not_divide_are_padded_for_flash():
    """60 wide: three copies 64 wide beside the output that is 64 wide too."""
    assert most(lambda rec: attended(rec, 60)) == 4 * 8 * 100 * 64 * 2 + 3584 + 2 * 512


def test_a_boolean_mask_becomes_numbers_and_its_rows_are_aligned():
    """100 keys a row: 100 x 100 numbers, copied to rows of 104; then the output."""
    found = most(lambda rec: attended(rec, mask=(1, 1, 100, 100)))
    numbers, aligned, out = 20_480, 20_992, 8 * 100 * 64 * 2
    assert (
        found == numbers + aligned + 512 or found == aligned + out + 512 or found == aligned + out
    )


def test_it_is_taken_within_a_module_of_pytorch_too():
    def program():
        import torch

        attention = torch.nn.MultiheadAttention(64, 4, device="cuda", dtype=torch.bfloat16)
        entries = torch.empty(8, 2, 64, device="cuda", dtype=torch.bfloat16)
        attention(entries, entries, entries, need_weights=False)

    assert applied(program)["attention"] == (1, 0)
