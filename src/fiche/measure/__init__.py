"""Running phases on a device, one fresh process a series, one record a run (C1 to C14).

It neither converts, nor compares, nor decides; with `simulate` it is the only room that may know torch.
"""
