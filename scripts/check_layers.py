#!/usr/bin/env python3
"""Checks every include under src/ against the table in cmake/layers.cmake.

    scripts/check_layers.py [--root DIR]     exit 1 and one line per edge that is not in the table
    scripts/check_layers.py --self-test      proves on a small made-up tree that the check can fail

Includes of the project's own headers are written relative to src/ ("base/error.h"); a quoted
include whose first folder is not ours ("hwy/highway.h") belongs to a library and is not judged.
"""

import argparse
import fnmatch
import re
import sys
import tempfile
from pathlib import Path

SOURCE_SUFFIXES = {".cc", ".h", ".c", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
ENTRY = re.compile(r'^\s*"(\d+)\s+([\w*/-]+):\s*([^"]*)"')
TEST_FILE = re.compile(r"_(test|fuzz|bench)\.(cc|h)$")
FOR_EVERY_TEST = ("io", "reference", "testing")


class Table:
    """The rows of PLANISH_LAYERS: folder pattern -> (layer, allowed patterns)."""

    def __init__(self, path):
        self.path = path
        self.layer = {}
        self.allowed = {}
        for line in path.read_text().splitlines():
            match = ENTRY.match(line)
            if match:
                self.layer[match[2]] = int(match[1])
                self.allowed[match[2]] = match[3].split()
        for folder, names in self.allowed.items():
            if "all" in names:
                below = [f for f, layer in self.layer.items() if layer < self.layer[folder]]
                self.allowed[folder] = below + [n for n in names if n != "all"]

    def errors(self):
        """What is wrong with the table itself: unknown names, upward edges, cycles."""
        found = []
        for folder, names in self.allowed.items():
            for name in names:
                if name not in self.layer:
                    found.append(f"{self.path}: {folder} lists {name}, which has no row")
                elif self.layer[name] > self.layer[folder]:
                    found.append(f"{self.path}: {folder} lists {name}, which stands above it")
        if not found:
            found += self._cycles()
        return found

    def _cycles(self):
        done, path = set(), []

        def visit(folder):
            if folder in path:
                circle = path[path.index(folder):] + [folder]
                return [f"{self.path}: the edges {' -> '.join(circle)} form a cycle"]
            if folder in done:
                return []
            path.append(folder)
            found = [error for name in self.allowed[folder] for error in visit(name)]
            path.pop()
            done.add(folder)
            return found

        return [error for folder in self.allowed for error in visit(folder)]

    def row_of(self, path):
        """The row for a path relative to src/, or None. The most exact pattern wins: the longest,
        and among equals the one with fewer wildcards."""
        parts = Path(path).parts[:-1]
        best = None
        for pattern in self.layer:
            wanted = pattern.split("/")
            fits = len(wanted) <= len(parts) and all(
                fnmatch.fnmatchcase(part, want) for part, want in zip(parts, wanted))
            rank = (len(wanted), -pattern.count("*"))
            if fits and (best is None or rank > best[0]):
                best = (rank, pattern)
        return best[1] if best else None

    def folder_of(self, path):
        """The concrete folder a row matched: backends/cpu/run for backends/*/run."""
        row = self.row_of(path)
        return "/".join(Path(path).parts[:len(row.split("/"))]) if row else None

    def may_include(self, source, target):
        row, target_row = self.row_of(source), self.row_of(target)
        if target_row == "base" or self.folder_of(source) == self.folder_of(target):
            return True
        if TEST_FILE.search(source):
            return target_row in FOR_EVERY_TEST or self.layer[target_row] <= self.layer[row]
        if target_row == "testing":
            return False
        return target_row in self.allowed[row]


def check(root):
    table = Table(root / "cmake" / "layers.cmake")
    errors = table.errors()
    src = root / "src"
    if not src.is_dir():
        return 0, 0, [f"{src}: no such folder"]
    ours = {p.name for p in src.iterdir() if p.is_dir()} | {f.split("/")[0] for f in table.layer}
    files = sorted(p for p in src.rglob("*") if p.suffix in SOURCE_SUFFIXES)
    edges = 0
    for file in files:
        source = file.relative_to(src).as_posix()
        if table.row_of(source) is None:
            errors.append(f"src/{source}:1: its folder has no row in {table.path.name}")
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            target, where = match[1], f"src/{source}:{number}"
            if target.split("/")[0] not in ours:
                if (file.parent / target).exists():
                    errors.append(f'{where}: write "{target}" relative to src/')
                continue
            edges += 1
            if table.row_of(target) is None:
                errors.append(f'{where}: "{target}": its folder has no row in {table.path.name}')
            elif not table.may_include(source, target):
                row = table.row_of(source)
                names = ", ".join(["base"] + table.allowed[row])
                errors.append(f'{where}: {row} may not include "{target}"; it may include {names}')
    return len(files), edges, errors


def self_test():
    """Every rule of the table, once obeyed and once broken."""
    table = ('set(PLANISH_LAYERS\n "0 base:"\n "1 io:"\n "1 ir:"\n "2 ops: ir"\n'
             ' "3 backends/*/run: ops"\n "4 testing: all"\n)\n')
    good = {
        "base/a.h": "",
        "ops/a.cc": '#include "ops/a.h"\n#include "ir/g.h"\n#include "base/a.h"\n#include "hwy/h.h"',
        "ops/a_test.cc": '#include "testing/t.h"\n#include "io/npy.h"',
        "backends/cpu/run/a.cc": '#include "backends/cpu/run/a.h"\n#include "ops/a.h"',
        "testing/t.cc": '#include "ops/a.h"',
    }
    bad = {
        "ir/up.cc": '#include "ops/a.h"',
        "ops/sideways.cc": '#include "io/npy.h"',
        "ops/helper.cc": '#include "testing/t.h"',
        "ir/up_test.cc": '#include "ops/a.h"',
        "backends/cpu/run/other.cc": '#include "backends/gpu/run/a.h"',
        "ops/unqualified.cc": '#include "sideways.cc"',
        "stray/a.cc": "",
        "ops/unknown.cc": '#include "backends/a.h"',
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)

        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

        write("cmake/layers.cmake", table)
        for name, text in good.items():
            write("src/" + name, text)
        assert check(root)[2] == [], check(root)[2]
        for name, text in bad.items():
            write("src/" + name, text)
        blamed = {re.match(r"src/([^:]+):1: ", error)[1] for error in check(root)[2]}
        assert blamed == set(bad), blamed ^ set(bad)
        write("cmake/layers.cmake", table.replace('"1 ir:"', '"1 ir: io"').replace('"1 io:"', '"1 io: ir"'))
        assert any("cycle" in error for error in check(root)[2])
        write("cmake/layers.cmake", table.replace('"1 ir:"', '"1 ir: ops"'))
        assert any("stands above" in error for error in check(root)[2])
    print("layers: the check finds each kind of wrong edge")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    files, edges, errors = check(options.root)
    print("\n".join(errors + [f"layers: {edges} includes in {files} files, {len(errors)} wrong"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
