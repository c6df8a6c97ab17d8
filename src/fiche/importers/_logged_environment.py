"""The environment that a log states: what `collect_env` of vLLM and `check_env` of SGLang print (A5).

People put it in front of the log that they send. It is read for its facts alone: torch, the driver, the
names of the devices, the version of the program.
"""

from __future__ import annotations

import re
from typing import Protocol

from fiche.importers import _logged_facts
from fiche.importers._lines import Line
from fiche.importers._logged import Rule
from fiche.importers._sheet import Sheet


class _Log(Protocol):
    """Any log with a sheet."""

    sheet: Sheet


def _torch(log: _Log, line: Line, match: re.Match[str]) -> None:
    log.sheet.fact(line, "framework.name", "torch")
    log.sheet.fact(line, "framework.version", match["version"])


def _driver(log: _Log, line: Line, match: re.Match[str]) -> None:
    log.sheet.fact(line, "driver", match["version"])


def _python(log: _Log, line: Line, match: re.Match[str]) -> None:
    log.sheet.fact(line, "python", match["version"])


def _devices(log: _Log, line: Line, match: re.Match[str]) -> None:
    for index in match["indices"].split(",")[:_MOST]:
        _logged_facts.device_fact(log.sheet, line, int(index), match["name"].strip())


_MOST = 64
RULES: tuple[Rule[_Log], ...] = (
    Rule("PyTorch", r"^PyTorch(?: version)? ?: (?P<version>[0-9]{1,2}\.[\w.+-]{2,40})", _torch),
    Rule(
        ("river version: ", "river Version: "),
        r"(?:Nvidia driver version|CUDA Driver Version): (?P<version>[0-9]{2,4}\.[0-9.]{1,20})",
        _driver,
    ),
    Rule("Python", r"^Python(?: version)? ?: (?P<version>3\.[0-9]{1,3}\.[0-9]{1,3})", _python),
    Rule(
        "GPU ",
        r"^GPU (?P<indices>[0-9]{1,3}(?:,[0-9]{1,3}){0,63}): (?P<name>(?:NVIDIA|AMD|Tesla|Quadro|GeForce)"
        r"\x20[^(\r\n]{2,60})",
        _devices,
    ),
)
