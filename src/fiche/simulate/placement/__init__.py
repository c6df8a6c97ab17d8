"""One rank of a load that several devices share: its shards and shapes, and the buffers that sharing takes.

No process group runs. What a rank would send and receive is known from shapes alone, so a collective is
the buffers that it reads and writes; what the library that carries it takes for itself (NCCL) is uncovered.
"""
