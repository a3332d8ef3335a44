"""`python tests/hypatia_program …`: the folder's parent becomes the path, so that the package has its name."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from hypatia_program.command import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
