"""What a placement asks of one rank, from words: the fiche's own, and settings beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiche.kernel import simulation_notes
from fiche.kernel.record import field, record
from fiche.kernel.said import tell

SHARDINGS = ("none", "zero1", "zero2", "zero3", "fsdp")
OFFLOADS = ("none", "optimizer", "parameters")
_COUNTS = ("devices", "tensor_parallel", "pipeline_parallel", "data_parallel")
_CUTS_NO_LOAD = ("expert_parallel", "context_parallel")
# Said of a placement elsewhere; nothing here hangs on it.
_BESIDE = ("resident", "split", "software", "rank")
_FORMATS = ("", "bf16", "fp16", "fp32")
_MIB = 2**20


@record
class Settings:
    """How the sharing software is set; the defaults are its own.

    Fully sharded (PyTorch 2.13, `torch/distributed/fsdp/_fully_shard`): `param_dtype` and `reduce_dtype`
    of its mixed precision, empty: as the parameters are; `reshard_after_forward` auto: every unit but the
    root. `sync` last: gradients are reduced with the last microbatch of an update (accelerate's default),
    each: with every one. DistributedDataParallel (2.13, `torch/nn/parallel/distributed.py`): buckets in
    bytes, the first one smaller; `bucket_view`: gradients are views of the buckets. DeepSpeed
    (`deepspeed/runtime/zero/config.py`): all others, in elements; `overlap_comm` auto: in stage 3 only.
    """

    param_dtype: str = ""
    reduce_dtype: str = ""
    reshard_after_forward: str = "auto"
    sync: str = "last"
    bucket_bytes: int = 25 * _MIB
    first_bucket_bytes: int = 1 * _MIB
    bucket_view: str = "no"
    reduce_bucket_size: int = 500_000_000
    allgather_bucket_size: int = 500_000_000
    overlap_comm: str = "auto"
    sub_group_size: int = 1_000_000_000
    stage3_prefetch_bucket_size: int = 50_000_000
    stage3_max_live_parameters: int = 1_000_000_000
    stage3_max_reuse_distance: int = 1_000_000_000
    stage3_param_persistence_threshold: int = 100_000


_CHOICES = {
    "param_dtype": _FORMATS,
    "reduce_dtype": _FORMATS,
    "reshard_after_forward": ("auto", "yes", "no"),
    "sync": ("last", "each"),
    "bucket_view": ("no", "yes"),
    "overlap_comm": ("auto", "no", "yes"),
}


@record
class Placement:
    """How a load lies on devices. `data` ranks have a batch each, and share out what `sharding` says.

    `plan` is a tensor-parallel plan by hand, module patterns to styles; empty: the model's own.
    """

    devices: int = 1
    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    sharding: str = "none"
    offload: str = "none"
    plan: Mapping[str, str] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)

    @staticmethod
    def of(words: Mapping[str, Any]) -> Placement:
        """Read a placement; no word at all is one device.

        Raises:
            ValueError: a word is unknown, or the words do not agree; one sentence.
        """
        return _placement(words)

    @property
    def stand_ins(self) -> int:
        """Devices that the simulated process itself has: those of a pipeline, else the rank's one."""
        return self.pipeline

    @property
    def shares(self) -> bool:
        """True where ranks with a batch each have to do with one another."""
        return self.data > 1

    @property
    def whole(self) -> bool:
        """True where one device has all of it, so that there is nothing to place."""
        return self.devices == 1 and self.offload == "none"

    def notes(self) -> tuple[str, ...]:
        """What a reader has to know of the figures, a sentence each; none where nothing is placed."""
        return () if self.whole else tuple(_notes(self))

    def with_accumulation(self) -> bool:
        """True where microbatches before the last one leave their gradients unreduced."""
        return self.settings.sync == "last"


def _placement(words: Mapping[str, Any]) -> Placement:
    known = {
        *_COUNTS,
        *_CUTS_NO_LOAD,
        *_BESIDE,
        "sharding",
        "offload",
        "tp_plan",
        *_setting_names(),
    }
    for name in words:
        if name not in known:
            raise ValueError(f"{name[:60]!r} is no word of a placement")
    for name in _CUTS_NO_LOAD:
        if _count(words, name) != 1:
            raise ValueError(f"{name} is {words[name]}, and no simulation cuts a load so")
    tensor, pipeline = _count(words, "tensor_parallel"), _count(words, "pipeline_parallel")
    sharding = _choice(words, "sharding", SHARDINGS)
    devices = (
        _count(words, "devices")
        if "devices" in words
        else tensor * pipeline * _data_parallel(words)
    )
    made = Placement(
        devices=devices,
        tensor=tensor,
        pipeline=pipeline,
        data=_data_parallel(words)
        if "data_parallel" in words
        else max(1, devices // (tensor * pipeline)),
        sharding=sharding,
        offload=_choice(words, "offload", OFFLOADS),
        plan=_plan(words.get("tp_plan", {})),
        settings=_settings(words),
    )
    _check(made)
    return made


def _notes(made: Placement) -> Iterator[str]:
    if made.pipeline > 1:
        yield simulation_notes.dealt(made.pipeline)
        return
    yield simulation_notes.one_of(made.devices)
    yield tell(
        "the model comes from the host's memory: it is whole on no device while it is laid out"
    )
    if made.tensor > 1:
        yield simulation_notes.cut(made.tensor, by_hand=bool(made.plan))
    if made.sharding != "none" and made.data > 1:
        yield simulation_notes.shared(made.data, made.sharding)
    if made.shares and made.sharding == "none":
        yield simulation_notes.replicated(made.data)


def _check(made: Placement) -> None:
    ways = made.tensor * made.pipeline * made.data
    if ways != made.devices:
        raise ValueError(
            f"tensor {made.tensor} x pipeline {made.pipeline} x data {made.data} is {ways}, "
            f"and devices is {made.devices}"
        )
    if made.pipeline > 1 and made.devices != made.pipeline:
        raise ValueError("layers dealt out over devices are simulated with no other cut beside it")
    if made.offload != "none" and made.sharding == "none":
        raise ValueError(f"offload is {made.offload}, and no sharding moves anything to the host")
    if made.offload == "parameters" and made.sharding in ("zero1", "zero2"):
        raise ValueError(f"offload is parameters, and {made.sharding} keeps them whole on a device")
    if made.offload == "optimizer" and made.sharding == "fsdp":
        raise ValueError("offload is optimizer, and fsdp moves its states with the parameters only")


def _data_parallel(words: Mapping[str, Any]) -> int:
    return _count(words, "data_parallel")


def _count(words: Mapping[str, Any], name: str) -> int:
    value = words.get(name, 1)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} is {str(value)[:60]!r}, and has to be a whole number from 1")
    return value


def _choice(words: Mapping[str, Any], name: str, known: tuple[str, ...]) -> str:
    value = words.get(name, known[0])
    if value not in known:
        raise ValueError(
            f"{name} is {str(value)[:60]!r}, and can be {', '.join(filter(None, known))}"
        )
    return str(value)


def _plan(told: Any) -> dict[str, str]:
    if not isinstance(told, Mapping) or not all(isinstance(each, str) for each in told.values()):
        raise ValueError("tp_plan is no table of modules and styles")
    return {str(name): style for name, style in told.items()}


def _settings(words: Mapping[str, Any]) -> Settings:
    told: dict[str, Any] = {}
    for name in _setting_names():
        if name not in words:
            continue
        told[name] = (
            _choice(words, name, _CHOICES[name]) if name in _CHOICES else _amount(words, name)
        )
    return Settings(**told)


def _amount(words: Mapping[str, Any], name: str) -> int:
    value = words[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} is {str(value)[:60]!r}, and has to be a whole number from 0")
    return value


def _setting_names() -> tuple[str, ...]:
    from fiche.kernel.record import field_names

    return field_names(Settings())
