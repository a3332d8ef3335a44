"""To meet files as a person does, also where the tests run as root."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2  # linux/prctl.h, linux/capability.h
_AGAIN = "COGNITION_TEST_AS_A_PERSON"


def as_a_person() -> None:
    """In a child of root, before exec: give up the right to read and write every file, so that chmod counts."""
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def is_done_as_a_person(file: str, test: str) -> bool:
    """For a test that needs files it may not write: True when root has had it run, and pass, in a child without that
    right; False where this process is a person already, and goes on with the test itself."""
    if os.geteuid() != 0 or os.environ.get(_AGAIN):
        return False
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"{file}::{test}"],
        cwd=Path(__file__).resolve().parents[1],
        env={**os.environ, _AGAIN: "1"},
        preexec_fn=as_a_person,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout, ran.stdout
    return True
