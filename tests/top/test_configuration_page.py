"""docs/configuration.md says what the table says (D24)."""

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "docs" / "generate_configuration.py"


def test_the_page_is_what_the_table_says():
    spec = importlib.util.spec_from_file_location("generate_configuration", PROGRAM)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert page == program.page(), "stale; run: python docs/generate_configuration.py"


def test_the_program_needs_no_host_and_no_package():
    """D97, D112: -S leaves out every installed package, the host included."""
    result = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), "--check"], check=False, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
