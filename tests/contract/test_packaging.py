"""The checkout as a plugin, as a package, as a working directory (C31-C35, CD101-CD103, P1-P12, layout)."""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path
from typing import Any

import cognition
from host.plugin_folder import ROOT, left_out

MANIFEST = dict(
    re.findall(
        r"^(\w+):\s*[\"']?(.*?)[\"']?\s*(?:#.*)?$", (ROOT / "plugin.yaml").read_text(encoding="utf-8"), re.MULTILINE
    )
)


def python(*args: str, cwd: Path = ROOT) -> str:
    """Run this interpreter in the repository root, as a developer does; what it printed."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "HERMES", "PYTEST"))}
    result = subprocess.run(
        [sys.executable, *args],
        check=False,
        text=True,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    if result.returncode:
        raise AssertionError(result.stdout)
    return result.stdout


def plugin_files() -> list[Path]:
    """What a clone brings: no repository data, caches, environments."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        unwanted = left_out(folder, [*folders, *files])
        folders[:] = [name for name in folders if name not in unwanted]
        found += [Path(folder, name) for name in files if name not in unwanted]
    return found


class TheRootOnSysPath(unittest.TestCase):
    """P8, CD101: queue.py beside the tests never hides the standard module of that name."""

    def test_import_queue_is_the_standard_module(self) -> None:
        code = """
import queue, multiprocessing, concurrent.futures, logging.handlers
assert queue.Queue and queue.Empty and queue.SimpleQueue and queue.PriorityQueue
assert not hasattr(queue, "DurablePushQueue")
box = multiprocessing.Queue(); box.put(1); assert box.get(timeout=20) == 1; box.close()
with concurrent.futures.ThreadPoolExecutor(1) as pool: assert pool.submit(int, "7").result() == 7
logging.handlers.QueueHandler(queue.SimpleQueue())
import os, sys
print(sys.path[0] in ("", os.getcwd()), os.path.dirname(queue.__file__) == os.path.dirname(os.__file__))
"""
        self.assertEqual(python("-c", code).split(), ["True", "True"])

    def test_queue_offers_whatever_this_python_offers(self) -> None:
        names = "import queue; print(sorted(n for n in dir(queue) if not n.startswith('__')))"
        with tempfile.TemporaryDirectory() as elsewhere:
            self.assertEqual(python("-c", names), python("-c", names, cwd=Path(elsewhere)))

    def test_both_faces_in_one_process(self) -> None:
        code = """
import sys, queue as standard
sys.path.append("tests")
from cognition.queue import DurablePushQueue
import cognition.queue as ours
assert ours is not standard and sys.modules["queue"] is standard and not hasattr(ours, "SimpleQueue")
print(ours.DEFAULT_MAX_ENTRIES)
"""
        self.assertEqual(python("-c", code).strip(), "1000")

    def test_pytest_finds_the_tests(self) -> None:
        said = python("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider")
        found = re.search(r"(\d+) tests? collected", said)
        self.assertIsNotNone(found, said[-2000:])
        assert found is not None
        self.assertGreater(int(found[1]), 50)
        self.assertNotIn("error", said.splitlines()[-1])

    def test_the_unittest_command_finds_the_contract_tests(self) -> None:
        """C34; unittest on 3.11 reports OK when it has found nothing, so the count is what counts."""
        code = """
import json, unittest
loader = unittest.TestLoader()
suite = loader.discover("tests", top_level_dir="tests")
print(json.dumps([suite.countTestCases(), loader.errors]))
"""
        count, errors = json.loads(python("-c", code).splitlines()[-1])
        self.assertEqual(errors, [])
        self.assertGreater(count, 50)

    def test_without_the_host_the_tests_say_what_is_missing(self) -> None:
        """C35: one fixed error that names it, never a silent stand-in; -S hides the installed packages."""
        code = """
import sys
sys.path.insert(0, "tests")
try:
    import cognition
except RuntimeError as error:
    print("agent.memory_provider" in str(error), "HERMES_AGENT_ROOT" in str(error))
"""
        self.assertEqual(python("-S", "-c", code).split(), ["True", "True"])


