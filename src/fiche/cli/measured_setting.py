"""Engine, formats, placement, allocator and process of a job, as a fiche has them (A5, C7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fiche.cli.measured_told import Told
from fiche.kernel.said import tell
from fiche.measure.protocol.heading import FRESH
from fiche.measure.workloads._language import ATTENTION

# `FRESH`, which is of a room without told texts, as a report says it; a test holds both together.
_FRESH = tell("one fresh process per series")

PLAIN = ("bf16", "fp16", "fp32")
_WAYS = ("tensor", "pipeline", "expert", "context", "data")
# Every name under which some version of PyTorch looks for the allocator's settings.
_VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")


def common(told: Told, versions: Callable[[str], str | None]) -> dict[str, Any]:
    """Check engine, attention and placement; the words that only the fiche has."""
    told.one_of("engine.name", ("transformers",), needed=True)
    _version(told, versions)
    told.one_of("engine.settings.compile", ("no", "false"))
    words = _laid_out(told) if told.placed else _placement(told)
    if told.one_of("formats.master", ("none",)):
        words["formats"] = {"master": told.word("formats.master")}
    return words


def _version(told: Told, versions: Callable[[str], str | None]) -> None:
    stated, here = (
        told.needed("engine.version", "the version of transformers"),
        versions("transformers"),
    )
    if stated and here and stated != here:
        why = f"engine.version is {stated}, and transformers {here} is installed"
        told.another("engine.version", why, "install that version, or state the one that will run")


def attention(told: Told, options: dict[str, Any]) -> None:
    """The implementation of attention, which is never left to a default."""
    named = told.one_of("attention", tuple(ATTENTION), needed=True)
    if named:
        options["attention"] = named


def _placement(told: Told) -> dict[str, Any]:
    """One device that holds everything; what the fiche denies besides is repeated."""
    devices = told.count("placement.devices")
    if devices is None:
        told.untold("placement.devices", "1 for a ready workload")
    elif devices != 1:
        why = tell(
            "placement.devices is {devices}, and a ready workload runs on one device",
            devices=str(devices),
        )
        told.cannot("placement.devices", why)
    told.one_of("placement.resident", ("all",), needed=True)
    words: dict[str, Any] = {}
    for name in ("offload", "sharding"):
        if told.one_of(f"placement.{name}", ("none",)):
            words[name] = told.word(f"placement.{name}")
    for way in _WAYS:
        cut = told.count(f"placement.{way}_parallel")
        if cut not in (None, 1):
            why = tell(
                "placement.{way}_parallel is {cut}, and a ready workload cuts nothing",
                way=way,
                cut=str(cut),
            )
            told.cannot(f"placement.{way}_parallel", why)
        elif cut is not None:
            words[f"{way}_parallel"] = cut
    return {"placement": words} if words else {}


def _laid_out(told: Told) -> dict[str, Any]:
    """What the fiche says of a layout over devices; whether it can be simulated is asked of it as a whole."""
    words: dict[str, Any] = {}
    devices = told.count("placement.devices")
    if devices is None:
        told.untold("placement.devices", "how many devices share the load")
    else:
        words["devices"] = devices
    told.needed("placement.resident", "all, or offload")
    for name in ("sharding", "offload"):
        if told.word(f"placement.{name}"):
            words[name] = told.word(f"placement.{name}")
    for way in _WAYS:
        cut = told.count(f"placement.{way}_parallel")
        if cut is not None:
            words[f"{way}_parallel"] = cut
    return {"placement": words}


def dtype_of(told: Told, options: dict[str, Any]) -> str:
    """The plain format that weights are loaded in, beside the one that they are declared in (A1)."""
    storage = told.needed("formats.storage", " or ".join(PLAIN))
    loaded = told.word("formats.loaded") or storage
    for path, named in (("formats.storage", storage), ("formats.loaded", loaded)):
        if named and named not in PLAIN:
            why = tell(
                "{key} is {format}: for a generation, a ready workload has {known}",
                key=path,
                format=named,
                known=", ".join(PLAIN),
            )
            told.cannot(path, why)
            return ""
    if loaded:
        options["dtype"] = loaded
        options["storage"] = storage
        attention(told, options)
    return loaded


def check_process(told: Told) -> None:
    """Each record is one fresh process; a fiche may ask for that and for nothing else (C7)."""
    asked = told.word("process_protocol")
    if asked and asked.casefold() != FRESH:
        why = tell("process is '{asked}', and fiche measures {fresh}", asked=asked, fresh=_FRESH)
        told.cannot("process_protocol", why)


def allocator_variables(told: Told) -> dict[str, str]:
    """The allocator's settings as variables of the process; an empty one is not set (C6)."""
    backend, settings = told.word("allocator.backend"), told.word("allocator.settings")
    if not backend and not settings:
        return {}
    value = "" if settings.casefold() in ("", "default") else settings
    named = "cudaMallocAsync" if "backend:cudaMallocAsync" in value else "native"
    if backend and backend != named:
        hint = "settings are what the variable holds, such as backend:cudaMallocAsync"
        why = tell(
            "allocator.backend is {backend}, and these settings make it {named}",
            backend=backend,
            named=named,
        )
        told.cannot("allocator.backend", why, hint)
    return dict.fromkeys(_VARIABLES, value)
