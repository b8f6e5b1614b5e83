#!/usr/bin/env python3
"""Runs each fuzzer for a bounded time, from its kept corpus.

    scripts/fuzz.py BUILD_DIR [--seconds N] [--again] [NAME...]

NAME_fuzz under BUILD_DIR runs on fuzz/corpus/NAME (kept in the project: small inputs, each worth
keeping) and on build/fuzz/corpus/NAME, where new finds go. A fuzzer whose binary and kept corpus
are the same as when it last passed is not run again (--again runs it). A crash fails, and the file
that causes it is named; once mended, the file goes into the kept corpus, which every build replays.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "fuzz"
# A reader that needs longer for one small input, or more memory, has no bound where it needs one.
SECONDS_PER_INPUT = 10
MEMORY_MB = 2048


def digest_of(binary, corpus):
    digest = hashlib.sha256(binary.read_bytes())
    for path in sorted(p for p in corpus.rglob("*") if p.is_file()) if corpus.exists() else []:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def run(binary, seconds, again):
    """(name, "same" | "passed" | "failed", one line about it)"""
    name = re.sub(r"_fuzz$", "", binary.name)
    kept, found, crashes = ROOT / "fuzz" / "corpus" / name, WORK / "corpus" / name, WORK / "crashes" / name
    stamp, digest = WORK / "stamps" / name, digest_of(binary, kept)
    if not again and stamp.exists() and stamp.read_text().split()[0] == digest:
        return name, "same", f"unchanged since it passed {stamp.read_text().split()[1]} runs"
    for folder in (found, crashes, stamp.parent):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    start = time.monotonic()
    result = subprocess.run(
        [str(binary), str(found), *([str(kept)] if kept.exists() else []), f"-max_total_time={seconds}",
         f"-timeout={SECONDS_PER_INPUT}", f"-rss_limit_mb={MEMORY_MB}", f"-artifact_prefix={crashes}/",
         "-print_final_stats=1"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", cwd=WORK)
    spent = time.monotonic() - start
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", result.stderr)
    runs = runs[1] if runs else "0"
    if result.returncode:
        files = sorted(str(p.relative_to(ROOT)) for p in set(crashes.iterdir()) - before)
        print(f"--- {name}: the end of its output\n" + "\n".join(result.stderr.splitlines()[-40:]))
        # The same crash as before leaves the same file name, so nothing new appears.
        replay = files or [f"(see {crashes.relative_to(ROOT)}/)"]
        return name, "failed", f"exit {result.returncode} after {spent:.0f} s; replay with {binary} {' '.join(replay)}"
    stamp.write_text(f"{digest} {runs}\n")
    inputs = len(list(kept.iterdir())) if kept.exists() else 0
    return name, "passed", f"{runs} runs in {spent:.0f} s from {inputs} kept inputs"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    binaries = sorted(path.resolve() for path in options.build.rglob("*_fuzz")
                      if path.is_file() and os.access(path, os.X_OK)
                      and (not options.names or re.sub(r"_fuzz$", "", path.name) in options.names))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda b: run(b, options.seconds, options.again), binaries))
    for name, result, line in results:
        print(f"fuzz: {name:<16} {result:<7} {line}")
    count = [result for _, result, _ in results].count
    print(f"fuzz: {len(results)} fuzzers: {count('passed')} passed now, {count('same')} unchanged since they "
          f"passed, {count('failed')} failed")
    return 1 if count("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
