"""Values that follow from constants are known; everything else is refused rather than guessed."""

import pytest

pytestmark = pytest.mark.torch


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def test_a_mask_of_ones_is_known_to_hide_nothing():
    seen = {}

    def program(rec):
        import torch

        ids = torch.randint(0, 10, (2, 100), device="cuda")
        mask = torch.ones_like(ids)
        seen["all"] = bool(mask.all())
        seen["sum"] = mask.sum().item()
        seen["last"] = (mask.cumsum(-1) - 1).max().item()
        mask[:, :10] = 0
        seen["after"] = mask.sum().item()
        seen["list"] = mask[0].tolist()[8:12]
        seen["places"] = tuple(mask.nonzero().shape)
        seen["device"] = str(mask.nonzero().device)

    run(program)
    assert seen == {
        "all": True,
        "sum": 200,
        "last": 99,
        "after": 180,
        "list": [0, 0, 1, 1],
        "places": (180, 2),
        "device": "cuda:0",
    }


def test_values_are_followed_through_views_and_changes_in_place():
    seen = []

    def program(rec):
        import torch

        places = torch.arange(6, device="cuda")
        view = places.view(2, 3)[1]
        view += 10
        seen.append(places.tolist())
        seen.append(torch.where(places > 10)[0].tolist())

    run(program)
    assert seen == [[0, 1, 2, 13, 14, 15], [3, 4, 5]]


def test_an_unknown_value_written_into_a_known_tensor_makes_all_of_it_unknown():
    """Its views too, and only it."""
    from fiche.simulate.refusal import NotSimulatedError

    def program(rec):
        import torch

        places, others = torch.arange(6, device="cuda"), torch.arange(6, device="cuda")
        places[:2].copy_(torch.randn(2, device="cuda"))
        assert others.sum().item() == 15
        return places[4:].sum().item()

    with pytest.raises(NotSimulatedError, match="_local_scalar_dense"):
        run(program)


@pytest.mark.parametrize("make", ["empty", "computed", "real", "drawn over"])
def test_what_has_no_values_or_is_computed_from_such_is_unknown(make):
    from fiche.simulate.refusal import NotSimulatedError

    def program(rec):
        import torch

        made = {
            "empty": lambda: torch.empty(4, dtype=torch.long, device="cuda"),
            "computed": lambda: (
                torch.randn(4, device="cuda").argsort() + torch.ones(4).long().cuda()
            ),
            "drawn over": lambda: torch.ones(4, dtype=torch.long, device="cuda").random_(0, 9),
            "real": lambda: torch.rand(4, device="cuda").long(),
        }[make]()
        return made.tolist()

    with pytest.raises(NotSimulatedError):
        run(program)


def test_random_whole_numbers_are_drawn_the_same_each_time_and_within_their_bounds():
    """Token ids: transformers asks whether any is below zero."""
    seen = []

    def program(rec):
        import torch

        ids = torch.randint(5, 9, (2, 50), device="cuda")
        seen.append((bool((ids < 5).any()), bool((ids > 8).any()), ids.sum().item()))
        seen.append(sorted(torch.randperm(4, device="cuda").tolist()))

    run(program)
    run(program)
    assert seen[0][:2] == (False, False)
    assert seen[0] == seen[2]
    assert seen[1] == [0, 1, 2, 3]


def test_a_step_of_an_optimizer_counts_on_the_host():
    """Adam divides by 1 - beta^step, which it reads off a tensor."""

    def program(rec):
        import torch

        weight = torch.nn.Parameter(torch.randn(8, 8, device="cuda"))
        for foreach in (False, True):
            optimizer = torch.optim.AdamW([weight], foreach=foreach)
            for _ in range(2):
                weight.sum().backward()
                optimizer.step()
            assert optimizer.state[weight]["step"].item() == 2.0

    run(program)


def test_a_large_tensor_keeps_no_values_on_the_host():
    from fiche.simulate.refusal import NotSimulatedError

    def program(rec):
        import torch

        return torch.ones(2**21, dtype=torch.long, device="cuda").sum().item()

    with pytest.raises(NotSimulatedError):
        run(program)


def _over(how):
    import torch

    known = torch.zeros(4, dtype=torch.long, device="cuda")
    unknown = torch.randn(4, device="cuda").long()
    if how == "another result":
        torch.add(unknown, unknown, out=known)
    elif how == "another result, drawn":
        torch.randint(1, 9, (4,), out=known, device="cuda")
    elif how == "other data":
        known.data = unknown
    elif how == "another storage":
        known.set_(unknown.untyped_storage(), 0, (4,), (1,))
    elif how == "more of its storage":
        known.resize_(8)
    elif how == "a view that is too large to have values":
        known.expand(2**20, 4)[:1].copy_(unknown)
    elif how == "places like it":
        known = torch.empty_like(known)
    elif how == "running figures":
        norm = torch.nn.BatchNorm1d(4).to("cuda")
        norm(torch.randn(8, 4, device="cuda"))
        known = norm.running_mean > 0
    return known.sum().item()


@pytest.mark.parametrize(
    "how",
    [
        "another result",
        "another result, drawn",
        "other data",
        "another storage",
        "more of its storage",
        "a view that is too large to have values",
        "places like it",
        "running figures",
    ],
)
def test_values_are_unknown_once_a_tensor_is_written_over_or_holds_another_storage(how):
    from fiche.simulate.refusal import NotSimulatedError

    with pytest.raises(NotSimulatedError, match="_local_scalar_dense"):
        run(lambda rec: _over(how))


def test_what_is_only_read_keeps_its_values():
    def program(rec):
        import torch

        mask = torch.arange(4, device="cuda") > 1
        torch.randn(4, device="cuda").masked_fill_(mask, 0.0)
        assert mask.sum().item() == 2

    run(program)


def test_a_tensor_that_is_filled_wholly_has_those_values():
    """As a buffer that is made empty, and filled with a length later."""
    seen = []

    def program(rec):
        import torch

        buffer = torch.empty(4, dtype=torch.long, device="cuda")
        view = buffer[:2]
        view.fill_(7)
        seen.append(view.tolist())
        buffer.copy_(torch.arange(4, device="cuda"))
        buffer += 1
        seen.append(buffer.tolist())

    run(program)
    assert seen == [[7, 7], [1, 2, 3, 4]]
