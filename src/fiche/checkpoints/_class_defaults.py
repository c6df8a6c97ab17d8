"""What configuration classes have where a file says nothing: package data, one line a model type.

The first line names the library and its version (`{"source": ...}`), each other one is
`{"model_type": ..., "defaults": {...}}`. Only the lines that somebody asks for are parsed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache

from fiche.assets import package_data
from fiche.checkpoints._json import number
from fiche.kernel.config import Json

_FILE = "families/class_defaults.json"
_STARTS = '\n{"model_type": '


class _ClassDefaults(Mapping[str, Mapping[str, Json]]):
    """The defaults of each model type, parsed when first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parsed: dict[str, Mapping[str, Json]] = {}

    def __getitem__(self, model_type: str) -> Mapping[str, Json]:
        if model_type not in self._parsed:
            start = self._text.find(f"{_STARTS}{json.dumps(model_type)},") + 1
            if not start:
                raise KeyError(model_type)
            line = self._text[start : self._text.index("\n", start)]
            self._parsed[model_type] = json.loads(line, parse_float=number)["defaults"]
        return self._parsed[model_type]

    def __iter__(self) -> Iterator[str]:
        for line in self._text.splitlines()[1:]:
            yield json.loads(line)["model_type"]

    def __len__(self) -> int:
        return self._text.count(_STARTS)


@cache
def class_defaults() -> tuple[Mapping[str, Mapping[str, Json]], str]:
    """The defaults by model type, and the library and version that they were read in."""
    text = package_data(_FILE).read_text(encoding="utf-8")
    source = json.loads(text[: text.index("\n")])["source"]
    return _ClassDefaults(text), str(source)
