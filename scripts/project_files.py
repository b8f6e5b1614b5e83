"""The files of the project, as the checks see them: what git tracks (add a new file to have it checked)."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def project_files(*patterns):
    """Paths relative to ROOT of existing files whose names fit the git patterns (all if none)."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns],
        cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return sorted({Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()})
