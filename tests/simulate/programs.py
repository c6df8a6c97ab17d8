"""Small programs for the simulator, written as a user would write them for a GPU."""


def dense(width=1024, device="cuda"):
    import torch

    return torch.nn.Sequential(
        torch.nn.Linear(width, 4 * width, bias=False),
        torch.nn.ReLU(),
        torch.nn.Linear(4 * width, width, bias=False),
    ).to(device)


def peaks(simulation):
    """Start, peak and end of each phase by name and pass, bytes."""
    return {
        (each.name, each.passed): (each.start_bytes, each.peak_bytes, each.end_bytes)
        for each in simulation.phases()
    }
