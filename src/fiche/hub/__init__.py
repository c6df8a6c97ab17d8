"""Headers of a model that lies on a hub, read by range requests; the only room that knows a network."""

from fiche.hub.name import HubName, hub_name
from fiche.hub.reading import Received, received

__all__ = ["HubName", "Received", "hub_name", "received"]
