"""A program on a GPU that is not there: what it holds, worked out by hand."""

import pytest
from simulate.programs import dense, peaks

pytestmark = pytest.mark.torch

MIB = 2**20


def run(program, **options):
    from fiche.simulate.simulated import run

    return run(program, **options)


def test_a_forward_pass_holds_weights_input_and_two_layers_of_outputs():
    """Weights 2 x 4 Mi x 4 B; of the activations the hidden one and its ReLU are alive together."""

    def program(rec):
        import torch

        with rec.phase("model_load"):
            model = dense()
        x = torch.randn(64, 1024, device="cuda")
        with rec.phase("forward"), torch.no_grad():
            model(x)

    found = peaks(run(program))
    assert found["model_load", "first"][2] == 32 * MIB
    weights_and_input = 32 * MIB + 64 * 1024 * 4
    start, peak, end = found["forward", "first"]
    assert start == weights_and_input
    assert peak - start >= 2 * 64 * 4096 * 4
    assert end >= start


def test_a_module_moved_to_the_device_leaves_nothing_behind():
    def program(rec):
        with rec.phase("model_load"):
            model = dense(device="cpu")
            first = next(model.parameters())
            model.to("cuda")
            assert next(model.parameters()) is first
            assert str(first.device) == "cuda:0"
            assert first.is_cuda
            model.half()
            del first, model

    # Moved in 32 MiB, then halved; the last allocation of the old format is gone.
    assert peaks(run(program))["model_load", "first"][1:] == (40 * MIB, 0)


def test_python_is_shown_cuda_and_the_host_stays_the_host():
    seen = {}

    def program(rec):
        import torch

        made = torch.empty(3, device="cuda")
        seen["made"] = str(made.device)
        seen["moved"] = str(torch.empty(3).cuda().device)
        seen["back"] = str(made.cpu().device)
        seen["like"] = str(torch.zeros_like(made).device)
        seen["number"] = made.get_device()
        seen["available"] = torch.cuda.is_available(), torch.cuda.device_count()
        with torch.device("cuda"):
            seen["within"] = str(torch.ones(2).device)

    run(program)
    import torch

    assert seen == {
        "made": "cuda:0",
        "moved": "cuda:0",
        "back": "cpu",
        "like": "cuda:0",
        "number": 0,
        "available": (True, 1),
        "within": "cuda:0",
    }
    assert not torch.cuda.is_available()
    assert torch.nn.Module._apply.__module__ == "torch.nn.modules.module"


def test_host_tensors_take_nothing_of_the_device():
    def program(rec):
        import torch

        with rec.phase("inputs"):
            return torch.zeros(1000, 1000)

    assert peaks(run(program))["inputs", "first"] == (0, 0, 0)


def test_each_storage_counts_once_and_in_blocks():
    def program(rec):
        import torch

        with rec.phase("inputs"):
            x = torch.zeros(1, device="cuda")
            views = [x.view(1, 1), x[0], x.detach()]
            y = torch.zeros(129, device="cuda")
        with rec.phase("forward"):
            del x
        with rec.phase("backward"):
            del views, y

    found = peaks(run(program))
    assert found["inputs", "first"] == (0, 512 + 1024, 512 + 1024)
    assert found["forward", "first"] == (1536, 1536, 1536)
    assert found["backward", "first"] == (1536, 1536, 0)


def test_a_step_tells_what_each_byte_is_for():
    def program(rec):
        import torch

        with rec.phase("model_load"):
            model = dense()
            optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
        with rec.phase("inputs"):
            x = torch.randn(64, 1024, device="cuda")
        for _ in range(2):
            with rec.phase("forward"):
                loss = model(x).square().mean()
            with rec.phase("backward"):
                loss.backward()
            with rec.phase("optimizer_step"):
                optimizer.step()
                optimizer.zero_grad()

    simulation = run(program)
    phases = {(each.name, each.passed): each for each in simulation.phases()}
    by_kind = {}
    for group in phases["optimizer_step", "later"].groups:
        by_kind[group.kind] = by_kind.get(group.kind, 0) + group.num_bytes
    small = by_kind.pop("input"), by_kind.pop("activation", 0)
    assert small == (64 * 1024 * 4, 512)  # the loss is still held
    assert (
        by_kind.pop("workspace") == 2 * 8_519_680
    )  # of cuBLAS: forward and backward have one each
    # A step over all tensors at once keeps one more copy: the square roots.
    assert by_kind == {
        "parameter": 32 * MIB,
        "gradient": 32 * MIB,
        "optimizer_state": 64 * MIB,
        "temporary": 32 * MIB,
    }
    assert "foreach_sqrt" in phases["optimizer_step", "later"].origin.operator


