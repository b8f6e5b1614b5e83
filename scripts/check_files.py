#!/usr/bin/env python3
"""Checks what every file of the project must obey, whatever its language.

    scripts/check_files.py [--self-test]

* Text: UTF-8, LF, a newline at the end; no blanks at line ends and no tabs outside Makefiles.
* A source file over 800 lines gives its reason in its first comment, in a sentence that starts with
  "Long:" ("Long: one table, read from top to bottom").
* No path of somebody's machine anywhere; no address in a script, build file or package list
  (packages go by name, so that any mirror serves).
* No promise of work to be done later in a source file: finish it or file it.
* Shell and Python scripts parse; a file starting with #! is executable.
* Nothing over 8 MiB: models and data that big are made or fetched, not kept.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from project_files import ROOT, project_files

SOURCES = {".cc", ".h", ".c", ".py", ".sh", ".cmake", ".inc", ".def"}
TEXT = SOURCES | {".md", ".txt", ".json", ".yml", ".yaml", ".toml", ".fbs"}
TEXT_NAMES = {"Makefile", "run", ".gitignore", ".editorconfig", ".clang-format", ".clang-tidy"}
SCRIPTS = {".sh", ".cmake", ".toml"}
SCRIPT_NAMES = re.compile(r"^(Makefile|CMakeLists\.txt|CMakePresets\.json|run|.*requirements.*|.*lock.*)$")
# Inputs kept byte for byte (fuzzers' finds, models, test data) obey no rule of style.
DATA = re.compile(r"^(fuzz/corpus|models|tests/data)/")

LONG_FILE = 800
LARGE_FILE = 8 << 20
MACHINE_PATH = re.compile(r"(?<![\w.-])/(?:work|farm|root|home/\w+)/")
ADDRESS = re.compile(r"https?://")
# Spelt in pieces so that this line is not one itself.
PROMISE = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X{3})\b")


def first_comment(lines):
    """The block of comment or docstring lines at the top, as one text."""
    block = []
    for line in lines:
        bare = line.strip()
        if block and not bare.startswith(("//", "#", "*", '"""')) and not block[0].startswith('"""'):
            break
        if bare and not bare.startswith("#!"):
            block.append(bare)
        if len(block) > 1 and bare.endswith('"""'):
            break
        if len(block) > 60:
            break
    return " ".join(block)


def text_errors(path, text):
    """(line number, what is wrong) for one text file."""
    lines = text.split("\n")
    data = bool(DATA.match(path.as_posix()))
    is_script = path.suffix in SCRIPTS or SCRIPT_NAMES.match(path.name)
    if text and lines[-1] != "" and not data:
        yield len(lines), "no newline at the end"
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            yield number, "names a path of one machine"
        if data:
            continue
        if "\r" in line:
            yield number, "carriage return"
        elif line != line.rstrip() and path.suffix != ".md":
            yield number, "blanks at the end of the line"
        if "\t" in line and path.name != "Makefile":
            yield number, "tab"
        if is_script and ADDRESS.search(line):
            yield number, "an address in a script: name packages, not hosts"
        if path.suffix in SOURCES and PROMISE.search(line):
            yield number, "a promise of later work: do it or file it"
    if path.suffix in SOURCES and len(lines) > LONG_FILE and not re.search(
            r"\blong:", first_comment(lines), re.IGNORECASE):
        yield 1, f"{len(lines) - 1} lines; over {LONG_FILE}, the first comment says why (\"Long: ...\")"


def parse_errors(root, path, text):
    if path.suffix == ".py":
        try:
            ast.parse(text)
        except SyntaxError as error:
            yield error.lineno or 1, f"Python: {error.msg}"
    elif text.startswith(("#!/usr/bin/env bash", "#!/bin/bash", "#!/bin/sh")) or path.suffix == ".sh":
        checked = subprocess.run(["bash", "-n", str(root / path)], capture_output=True, text=True)
        if checked.returncode:
            yield 1, "shell: " + checked.stderr.strip().replace("\n", "; ")
    if text.startswith("#!") and not os.access(root / path, os.X_OK):
        yield 1, "starts with #! but is not executable"


def check(root, files):
    errors = []
    for path in files:
        raw = (root / path).read_bytes()
        if len(raw) > LARGE_FILE:
            errors.append(f"{path}:1: {len(raw) >> 20} MiB; at most {LARGE_FILE >> 20} are kept")
        if path.suffix not in TEXT and path.name not in TEXT_NAMES and not raw.startswith(b"#!"):
            continue
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            errors.append(f"{path}:1: not UTF-8")
            continue
        for number, what in [*text_errors(path, text), *parse_errors(root, path, text)]:
            errors.append(f"{path}:{number}: {what}")
    return errors


def self_test():
    later = "TO" + "DO"
    bad = {
        "tab.cc": "int\tx;\n",
        "blank.cc": "int x; \n",
        "end.cc": "int x;",
        "return.h": "int x;\r\n",
        "later.cc": f"// {later}: more\n",
        "long.cc": "// An ordinary file.\n" + "int x;\n" * LONG_FILE,
        "path.md": "see /" + "root/x\n",
        "fetch.sh": "curl https" + "://example.org\n",
        "quote.sh": "echo 'open\n",
        "syntax.py": "def f(:\n",
        "plain.py": "#!/usr/bin/env python3\n",
    }
    good = {
        "fine.cc": "// Long: one table, read from top to bottom.\n" + "int x;\n" * LONG_FILE,
        "page.md": "two blanks  \nand https" + "://example.org\n",
        "Makefile": "all:\n\ttrue\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {**bad, **good}.items():
            (root / name).write_bytes(text.encode())
        errors = check(root, [Path(name) for name in {**bad, **good}])
        blamed = {error.split(":")[0] for error in errors}
        assert blamed == set(bad), (blamed ^ set(bad), errors)
    print("files: the check finds each kind of wrong file")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    files = project_files()
    errors = check(ROOT, files)
    print("\n".join(errors + [f"files: {len(files)} files, {len(errors)} wrong"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
