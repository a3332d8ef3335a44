"""The house: imports point downwards only, the host stays behind its door (design.md; P4, P54; D96, D97)."""

import ast
import functools
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# From the ground up.  A module may import its own floor and those below; a package's modules share its floor.
FLOORS = (
    # Plain data, files and locks, which the outbox and the store both stand on.
    (
        "plain",
        "likeness",
        "stores.entry",
        "stores.files",
        "stores.errors",
        "stores.codec",
        "stores.gitname",
        "stores.limits",
        "capture.lazy",
        "capture.lines",
        "capture.voices",
        "capture.bygone",
        "capture.sentences",
        "capture.compound",
        "capture.restated",
    ),
    ("stores", "memoria", "hypatia", "outboxdb", "logdb", "telling", "budget"),
    ("outbox", "chatlog", "provenance"),
    ("merge", "delivery", "queue"),
    ("lookup", "changes", "writes"),
    ("capture", "recall"),
    ("config", "settings", "audience", "checkup", "durations", "prompt", "skill"),
    ("consolidate", "toolset"),
    ("shelf",),
    ("running",),
    ("runtime",),
    ("handle", "status"),
    ("host", "host_sessions", "host_models"),
    ("commands", "cli"),
    ("configured", "earlier", "slash", "provider", "__init__"),
)
DOORS = {"host.py", "host_sessions.py", "host_models.py", "__init__.py"}
OURS = {"tests", "benchmarks", "demo", "docs"}


def modules() -> list[Path]:
    return [
        path
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in OURS and not path.relative_to(ROOT).parts[0].startswith(".")
    ]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def floor_of(module: str) -> int:
    best = [(len(name), floor) for floor, names in enumerate(FLOORS) for name in names if within(module, name)]
    assert best, f"{module} has no floor: give it one in FLOORS"
    return max(best)[1]


def within(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """What a module imports from us, as dotted names below the package, and whether only for the type checker."""
    package = path.relative_to(ROOT).parent.parts
    found: list[tuple[str, bool]] = []

    def walk(node: ast.AST, typing: bool) -> None:
        for child in ast.iter_child_nodes(node):
            only = typing or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test))
            if isinstance(child, ast.ImportFrom) and child.level:
                base = package[: len(package) - child.level + 1]
                stem = ".".join((*base, *([child.module] if child.module else [])))
                for alias in child.names:
                    whole = f"{stem}.{alias.name}".strip(".")
                    exists = (ROOT / (whole.replace(".", "/") + ".py")).exists() or (
                        ROOT / whole.replace(".", "/")
                    ).is_dir()
                    found.append((whole if exists else stem, only))
            walk(child, only)

    walk(tree(path), False)
    return found


class Floors(unittest.TestCase):
    def test_modules_are_found(self) -> None:
        """What all of the others go through."""
        self.assertGreater(len(modules()), 100)
        self.assertGreater(sum(len(imports(path)) for path in modules()), 300)

    def test_imports_point_downwards_only(self) -> None:
        """Design "The house"."""
        upwards = [
            f"{name_of(path)} imports {imported}"
            for path in modules()
            for imported, typing in imports(path)
            if imported and not typing and floor_of(imported) > floor_of(name_of(path))
        ]
        self.assertEqual(upwards, [])

    def test_capture_knows_no_store(self) -> None:
        """Design "The house": of the store it knows what an entry is."""
        for path in (ROOT / "capture").rglob("*.py"):
            for imported, _ in imports(path):
                if imported.startswith("stores"):
                    self.assertEqual(imported, "stores.entry", path.name)

    def test_only_the_doors_import_the_host(self) -> None:
        """P54."""
        hosts = {"agent", "hermes_cli", "hermes_constants", "hermes_state", "tools", "utils", "plugins", "gateway"}
        for path in modules():
            if path.relative_to(ROOT).as_posix() in DOORS:
                continue
            for node in ast.walk(tree(path)):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
                names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                for name in names:
                    self.assertNotIn(name.split(".")[0], hosts, f"{path.relative_to(ROOT)} imports {name}")

    def test_no_module_takes_a_name_from_the_package_itself(self) -> None:
        """P4: hosts up to 0.20 lose a provider whose sibling does."""
        for path in modules():
            for node in ast.walk(tree(path)):
                if isinstance(node, ast.ImportFrom) and node.level and not node.module:
                    depth = len(path.relative_to(ROOT).parent.parts)
                    if node.level == depth + 1:
                        for alias in node.names:
                            target = ROOT / alias.name
                            self.assertTrue(target.with_suffix(".py").exists() or target.is_dir(), alias.name)

    def test_files_stay_small(self) -> None:
        """Style: about 400 lines; the provider is a face, under 300."""
        for path in modules():
            lines = len(path.read_text(encoding="utf-8").splitlines())
            self.assertLessEqual(lines, 300 if path.name == "provider.py" else 400, path.relative_to(ROOT))
