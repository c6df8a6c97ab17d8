"""A case of a fiche as a job for a ready workload: its dimensions, its formats, its words (A1 to A6, C10).

The record that comes of it repeats what the fiche says, as far as that is what ran; so its scope is that of
the fiche. What no ready workload does is refused with its reason, and what is untold is asked for: nothing is
guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fiche.cli.measured_learning import learning
from fiche.cli.measured_setting import allocator_variables, check_process, common, dtype_of
from fiche.cli.measured_told import Told
from fiche.cli.usage import unknown
from fiche.kernel.decision import Fiche
from fiche.kernel.diagnostic import Refused
from fiche.kernel.fact import written
from fiche.kernel.record import record
from fiche.kernel.requirement import Candidate
from fiche.kernel.said import tell
from fiche.kernel.workload import Case, Workload

Installed = Callable[[str], str | None]
_GENERATION = ("model_load", "model_init", "inputs", "encoder", "prefill", "decode")
_RANDOM = (
    "weights are random: the record covers model_init and not model_load, which the case asks for; "
    ".safetensors beside the model's config.json would be loaded"
)


def installed(name: str) -> str | None:
    """The installed version of a distribution, None where there is none."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def job_words(
    fiche_path: Path,
    case_id: str,
    candidate_id: str | None = None,
    *,
    versions: Installed = installed,
    placed: bool = False,
) -> dict[str, Any]:
    """What a job takes from a fiche; `placed` lets it be laid out over several devices.

    Returns:
        `workload`, `options` and `words` of the job, `case`, `gpu` and `machine` of the record (empty where no
        candidate is named), `seed` where the fiche has a whole one, `environment_variables` of the process
        (empty: not set), and `notes`, sentences on what the record will leave open.

    Raises:
        Refused: F530 no ready workload does it; F531 the fiche does not say what it takes; F532 another
            version is installed; F701 no such case or candidate; whatever is wrong with the fiche.
    """
    from fiche.cli.compile import importers
    from fiche.load.fiche import load_fiche
    from fiche.load.folder import followed

    fiche = load_fiche(fiche_path, importers()).fiche
    candidate = _candidate(fiche, candidate_id)
    told = _told(fiche, case_id, candidate, placed=placed)
    folder = followed(fiche_path).parent
    job = _Job(told, folder, versions).made()
    if told.faults:
        raise Refused(told.faults, folder=str(folder))
    return {
        **job,
        "case": case_id,
        "gpu": candidate.gpu if candidate else "",
        "machine": candidate.machine if candidate else "",
    }


def refusals(workload: Workload, case: Case) -> tuple[str, ...]:
    """Why no ready workload runs this case on a machine with the versions stated; nothing where one does."""
    told = Told(workload, case)
    _Job(told, Path(), lambda _: None).read({}, {})
    return tuple(fault.message for fault in told.faults)


def _candidate(fiche: Fiche, name: str | None) -> Candidate | None:
    if name is None:
        return None
    found = next((one for one in fiche.candidates if one.id == name), None)
    if found is None:
        raise Refused([unknown("candidate", name, [one.id for one in fiche.candidates])])
    return found


def _told(fiche: Fiche, case_id: str, candidate: Candidate | None, *, placed: bool) -> Told:
    """The workload as the candidate has it: one may change a microbatch, a cache, a format (D10)."""
    workload = fiche.workload if candidate is None else candidate.workload
    case = next((one for one in workload.cases if one.id == case_id), None)
    if case is None:
        raise Refused([unknown("case", case_id, [one.id for one in workload.cases])])
    return Told(workload, case, placed=placed)


@record(eq=False, kw_only=False)
class _Job:
    told: Told
    folder: Path
    versions: Installed

    def made(self) -> dict[str, Any]:
        """Workload, options, words, variables, seed and notes; faults are kept with what was told."""
        options: dict[str, Any] = {}
        words: dict[str, Any] = {}
        operation, variables = self.read(options, words)
        return {
            "workload": "generation" if operation == "generation" else "training",
            "options": options,
            "words": words,
            "environment_variables": variables,
            "notes": self._weights(options),
            **_seed(self.told),
        }

    def read(self, options: dict[str, Any], words: dict[str, Any]) -> tuple[str, dict[str, str]]:
        """Fill in options and words, touching no file; returns the operation and the process's variables."""
        told = self.told
        operation = told.one_of("operation", ("generation", "training", "adaptation"), needed=True)
        options.update(self._identity())
        words.update(common(told, self.versions))
        if operation == "generation":
            self._generation(options, words)
        elif operation:
            learning(told, options, words, operation)
        check_process(told)
        variables = allocator_variables(told)
        _refuse_left(told)
        return operation, variables

    def _identity(self) -> dict[str, Any]:
        """The configuration that is run, and the name and revision that the fiche gives it (A1)."""
        told = self.told
        options: dict[str, Any] = {"name": told.needed("model.name", "the model's name")}
        revision, digest = told.word("model.revision"), told.word("model.digest")
        config = None if told.workload.model is None else told.workload.model.config
        if config is None:
            told.untold("model.config", "its config.json, in the fiche's folder")
            return options
        options["model"] = str(self.folder / config.file)
        if revision:
            options["revision"] = revision
        elif not digest:
            told.untold("model.revision", "the commit or tag that pins the model")
        elif digest.casefold() != f"sha256:{config.sha256}":
            why = tell(
                "model.digest is not sha256:… of {file}, the one thing that a ready workload reads",
                file=config.file,
            )
            told.cannot("model.digest", why, "state model.revision beside it")
        return options

    def _weights(self, options: dict[str, Any]) -> list[str]:
        """Weights that lie beside the configuration are loaded where the case asks for the load."""
        if "model_load" not in self.told.case.phases or "model" not in options:
            return []
        beside = Path(options["model"]).parent
        if any(beside.glob("*.safetensors")):
            options["weights"] = "stored"
            return []
        return [_RANDOM]

    def _generation(self, options: dict[str, Any], words: dict[str, Any]) -> None:
        told = self.told
        loaded = dtype_of(told, options)
        compute = told.one_of("formats.compute", (loaded,)) if loaded else ""
        options["prompt_tokens"] = told.needed_dimension("prompt_tokens")
        options["new_tokens"] = told.needed_dimension("new_tokens")
        _sequences(told, options)
        _encoder(told, options)
        _context(told, options)
        _cache(told, options, words, compute or loaded)
        for phase in told.case.phases:
            if phase not in _GENERATION:
                why = tell(
                    "phase {phase} is none of a generation with a ready workload", phase=phase
                )
                told.cannot(f"phase {phase}", why)


