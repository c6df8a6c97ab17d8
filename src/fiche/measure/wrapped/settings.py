"""What `fiche run` tells the processes of its command, through their environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

FOLDER, RUN, HOOK = "FICHE_RUN_FOLDER", "FICHE_RUN_ID", "FICHE_RUN_HOOK"
PERIOD_MS = 100


class Settings:
    """One run's settings: `covers` are phases, `declared` dimensions that the user attests (A3).

    They are never `executed`: nobody but the program itself knows what it really ran.
    """

    def __init__(
        self,
        folder: str,
        run: str,
        *,
        covers: list[str] | None = None,
        declared: dict[str, int] | None = None,
        case: str = "",
        machine: str = "",
        gpu: str = "",
        devices: list[str] | None = None,
        snapshot: bool = False,
        version: str = "0",
        period_ms: int = PERIOD_MS,
    ) -> None:
        self.folder = folder
        self.run = run
        self.covers = covers or ["program"]
        self.declared = declared or {}
        self.case, self.machine, self.gpu = case, machine, gpu
        self.devices = devices or []
        self.snapshot = snapshot
        self.version = version
        self.period_ms = period_ms

    def environment(self, inherited: Mapping[str, str], hook: str) -> dict[str, str]:
        """The command's environment: the inherited one, `hook` first on its PYTHONPATH."""
        others = inherited.get("PYTHONPATH", "")
        told = {key: value for key, value in vars(self).items() if key not in ("folder", "run")}
        return {
            **inherited,
            "PYTHONPATH": hook + (os.pathsep + others if others else ""),
            FOLDER: self.folder,
            RUN: self.run,
            HOOK: json.dumps(told),
        }


def settings_of(environment: Mapping[str, str]) -> Settings:
    """The settings of the run that started this process.

    Raises:
        KeyError: `fiche run` did not start it.
        ValueError: somebody changed them on the way.
    """
    told: dict[str, Any] = json.loads(environment[HOOK])
    return Settings(environment[FOLDER], environment[RUN], **told)
