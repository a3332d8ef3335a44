"""What can stop the plugin before any of its parts says so: files that do not load, places that cannot be written.

Standard library only, and nothing of ours: this is what speaks when the rest does not load (P5, B001).
"""

import os
import re
import shlex
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent
_NOT_FOUND = re.compile(r"cannot import name '(\w+)' from '([^']+)'")
_PARTS = (("capture.reader", "nothing new is remembered"), ("recall.engine", "nothing is recalled"))
_KEPT = re.compile(r"\.(corrupt|invalid|imported|prev)\b")  # copies that nobody writes again


def why(error: BaseException) -> str:
    """Why one of our files does not load; one that is not there is called missing, whatever Python calls it."""
    name = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    if name is None and isinstance(error, ImportError) and (found := _NOT_FOUND.search(str(error))):
        name = f"{found[2]}.{found[1]}"
    inner = str(name or "").removeprefix(f"{__package__}.")
    if name and inner != name:
        path = ROOT.joinpath(*inner.split("."))
        if path.parent.is_dir() and not path.with_suffix(".py").exists() and not path.is_dir():
            return f"{path.relative_to(ROOT).as_posix()}.py is missing"
    return " ".join(f"{type(error).__name__}: {error}".split())


def reinstall() -> str:
    """The command that puts the plugin's own files right; nothing remembered lies among them (P11)."""
    if (ROOT / ".git").exists():  # pulling alone does not bring back a file that was deleted or changed
        return f"git -C {shlex.quote(str(ROOT))} checkout . && hermes plugins update cognition"
    return "hermes plugins update cognition, or hermes plugins install ADDRESS --force"


def broken_parts() -> list[str]:
    """Load the parts that are loaded on first use; one line for each that does not load (P5, B001)."""
    lines = []
    for part, use in _PARTS:
        try:
            import_module(f"{__package__}.{part}")
        except Exception as error:
            file = f"{part.replace('.', '/')}.py"
            reason = why(error)
            said = reason if reason.startswith(file) else f"{file} does not load ({reason})"
            lines.append(f"{said}: {use}, what is stored is safe; mend: {reinstall()}")
    return lines


def unwritable(files: Iterable[Path]) -> list[str]:
    """One line when data files, those beside them of the same name, or their folder cannot be written.

    Looks at permissions only; where nothing is yet there is nothing to say.
    """
    shut: list[Path] = []
    for file in files:
        folder = file.parent
        if not folder.is_dir():
            continue
        if not _open(folder):
            shut += [folder] if folder not in shut else []
            continue
        beside = (item for item in sorted(folder.iterdir()) if _written(item.name, file.name))
        shut += [item for item in beside if item not in shut and not _open(item)]
    if not shut:
        return []
    named = ", ".join(item.name for item in shut[:3]) + (" and others" if len(shut) > 3 else "")
    kept = "nothing new is kept" if any(item.is_dir() for item in shut) else "new facts may not be kept"
    return [f"{named} cannot be written: {kept}, what is there is safe; mend: {_permit(shut)}"]


def _written(name: str, file: str) -> bool:
    return name.startswith(file) and not _KEPT.search(name)


def _open(path: Path) -> bool:
    return os.access(path, os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0))


def _permit(shut: list[Path]) -> str:
    """The command that lets this user write there."""
    try:
        if hasattr(os, "statvfs") and os.statvfs(shut[0]).f_flag & os.ST_RDONLY:
            return "mount the disk for writing"
        names = " ".join(shlex.quote(str(path)) for path in shut[:3])
        if hasattr(os, "geteuid") and any(path.stat().st_uid != os.geteuid() for path in shut):
            return f"chown -R $(id -un) {names}  # as root"
    except OSError:
        names = shlex.quote(str(shut[0]))
    return f"chmod u+rwX {names}"
