from types import SimpleNamespace

from fiche.simulate.effects._uncovered import ROWS, uncovered


def names(operators, placement=None):
    origins = [SimpleNamespace(operator=each) for each in operators]
    simulation = SimpleNamespace(entries=SimpleNamespace(origins=origins))
    return [
        each["name"] for each in uncovered(SimpleNamespace(placement=placement or {}), simulation)
    ]


ALWAYS = ["cuda_context", "cuda_graphs", "compiled_code"]


def test_what_no_simulation_of_an_own_program_sees_is_always_named():
    assert names([]) == ALWAYS


def test_a_ready_workload_compiles_and_captures_nothing():
    job = SimpleNamespace(placement={}, workload="training")
    simulation = SimpleNamespace(entries=SimpleNamespace(origins=[]))
    assert [each["name"] for each in uncovered(job, simulation)] == ["cuda_context"]


def test_kernels_of_other_packages_are_named_where_one_ran():
    ran = ["aten.mm.default", "cublas_workspace", "fsdp.gathered", "prims.device_put.default"]
    assert "library_kernels" not in names(ran)
    assert "library_kernels" in names([*ran, "flash_attn._flash_attn_forward.default"])


def test_others_are_named_where_they_may_be():
    found = names(["aten.convolution.default", "aten.topk.default"])
    assert [each for each in found if each not in ALWAYS] == ["cudnn_workspace", "sorting"]
    assert "cudnn_attention_workspace" in names(
        ["aten._scaled_dot_product_cudnn_attention.default"]
    )


def test_buffers_between_devices_need_more_than_one():
    assert "nccl_buffers" not in names([], {"fully_sharded": 1, "rank": 3})
    assert "nccl_buffers" in names([], {"fully_sharded": 8, "rank": 0})
    # Layers over devices are one process, and copies between its devices.
    assert "nccl_buffers" not in names([], {"devices": 2, "pipeline_parallel": 2})
    assert "nccl_buffers" in names([], {"devices": 4, "pipeline_parallel": 2, "sharding": "fsdp"})


def test_bounds_are_whole_bytes_in_order_and_each_row_has_a_source():
    for row in ROWS:
        assert row.why
        assert row.source
        low, high = row.low_bytes, row.high_bytes
        assert low is None or low >= 0
        assert high is None or low is None or low <= high
