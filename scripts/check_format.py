#!/usr/bin/env python3
"""Checks (or with --fix applies) the layout that .clang-format asks for, on every C and C++ file.

    scripts/check_format.py [--fix]
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from project_files import ROOT, project_files

# Versions differ in small ways, so one is named; scripts/setup.sh installs it.
TOOL = "clang-format-19"
# Files for each call: enough to amortise its start, few enough to share between the cores.
BATCH = 40


def main():
    fix = sys.argv[1:] == ["--fix"]
    if sys.argv[1:] and not fix:
        print(__doc__)
        return 2
    if not shutil.which(TOOL):
        print(f"format: {TOOL} is not installed; run scripts/setup.sh test")
        return 1
    files = [str(path) for path in project_files("*.cc", "*.h", "*.c")]

    def run(batch):
        action = ["-i"] if fix else ["--dry-run", "-Werror", "--ferror-limit=3"]
        return subprocess.run([TOOL, "--style=file", *action, *batch], cwd=ROOT, capture_output=True,
                              text=True)

    batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(run, batches))
    for result in results:
        sys.stdout.write(result.stderr)
    failed = any(result.returncode for result in results)
    advice = "; `make format` applies it" if failed else ""
    print(f"format: {len(files)} files, {'some not as .clang-format asks' if failed else 'all well'}{advice}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
