"""Foreign formats: bytes in, readings out, each number with its place in the original (C13).

One member a module; modules that start with an underscore are the room's own. `_detect.read` chooses
the member by content and is what other rooms are handed.
"""
