#!/usr/bin/env python3
"""Runs clang-tidy on the sources that changed since they last passed.

    scripts/tidy.py BUILD_DIR [--seconds N] [FILE...]

BUILD_DIR holds a compile_commands.json made for clang (the preset `fuzz`). A file that passes is
stamped in build/tidy by the hash of its text, its own header's text and .clang-tidy; a stamped file
is not run again. A change in some other header does not unstamp the files that include it: that is
the price of a check that ends in minutes, and `rm -r build/tidy; make tidy` runs everything.
With --seconds no new file is started after that time, and the number left over is said. Exit 1 if a
file has a warning.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project_files import ROOT, project_files

TOOL = "clang-tidy-19"
STAMPS = ROOT / "build" / "tidy"


def stamp_of(path):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes())
    for part in (ROOT / path, (ROOT / path).with_suffix(".h")):
        digest.update(part.read_bytes() if part.exists() else b"")
    return STAMPS / digest.hexdigest()[:40]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()

    commands = json.loads((options.build / "compile_commands.json").read_text())
    compiled = {Path(command["directory"], command["file"]).resolve() for command in commands}
    wanted = [path.resolve().relative_to(ROOT) for path in options.files] or project_files("*.cc", "*.c")
    sources = [path for path in wanted if ROOT / path in compiled]
    due = [path for path in sources if not stamp_of(path).exists()]
    # What was edited last is what its author wants to know about.
    due.sort(key=lambda path: (ROOT / path).stat().st_mtime, reverse=True)
    STAMPS.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()

    def run(path):
        """None when there was no time left, else whether the file passed."""
        if time.monotonic() - start > options.seconds:
            return None
        stamp = stamp_of(path)
        # GCC's own warning switches mean nothing to clang; its opinion of them is not asked.
        result = subprocess.run(
            [TOOL, "-p", str(options.build), "--quiet", "--extra-arg=-Wno-unknown-warning-option",
             "--extra-arg=-Wno-error", str(path)],
            cwd=ROOT, capture_output=True, text=True)
        if result.returncode:
            sys.stdout.write(result.stdout + (result.stderr if not result.stdout else ""))
            sys.stdout.flush()
        else:
            stamp.touch()
        return result.returncode == 0

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run, due))
    failed, left = results.count(False), results.count(None)
    print(f"tidy: {len(sources)} files: {len(sources) - len(due)} unchanged since they passed, "
          f"{results.count(True)} passed now, {failed} with warnings, {left} left for want of time"
          + (" (`make tidy` runs them)" if left else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
