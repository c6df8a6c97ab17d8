"""The loops themselves: workloads for a recorder, built in a process of their own. They import torch."""
