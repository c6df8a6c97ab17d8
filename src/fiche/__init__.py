"""fiche compiles a workload, its evidence and a GPU catalog into a decision report."""

__version__ = "0.1.0"
