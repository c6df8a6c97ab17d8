"""Campaigns: cases and variants as jobs in fresh processes, on this machine or through Slurm.

The engine is submitit's; what a campaign adds is that its folder is its state: a job that has its
record is never run again, and nothing that was seen is ever written over.
"""