def _sequences(told: Told, options: dict[str, Any]) -> None:
    """Sequences in memory at the same time; those that merely wait run in no workload (A4)."""
    resident, batch = told.dimension("resident_sequences"), told.dimension("batch")
    told.dimension("concurrent_requests")
    if resident is None and batch is None:
        told.needed_dimension("resident_sequences")
    elif resident is not None and batch is not None and resident != batch:
        why = tell("cases.{case}.batch differs from the resident sequences", case=told.case.id)
        told.cannot(f"cases.{told.case.id}.batch", why)
    else:
        options["sequences"] = resident or batch
    if batch is not None:
        options["batch"] = batch


def _encoder(told: Told, options: dict[str, Any]) -> None:
    model = told.workload.model
    config = None if model is None else model.config
    if config is not None and config.flag("is_encoder_decoder"):
        options["encoder_tokens"] = told.needed_dimension("encoder_tokens")


def _context(told: Told, options: dict[str, Any]) -> None:
    context = told.dimension("context_tokens")
    if context is None:
        return
    reached = options["prompt_tokens"] + options["new_tokens"]
    if context != reached:
        path = f"cases.{told.case.id}.context_tokens"
        why = tell(
            "{key} is {context}, and prompt and new tokens are {reached} together",
            key=path,
            context=str(context),
            reached=str(reached),
        )
        told.cannot(path, why)
    options["context_tokens"] = context


def _cache(told: Told, options: dict[str, Any], words: dict[str, Any], computed: str) -> None:
    """A cache holds what was computed, or a quantised one in the settings of the engine."""
    kind = told.one_of("engine.settings.cache_implementation", ("dynamic", "static", "quantized"))
    if kind:
        options["cache"] = kind
    if kind == "static" and (longest := told.count("engine.settings.max_cache_len")):
        options["max_cache_len"] = longest
    if kind == "quantized":
        _quantised(told, options)
    elif computed:
        told.one_of("formats.cache", (computed,))
    for half in ("cache_key", "cache_value"):
        named = told.word(f"formats.{half}")
        if named and named != told.word("formats.cache"):
            told.cannot(
                f"formats.{half}", tell("formats.{half} differs from formats.cache", half=half)
            )
        elif named:
            words.setdefault("formats", {})[half] = named
    told.one_of("engine.settings.logits_to_keep", ("1",))


def _quantised(told: Told, options: dict[str, Any]) -> None:
    backend = told.one_of("engine.settings.backend", ("quanto", "hqq", "fp8"), needed=True)
    options["cache_backend"] = backend
    names: Mapping[str, str] = {
        "nbits": "cache_bits",
        "q_group_size": "q_group_size",
        "residual_length": "residual_length",
    }
    for setting, option in names.items():
        stated = told.count(f"engine.settings.{setting}")
        if stated is not None:
            options[option] = stated
    held = "fp8_e4m3" if backend == "fp8" else f"int{options.get('cache_bits', 4)}"
    told.one_of("formats.cache", (held,))


_SETTINGS = ("engine.settings.", "method.", "optimizer.settings.", "training.", "code.", "formats.")
_COUNTED = ("optimizer.states_per_parameter",)


def _refuse_left(told: Told) -> None:
    """A setting that nobody read would be one that the record claims and nothing did."""
    for path in told.left(*_SETTINGS):
        if path not in _COUNTED:
            key = written(path)
            told.cannot(path, tell("{key} is a setting that no ready workload makes", key=key))
    for name in told.left_dimensions():
        key = f"cases.{told.case.id}.{name}"
        vision = name.startswith("image")
        images = tell("{key} asks for images, and ready workloads read text", key=key)
        told.cannot(key, images if vision else tell("{key} is of another load", key=key))


def _seed(told: Told) -> dict[str, int]:
    seed = told.word("seed")
    return {"seed": int(seed)} if seed.isdecimal() else {}
