"""What the rows of a run did: how often each applied, and the most bytes it held."""


def applied(program, capability=(8, 0)):
    """Rows by name as (count, bytes), from a program that is called with nothing."""
    from fiche.simulate.simulated import run

    simulation = run(lambda rec: program(), capability=capability)
    return {each["name"]: (each["count"], each["peak_bytes"]) for each in simulation.effects}


def most(program, capability=(8, 0)):
    """The most bytes alive in the one phase of a program, less at its start; it is called with a recorder."""
    from fiche.simulate.simulated import run

    (phase,) = run(program, capability=capability).phases()
    return phase.peak_bytes - phase.start_bytes
