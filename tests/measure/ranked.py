"""One process of a distributed run, under torchrun: gloo on the CPU, counters of the simulated device.

`ranked.py OUTPUT [--fail RANK] [--kill RANK]`: each rank loads, meets the others, and runs a step in which the
rank named fails, or is killed as by the system. No card is measured.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
import torch.distributed as dist
from measure.simulated import MIB, SimulatedDevice, SimulatedDevices

import fiche


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--fail", type=int, default=-1)
    parser.add_argument("--kill", type=int, default=-1)
    told = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    device = SimulatedDevice(int(os.environ["LOCAL_RANK"]))
    workload = {"model": {"name": "ranked"}, "operation": "training"}
    with fiche.recorder(
        told.output, device=SimulatedDevices([device]), workload=workload, run="ranked-1"
    ) as rec:
        with rec.phase("model_load"):
            device.allocate((rank + 1) * 100 * MIB)
        dist.barrier()
        with rec.phase("forward", microbatch=2) as phase:
            if rank == told.fail:
                raise MemoryError("out of memory on this rank alone")
            if rank == told.kill:
                os.kill(os.getpid(), signal.SIGKILL)
            device.allocate(MIB)
            met = torch.tensor([rank])
            dist.all_reduce(met)
            phase.executed(microbatch=2)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
