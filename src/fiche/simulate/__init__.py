"""Running the real model code on fake tensors: no GPU, no weights, nothing that is ever called observed.

Only `simulate` and `measure` may know torch, and the parts of both that need none do not import it.
"""
