#!/usr/bin/env python3
"""Checks that docs/operators.md is what this build prints.

  check_operators_doc.py PLANISH            compare, and show the first line that differs
  check_operators_doc.py PLANISH --write    write the page anew
  check_operators_doc.py --self-test
"""
import argparse
import itertools
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "operators.md"


def difference(page: str, printed: str) -> str | None:
    """The first line that differs, or None."""
    lines = itertools.zip_longest(page.splitlines(), printed.splitlines(), fillvalue="(nothing)")
    for number, (a, b) in enumerate(lines, 1):
        if a != b:
            return f"line {number}: the page says: {a}\n  the build says: {b}"
    return None


def self_test() -> None:
    assert difference("a\nb\n", "a\nb\n") is None
    assert "line 2" in difference("a\nb\n", "a\nc\n")
    assert "line 3" in difference("a\nb\n", "a\nb\nc\n")
    print("self-test passed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("planish", nargs="?", help="the built program")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    if not options.planish:
        parser.error("name the built program")
    command = [options.planish, "operators", "--markdown"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if options.write:
        PAGE.write_text(printed)
        return 0
    found = difference(PAGE.read_text() if PAGE.exists() else "", printed)
    if found is None:
        return 0
    print(f"docs/operators.md is not what the build prints: {found}\n"
          f"write it anew: scripts/check_operators_doc.py {options.planish} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
