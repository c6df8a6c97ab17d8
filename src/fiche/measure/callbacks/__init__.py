"""The recorder in other people's loops: transformers, Lightning, Accelerate, vLLM, each an optional import.

Every one is told its ordering: `phased` puts each part of the loop between two synchronizations, and
`whole_loop` measures all of it in its real order, the parts only giving it their names (C8).
"""