def test_a_checkpointed_layer_runs_again_on_the_same_device():
    seen = []

    def program(rec):
        import torch
        from torch.utils.checkpoint import checkpoint

        model = dense()

        def layer(x):
            made = torch.zeros(1, device="cuda")
            seen.append(str(made.device))
            return model(x + made)

        x = torch.randn(64, 1024, device="cuda")
        with rec.phase("forward"):
            y = checkpoint(layer, x, use_reentrant=False)
        with rec.phase("backward"):
            y.sum().backward()

    found = peaks(run(program))
    assert seen == ["cuda:0", "cuda:0"]
    assert found["backward", "first"][1] > found["forward", "first"][1]


def test_two_runs_make_the_same_events():
    def program(rec):
        import torch

        with rec.phase("forward"):
            dense()(torch.randn(2, 1024, device="cuda")).sum().backward()

    first, second = run(program), run(program)
    for name in ("ops", "ids", "num_bytes", "streams", "marks"):
        assert getattr(first.events[0], name) == getattr(second.events[0], name)


def test_streams_and_an_emptied_cache_are_events():
    def program(rec):
        import torch

        with torch.cuda.stream(torch.cuda.Stream()):
            x = torch.zeros(1024, device="cuda")
        del x
        torch.cuda.synchronize()
        torch.cuda.empty_cache()

    events = run(program).events[0]
    assert list(events.ops) == [0, 1, 3]
    assert events.streams[0] != 0


def _shape_by_value(rec):
    import torch

    x = torch.randn(4, device="cuda")
    return x[x > 0]


def _branch_by_value(rec):
    import torch

    return 1 if torch.randn(4, device="cuda").sum() > 0 else 2


def _values(rec):
    import torch

    return torch.randn(4, device="cuda").cpu().numpy()


def _asks_for_free_memory(rec):
    import torch

    return torch.cuda.mem_get_info()


@pytest.mark.parametrize(
    ("program", "named"),
    [
        (_shape_by_value, "aten.nonzero"),
        (_branch_by_value, "aten._local_scalar_dense"),
        (_values, "Tensor.numpy"),
        (_asks_for_free_memory, "torch.cuda.mem_get_info"),
    ],
)
def test_what_hangs_on_values_is_refused_with_the_operator_and_the_line(program, named):
    from fiche.simulate.refusal import NotSimulatedError

    with pytest.raises(NotSimulatedError) as refused:
        run(program)
    assert named in str(refused.value)
    assert "lazy" not in str(refused.value)
    if named != "torch.cuda.mem_get_info":
        assert "test_simulated.py:" in str(refused.value)


def test_an_error_of_the_program_speaks_of_cuda():
    """Two devices in one operator, as on a GPU."""

    def program(rec):
        import torch

        return torch.ones(3, device="cuda") + torch.ones(3)

    with pytest.raises(RuntimeError) as failed:
        run(program)
    assert "cuda:0" in str(failed.value)
    assert "lazy" not in str(failed.value)


def test_a_printed_loss_is_answered_and_the_answer_is_kept():
    def program(rec):
        import torch

        return torch.randn(4, device="cuda").mean().item()

    (answer,) = run(program).answers
    assert answer["told"] == "0.0"
    assert answer["by"] == "assumed"
    assert "test_simulated.py:" in answer["asked"]


def test_free_memory_is_told_where_the_capacity_is():
    seen = []

    def program(rec):
        import torch

        x = torch.zeros(MIB // 4, device="cuda")
        seen.append(torch.cuda.mem_get_info())
        del x

    run(program, capacity_bytes=24 * 2**30)
    assert seen == [(24 * 2**30 - 2 * MIB, 24 * 2**30)]  # a small segment is 2 MiB


def test_a_failing_program_leaves_pytorch_as_it_was():
    import torch

    before = torch.nn.Module.__call__, torch.autograd.backward, torch.optim.Optimizer

    def program(rec):
        raise RuntimeError("its own")

    with pytest.raises(RuntimeError, match="its own"):
        run(program)
    assert before == (torch.nn.Module.__call__, torch.autograd.backward, torch.optim.Optimizer)
    assert not torch._C._len_torch_dispatch_stack()
    assert not torch._C._len_torch_function_stack()


@pytest.mark.parametrize(
    ("name", "declared"), [("<b>", {}), ("", {}), (None, {}), ("a", {"n": -1}), ("a", {"n": "x"})]
)
def test_words_that_no_document_can_hold_are_refused_where_they_are_said(name, declared):
    with pytest.raises((TypeError, ValueError)):
        run(lambda rec: rec.phase(name, **declared))


def test_a_device_that_is_not_there_is_named():
    import torch

    from fiche.simulate.refusal import NotSimulatedError

    with pytest.raises(NotSimulatedError, match=r"cuda:7, and there are 1"):
        run(lambda rec: torch.ones(4, device="cuda:7"))
