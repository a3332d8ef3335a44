"""A progress bar on a terminal; nothing in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .screen import Screen, one_line

Move = Callable[[str, int, int], None]
"""(what is being done, how many of it are, how many there are in all: 0 when nobody knows)"""


@contextmanager
def bar(title: str) -> Iterator[Move]:
    """Shown on standard error while the block lasts; gives the function that moves it."""
    console = Screen(sys.stderr).console
    if console is None:
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn(f"{title} {{task.description}}")
    columns = (SpinnerColumn(), text, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda what, done, total: progress.update(
            task, description=one_line(what)[:40], completed=done, total=total or None
        )
