"""What an operator takes on CUDA that fake tensors do not see, or see and CUDA does not take: one row a module.

A row has its source: a file of PyTorch, read at the version named there. It is looked up by operator, so
an operator without a row costs nothing. Where the amount hangs on the card, `_gpu` has the numbers, and
the row says so.
"""
