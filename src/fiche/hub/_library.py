"""The library that talks to a hub: an optional extra, imported only when a hub is asked."""

from __future__ import annotations

from typing import Any

from fiche.kernel.diagnostic import Diagnostic, Refused


def library() -> Any:  # noqa: ANN401 - a module that may be absent has no type
    """The package huggingface_hub, from 0.26 on, with its modules constants, errors and utils.

    Raises:
        Refused: F830 it is not installed.
    """
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
        import huggingface_hub.utils
    except ImportError as error:
        raise Refused([_absent()]) from error
    return huggingface_hub


def _absent() -> Diagnostic:
    return Diagnostic(
        code="F830",
        message="a model on a hub is read with huggingface_hub, which is not installed",
        address=None,
        hint="pip install 'fiche[models]', or download the model's folder and name that",
    )
