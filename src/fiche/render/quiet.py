"""Libraries that write to a log nobody set up: what they say is left unsaid, for fiche says it itself."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet(*names: str) -> Iterator[None]:
    """No message of these loggers reaches the terminal meanwhile."""
    silent = logging.NullHandler()
    kept = [(logging.getLogger(name), logging.getLogger(name).propagate) for name in names]
    for logger, _ in kept:
        logger.addHandler(silent)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagates in kept:
            logger.removeHandler(silent)
            logger.propagate = propagates
