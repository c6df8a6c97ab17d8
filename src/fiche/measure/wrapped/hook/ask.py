"""Asks this Python for a GPU: `python ask.py [DEVICE ...]` ends with 0, or with 2 and one sentence."""

from __future__ import annotations

import sys


def _ask(names: list[str]) -> str:
    # `_fiche_meeting` lies beside this file, where Python looks first for a script's modules.
    from _fiche_meeting import Lender  # type: ignore[import-not-found]

    sys.meta_path.append(Lender())
    from fiche.measure.protocol.devices import NoDevice, find_devices

    try:
        find_devices(names or "all")
    except NoDevice as missing:
        return str(missing)
    return ""


if __name__ == "__main__":
    # The module search begins in the working folder, as for the command itself.
    sentence = _ask(sys.argv[1:])
    sys.stderr.write(sentence)
    sys.exit(2 if sentence else 0)
