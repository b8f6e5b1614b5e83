"""ONNX's node cases through `planish test`, on the cpu with the optimiser and on the reference
without. Cases of operators that Planish does not know are counted as skipped; the cases in
node_cases_excluded.txt are left out for the reason given there."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from common import PLANISH, Tally, shared_or_leave

EXCLUDED = Path(__file__).with_name("node_cases_excluded.txt")


def main():
    archive = shared_or_leave() / "cases" / "onnx-node.tar.zst"
    tally = Tally()
    excluded = {}
    for line in EXCLUDED.read_text().splitlines():
        name, _, reason = line.partition(":")
        if name.strip() and not name.startswith("#"):
            excluded[name.strip()] = reason.strip()
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run(["tar", "--zstd", "-xf", archive, "-C", temporary], check=True)
        folders = {p.parent.name: p.parent for p in Path(temporary).rglob("model.onnx")}
        for name in excluded:
            assert name in folders, f"{EXCLUDED.name} names {name}, which is no case"
            shutil.rmtree(folders[name])
        for label, flags in {
            "cpu": [],
            "reference, no passes": ["--provider", "reference", "--passes", "none"],
        }.items():
            result = subprocess.run(
                [PLANISH, "test", temporary, "--skip-unknown", "--json", *flags],
                capture_output=True,
                text=True,
                check=False,
            )
            tally.check(result.returncode in (0, 1), f"{label}: no crash", f"exit code {result.returncode}")
            if result.returncode not in (0, 1):
                continue
            report = json.loads(result.stdout)
            print(f"  {label}: {report['passed']} passed, {report['failed']} failed, {report['skipped']} skipped, "
                  f"{len(excluded)} excluded")
            for case in report["cases"]:
                if not case["skipped"]:
                    tally.passed += case["passed"]
                    if not case["passed"]:
                        tally.check(False, f"{label}: {Path(case['case']).name}", case["message"])
    tally.close()


if __name__ == "__main__":
    main()
