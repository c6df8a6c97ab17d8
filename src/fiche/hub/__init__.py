"""Headers of a model that lies on a hub, read by range requests; the only room that knows a network."""
