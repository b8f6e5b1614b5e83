#!/usr/bin/env python3
"""Checks that code built for one instruction set cannot leak into the rest of the program.

    scripts/check_isa_symbols.py BUILD_DIR          judge every object built with ISA flags
    scripts/check_isa_symbols.py --self-test CXX    prove with two made-up objects that it can fail

An inline function or a template instance is a weak symbol: each object that uses it carries a copy
and the linker keeps one of them. When an object built with -mavx2 carries `std::max<float>` and its
copy is the one kept, the whole program, start-up included, runs AVX2 code on machines without it.
So objects built with ISA flags may hold weak *code* only where the instruction set is part of the
name: in `planish::...::avx2` or in Highway's `N_AVX2`. Weak data (type names, constants) holds no
instructions and is not judged. The objects are found by their flags in compile_commands.json, so
that a new target cannot be forgotten. Meaningful for optimised builds only: without inlining every
std:: helper stays a function.
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# Flags that let the compiler use more than the baseline of the architecture.
ISA_FLAG = re.compile(r"^-m(?:arch=|cpu=|avx|fma|f16c|amx|sse4|bmi)")
# x86-64's and AArch64's baselines need no namespace of their own.
BASELINE = re.compile(r"^-march=(?:x86-64|armv8-a)$")
# Part of a demangled name that says for which instruction set the code was built.
ISA_NAMESPACE = re.compile(r"\b(?:planish::(?:\w+::)*?(avx\w*|fma|f16c|amx\w*|vnni|sse4|neon\w*|sve\w*)"
                           r"|N_(AVX\w*|SSE4|SSSE3|NEON\w*|SVE\w*))::")

# Where Highway's name of an instruction set is not ours in capitals.
HIGHWAY_NAMES = {"AVX3": "avx512"}


def isa_flags(arguments):
    return [a for a in arguments if ISA_FLAG.match(a) and not BASELINE.match(a)]


def object_isa(path):
    """The instruction set an object is for, by the last part of its own or its target's name."""
    for name in (Path(path).name.split(".")[0], *re.findall(r"(\w+)\.dir/", path)):
        last = name.split("_")[-1].lower()
        if ISA_NAMESPACE.match(f"planish::{last}::"):
            return last
    return None


def weak_code(path):
    """Demangled names of the weak functions that an object defines."""
    listed = subprocess.run(["nm", "--defined-only", "--format=posix", path],
                            capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if line.split()[1] in "Wi"]
    if not names:
        return []
    return subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True,
                          check=True).stdout.splitlines()


def belongs(name, isa):
    """Whether the name carries an ISA namespace, and no other than the object's own."""
    spaces = {ours or HIGHWAY_NAMES.get(highway, highway.lower())
              for ours, highway in ISA_NAMESPACE.findall(name)}
    return bool(spaces) and (isa is None or spaces == {isa})


def check_object(path):
    isa = object_isa(path)
    return [f"{path}: weak symbol outside its instruction set's namespace: {name}"
            for name in weak_code(path) if not belongs(name, isa)]


def check_build(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    objects = []
    for command in commands:
        arguments = shlex.split(command["command"])
        if isa_flags(arguments) and "-o" in arguments:
            path = Path(command["directory"]) / arguments[arguments.index("-o") + 1]
            if path.exists():
                objects.append(str(path))
    return objects, [error for path in objects for error in check_object(path)]


def self_test(compiler):
    sources = {
        "good_avx2": "namespace planish::kernels::avx2 {\n"
                     "template <int N> inline int f(int x) { return x + N; }\n"
                     "int (*table[])(int) = {f<1>, f<2>};\n}\n",
        "bad_avx2": "namespace planish::base {\ninline int f(int x) { return x + 1; }\n}\n"
                    "namespace planish::kernels::avx2 {\nint (*table[])(int) = {base::f};\n}\n",
        "other_avx2": "namespace planish::kernels::avx512 {\ninline int f(int x) { return x; }\n}\n"
                      "namespace planish::kernels::avx2 {\nint (*table[])(int) = {avx512::f};\n}\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, text in sources.items():
            source, path = Path(folder) / f"{name}.cc", f"{folder}/{name}.o"
            source.write_text(text)
            subprocess.run([compiler, "-std=c++20", "-O2", "-c", str(source), "-o", path], check=True)
            found[name] = check_object(path)
        assert found["good_avx2"] == [], found["good_avx2"]
        assert len(found["bad_avx2"]) == 1 and "planish::base::f" in found["bad_avx2"][0], found
        assert len(found["other_avx2"]) == 1, found
        entry = {"directory": folder, "command": f"{compiler} -O2 -mavx2 -mfma -o bad_avx2.o -c bad_avx2.cc"}
        plain = {"directory": folder, "command": f"{compiler} -O2 -o good_avx2.o -c good_avx2.cc"}
        (Path(folder) / "compile_commands.json").write_text(json.dumps([entry, plain]))
        objects, errors = check_build(Path(folder))
        assert len(objects) == 1 and len(errors) == 1, (objects, errors)
    print("isa_symbols: the check finds weak code of no and of the wrong instruction set")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--self-test":
        self_test(sys.argv[2])
        return 0
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    objects, errors = check_build(Path(sys.argv[1]))
    print("\n".join(errors + [f"isa_symbols: {len(objects)} objects built with ISA flags, {len(errors)} wrong"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