class TheManifest(unittest.TestCase):
    def test_names_and_kind(self) -> None:
        """P1, P9: the directory, the manifest and the provider have one name; nothing is installed for it."""
        self.assertEqual(MANIFEST["name"], "cognition")
        self.assertEqual(MANIFEST["kind"], "exclusive")
        self.assertEqual(MANIFEST["python_runtime"], "external")
        self.assertEqual(MANIFEST["requires_hermes"], ">=0.19")
        for field in ("version", "description", "author", "license"):
            self.assertTrue(MANIFEST.get(field), field)

    def test_fields_that_a_host_would_misread_are_left_out(self) -> None:
        """P9, section 2.1: 0.19 refuses manifest_version 2; provider tools are not tools of ctx."""
        harmful = {
            "manifest_version",
            "pip_dependencies",
            "provides_tools",
            "provides_middleware",
        }
        self.assertEqual(harmful & set(MANIFEST), set())

    def test_the_hooks_that_are_registered_are_declared(self) -> None:
        """Section 2.1: 0.22's `validate` compares the two, and fails on a difference."""
        hooks: list[str] = []

        class Context:
            def register_memory_provider(self, provider: Any) -> None: ...

            def register_hook(self, name: str, callback: Any) -> None:
                hooks.append(name)

        cognition.register(Context())
        self.assertEqual(MANIFEST["provides_hooks"], f"[{', '.join(hooks)}]")

    def test_version_is_the_one_of_the_package(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        self.assertEqual(MANIFEST["version"], project["project"]["version"])

    def test_every_package_folder_is_packaged(self) -> None:
        """Layout 3: a sub-package that is not listed would be missing from a wheel."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        rooms = {
            "cognition." + ".".join(path.parent.relative_to(ROOT).parts)
            for path in plugin_files()
            if path.name == "__init__.py" and path.parent != ROOT
        }
        rooms = {room for room in rooms if room.split(".")[1] not in ("tests", "benchmarks", "demo", "docs")}
        self.assertEqual(rooms | {"cognition"}, set(project["tool"]["setuptools"]["packages"]))


class TheFolder(unittest.TestCase):
    def test_no_line_breaks_the_screen_of_the_hosts_scan(self) -> None:
        """P12: 0.22 prints the lines it names through a markup in which these two characters close a tag."""
        tag = "[" + "/"
        for path in (path for path in plugin_files() if path.suffix in (".py", ".md", ".yaml")):
            self.assertNotIn(tag, path.read_text(encoding="utf-8"), path)

    def test_the_marker_word_stands_in_the_first_lines(self) -> None:
        """P2: 0.19 looks for it in the first 8,192 characters of __init__.py and nowhere else."""
        head = (ROOT / "__init__.py").read_text(encoding="utf-8")[:1000]
        self.assertIn("MemoryProvider", head)

    def test_the_root_holds_no_file_that_is_no_module(self) -> None:
        """P3, CD103: the loader executes every *.py of the root."""
        names = {path.name for path in ROOT.glob("*.py")}
        self.assertEqual(names & {"conftest.py", "setup.py", "__main__.py"}, set())
        self.assertLessEqual(
            {"__init__.py", "provider.py", "queue.py", "merge.py", "provenance.py", "budget.py", "outbox.py"},
            names,
        )

    def test_tests_have_the_layout_of_both_runners(self) -> None:
        """Layout 4: tests/ is no package, its folders are, none is called queue."""
        tests = ROOT / "tests"
        self.assertFalse((tests / "__init__.py").exists())
        folders = {path.parent for path in tests.rglob("*.py") if path.parent != tests}
        self.assertEqual({f for f in folders if not (f / "__init__.py").exists()}, set())
        self.assertFalse((tests / "queue").exists())

    def test_the_tree_stays_below_the_limits_of_the_security_scan(self) -> None:
        """P12: 10 MB in all, 1 MB a file, no link out of the tree; 400 files of what runs (decisions.md, 38)."""
        files = plugin_files()
        sizes = {path: path.lstat().st_size for path in files}
        running = [path for path in files if path.relative_to(ROOT).parts[0] not in ("tests", "benchmarks", "docs")]
        self.assertLessEqual(len(running), 400)
        self.assertLess(sum(sizes.values()), 10 * 2**20)
        self.assertEqual([str(p) for p, size in sizes.items() if size > 2**20], [])
        self.assertEqual([str(p) for p in files if p.is_symlink() and ROOT not in p.resolve().parents], [])


class Importing(unittest.TestCase):
    def test_every_module_of_the_root_imports_without_effects(self) -> None:
        """P3, P5, P6, D97: standard library and base class suffice; nothing is printed, started or made."""
        code = """
import importlib, importlib.abc, os, sys, threading
sys.path.append(sys.argv[1] + "/tests")
import agent.memory_provider
known = {name.partition(".")[0] for name in sys.modules} | {"agent", "hermes_constants", "cognition"}

class OnlyStandard(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in known:
            raise ModuleNotFoundError(f"refused: {name}", name=name)

sys.meta_path.insert(0, OnlyStandard())
path, threads = list(sys.path), threading.active_count()
import cognition
modules = sorted(n[:-3] for n in os.listdir(sys.argv[1]) if n.endswith(".py") and n != "__init__.py")
for name in modules:
    importlib.import_module("cognition." + name)
provider = cognition.CognitionMemoryProvider()
assert provider.is_available() and len(provider.get_tool_schemas()) == 9
assert sys.path == path and threading.active_count() == threads and os.listdir() == [], os.listdir()
"""
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(python("-B", "-c", code, str(ROOT), cwd=Path(empty)), "")


if __name__ == "__main__":
    unittest.main()
