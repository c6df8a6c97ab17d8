"""Where an allocation comes from: the operator, the module that ran, and the line of the program.

In a backward pass an operator belongs to the module and the line of the forward operator that it
differentiates: both have the sequence number of one autograd node.
"""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

_OWN = str(Path(__file__).resolve().parents[1])
_TORCH = str(Path(torch.__file__).resolve().parent)
_LIBRARY = str(Path(contextlib.__file__).parent)
# What is installed may lie below Python's own library.
_INSTALLED = {"site-packages", "dist-packages"}
_MOST_FRAMES = 60


@dataclass(frozen=True, slots=True)
class Origin:
    """An operator (`aten.mm.default`), a module's path in its model, a file and a line; each can be empty."""

    operator: str
    module: str
    file: str
    line: int


class Origins:
    """The module that runs now, and the places of operators seen so far."""

    def __init__(self) -> None:
        self.modules: list[str] = []
        self._own_code: dict[CodeType, bool] = {}
        self._forward: dict[int, tuple[str, str, int]] = {}
        self._kept: dict[tuple[Any, str, str, int], Origin] = {}

    def here(self, operator: Any) -> Origin:
        """Where the program is."""
        module, file, line = self._place()
        key = (operator, module, file, line)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = Origin(str(operator), *key[1:])
        return found

    def _place(self) -> tuple[str, str, int]:
        if torch._C._current_graph_task_id() != -1:
            node = torch._C._current_autograd_node()
            known = None if node is None else self._forward.get(node._sequence_nr())
            if known is not None and not self.modules:
                return known
        file, line = self._line()
        place = (self.modules[-1] if self.modules else "", file, line)
        if torch.is_grad_enabled():
            # The first operator behind a new node is the node's own; later ones may have none.
            self._forward.setdefault(torch.autograd._get_sequence_nr() - 1, place)
        return place

    def _line(self) -> tuple[str, int]:
        """The innermost line that is neither PyTorch's nor fiche's nor of Python's own library."""
        frame: FrameType | None = sys._getframe(3)
        for _ in range(_MOST_FRAMES):
            if frame is None:
                break
            code = frame.f_code
            own = self._own_code.get(code)
            if own is None:
                own = self._own_code[code] = _is_foreign(code.co_filename)
            if not own:
                return code.co_filename, frame.f_lineno
            frame = frame.f_back
        return "", 0


def _is_foreign(file: str) -> bool:
    """True for code of PyTorch, of fiche itself and of Python's own library, and for what has no file."""
    if file.startswith((_OWN, _TORCH, "<")):
        return True
    return file.startswith(_LIBRARY) and _INSTALLED.isdisjoint(Path(file).parts)
