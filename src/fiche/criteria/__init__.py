"""One kind of requirement a module: what the pieces say about it, gathered for the rule."""
