"""The command `fiche`, in a process of its own, with the stand-in of `stand_in.py` in the place of its jobs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import pytest
from campaigns import stand_in

from fiche.cli.process import main

if __name__ == "__main__":
    stand_in(pytest.MonkeyPatch())
    main()
