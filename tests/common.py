"""Where the end-to-end tests find the build and the handed material."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("PLANISH_BUILD", ROOT / "build" / "release"))
PLANISH = BUILD / "planish"
SHARED = Path(os.environ.get("PLANISH_SHARED", ROOT.parent / "shared"))


def shared_or_leave():
    """The folder of handed models and cases; ends the test where there is none (fatal in CI)."""
    if SHARED.is_dir():
        return SHARED
    print(f"{SHARED}: no handed models and cases here (set PLANISH_SHARED); nothing tested")
    sys.exit(1 if os.environ.get("CI") == "true" else 0)


def fill_zoo_model(name, folder):
    """Writes the zoo's graph with seeded weights into the folder; returns the file's path."""
    model = folder / f"{name}.onnx"
    zoo = SHARED / "zoo"
    subprocess.run([sys.executable, zoo / "skeleton.py", "fill", zoo / model.name, model], check=True, capture_output=True)
    return model


class Tally:
    """Counts results and prints the closing line."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, label, detail=""):
        self.passed += bool(ok)
        self.failed += not ok
        print(f"  {'ok  ' if ok else 'FAIL'} {label}{': ' + detail if detail else ''}", flush=True)

    def command(self, label, *args):
        """Passes when the command exits with 0; shows its last lines otherwise."""
        result = subprocess.run([str(a) for a in args], capture_output=True, text=True, check=False)
        lines = (result.stdout + result.stderr).strip().splitlines()
        ok = result.returncode == 0
        self.check(ok, label, lines[-1] if lines else "")
        if not ok:
            print("\n".join("       " + line for line in lines[-20:]))
        return result

    def close(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
