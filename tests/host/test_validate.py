"""`hermes plugins validate` of the 0.22 host, which the catalogue of plugins runs, too (P12)."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from .harness import Host
from .plugin_folder import ROOT

# Every warning that may remain; docs/decisions.md ("Packages of the host") justifies them.
JUSTIFIED = (
    *("psutil", "pydantic", "rich"),
    "benchmarks/recall.py plugins",  # loads other providers to compare with, by the host's own loader
    "setuid_setgid (test_damage.py",  # gives up root to meet an unreadable file
    "sudo_usage (secret_forms.py",  # the pattern that takes out a password piped into it; nothing is run
    "sudo_usage (wordclass.py",  # a word in a list of words
)
_FINDING = re.compile(r"[\w/]+\.py:\d+ \w+|\w+ \(\w+\.py:\d+\)")


@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
def test_validate_passes(venv22: Path, plugin_copy: Path, inside: bool) -> None:
    """P8, P9, P12, M62: the plugin root on sys.path or not; no failure, no warning but the documented ones.

    The whole clone from outside, as the catalogue does, which `make test` leaves to `make rest22`: half of the minute
    goes into the tests.  From inside what is imported there.
    """
    with Host(venv22, ROOT, spy=False) as host:
        for folder in ("tests", "benchmarks") if inside else ():
            shutil.rmtree(plugin_copy / folder)
        where, path = (plugin_copy, ".") if inside else (plugin_copy.parent, str(plugin_copy))
        result = host.run("plugins", "validate", "--json", path, cwd=where)
        assert result.returncode == 0, result.stdout
        report: dict[str, Any] = json.loads(result.stdout[result.stdout.index("{") :])
    assert report["ok"] is True
    assert [check for check in report["checks"] if not check["ok"]] == []
    for warning in report["warnings"]:
        found = [re.sub(r":\d+", "", one) for one in _FINDING.findall(str(warning))] or [str(warning)]
        assert [one for one in found if not any(known in one for known in JUSTIFIED)] == [], warning
    details = {check["name"]: check["detail"] for check in report["checks"]}
    assert "external runtime" in details["python dependencies"], "nothing may be installed for the plugin (P9)"
