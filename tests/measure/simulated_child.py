"""The child as it is, its devices simulated: the order of calls on PyTorch's CPU build, no measurement."""

import sys

from fiche.measure import child
from fiche.measure.protocol import devices

sys.path.insert(0, __file__.rsplit("/", 2)[0])
from measure.simulated import simulated

if __name__ == "__main__":
    devices.find_devices = lambda names=None: simulated()
    sys.exit(child.main())
