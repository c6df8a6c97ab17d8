"""One published program a module: `matches(case)`, and `plan(case)`, which says what to simulate."""

from importlib import import_module
from pathlib import Path

from _loops.plans import UncoveredError

# Why a program that cases name has no loop here, by a word of its name.
_WHY = {
    "llm.c": "it is no program of PyTorch",
    "TurboMind": "its engine is not PyTorch's",
    "exllama": "its kernels and buffers are its own",
    "GPTQ-for-LLaMa": "its kernels are its own, and the counter is not stated",
    "LLaMA-Factory": "the counter is not stated, or is that of the whole card",
    "scripts of the repo": "the counter is not stated, and the model's own code is not in transformers",
    "PyTorch 2.4": "torch.compile decides what is kept, and the model's code is not in transformers",
    "gpt-fast": "its prompt and its new tokens are not told, and it is compiled",
}


def programs():
    """The modules of this folder, by name."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    return [import_module(f"{__name__}.{name}") for name in names if not name.startswith("_")]


def plan_of(case):
    """The plan of the program that a case ran.

    Raises:
        UncoveredError: no program here is it, or its conditions do not suffice; one sentence.
    """
    told = case["conditions"]
    for program in programs():
        if program.matches(case):
            return program.plan(case)
    name = told.get("framework") or told.get("engine") or "a program that is not named"
    because = next((f": {why}" for word, why in _WHY.items() if word in name), "")
    raise UncoveredError(f"no loop here is that of {name}{because}")
