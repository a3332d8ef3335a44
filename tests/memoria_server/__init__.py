"""The project's own Memoria server for tests: contract memoria-api.md on loopback, in memory, with scripted faults."""

from . import extra as extra  # registers its routes
from .contract import MARK, MARK_ERROR, MemoriaApp, make_app, serve

__all__ = ["MARK", "MARK_ERROR", "MemoriaApp", "make_app", "serve"]
