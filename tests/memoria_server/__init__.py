"""The project's own Memoria server for tests: contract memoria-api.md on loopback, in memory, with scripted faults."""

from . import extra as extra  # registers its routes
from .app import MemoriaApp, make_app
from .faults import serve
from .requests import MARK, MARK_ERROR

__all__ = ["MARK", "MARK_ERROR", "MemoriaApp", "make_app", "serve"]
