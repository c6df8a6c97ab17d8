"""`config.json`: bytes to a `Config` over the defaults of its class (A1)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from fiche.checkpoints._json import json_object
from fiche.kernel.config import Config, Json

# Labels of a thousand classes take some 100 kB.
CONFIG_LIMIT = 8 * 2**20


def read_config(
    content: bytes, file: str, classes: Mapping[str, Mapping[str, Json]], classes_of: str = ""
) -> Config:
    """A configuration as written: whole numbers int, all others Fraction, `Infinity` a text.

    Raises:
        Refused: F801 to F806, see `fiche.checkpoints._json.json_object`.
    """
    values, _ = json_object(content, file, CONFIG_LIMIT, constants=True)
    digest = hashlib.sha256(content).hexdigest()
    return Config(file=file, sha256=digest, values=values, classes=classes, classes_of=classes_of)
