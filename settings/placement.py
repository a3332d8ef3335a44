"""Where the plugin itself lies: the host finds a provider by the name of its folder (P1)."""

import shlex
from pathlib import Path


def misplaced(home: Path, name: str, package: Path) -> str:
    """Why activating `name` would lead nowhere, with the command that mends it; empty when all is well.

    package  the folder this was loaded from, as the host named it.  A link in plugins/ counts by its own name.
    """
    plugins = home / "plugins"
    try:
        found = [item for item in sorted(plugins.iterdir()) if item.resolve() == package.resolve()]
    except OSError:
        found = []
    if not found and package.parent.name == "plugins":
        found = [package]
    if not found or any(item.name == name for item in found):
        return ""  # well, or loaded from elsewhere: not for us to say
    folder, wanted = found[0], found[0].with_name(name)
    said = f"the plugin's folder is called {folder.name}, and Hermes would look for {wanted.name}: not activated"
    if wanted.exists() or wanted.is_symlink():
        return f"{said}; {wanted} exists as well, so remove one of the two; mend: hermes plugins remove {folder.name}"
    return f"{said}; mend: mv {shlex.quote(str(folder))} {shlex.quote(str(wanted))}"
