"""The zoo's models against ONNX Runtime: filled with seeded weights, built, run, compared.

    zoo_test.py [MODEL...]

Each model runs from its .onnx and from its plan, on the cpu and on the reference provider, and the
outputs must be within 1e-3 of the largest magnitude of ONNX Runtime's. Random weights without
training blow activations up or down, which is why the measure is relative to the largest value.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

from common import PLANISH, fill_zoo_model, shared_or_leave

DIMS = {"batch": 1, "N": 1}


def inputs_of(session, seed=1):
    rng = np.random.default_rng(seed)
    values = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else DIMS.get(d, 128) for d in i.shape]
        if i.type == "tensor(int64)":
            # Token ids and masks: small numbers are valid for both.
            values[i.name] = rng.integers(0, 2, shape).astype(np.int64)
        else:
            values[i.name] = rng.standard_normal(shape).astype(np.float32)
    return values


def run(planish, model, inputs, folder, *flags):
    args = [planish, "run", str(model), "--json", "--output-dir", str(folder), *flags]
    for name in inputs:
        args += ["--input", f"{name}={folder / 'in' / name}.npy"]
    subprocess.run(args, check=True, capture_output=True)


def compare(label, folder, names, expected):
    worst = 0.0
    for name, want in zip(names, expected, strict=True):
        got = np.load(folder / f"{name.replace('/', '_')}.npy")
        assert got.shape == want.shape, f"{label}: {name} is {got.shape}, not {want.shape}"
        worst = max(worst, float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-30)))
    ok = worst <= 1e-3
    print(f"  {'ok  ' if ok else 'FAIL'} {label}: {worst:.2g} of the largest value")
    return ok


def main():
    planish = PLANISH
    shared_or_leave()
    models = sys.argv[1:] or ["resnet18", "mobilenetv2", "bert_base"]
    passed = failed = 0
    for name in models:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            (folder / "in").mkdir()
            model = fill_zoo_model(name, folder)
            session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
            inputs = inputs_of(session)
            for key, value in inputs.items():
                np.save(folder / "in" / f"{key}.npy", value)
            expected = session.run(None, inputs)
            names = [o.name for o in session.get_outputs()]
            plan = folder / f"{name}.plan"
            build = subprocess.run(
                [planish, "build", model, "-o", plan, "--json"], check=True, capture_output=True, text=True
            )
            report = json.loads(build.stdout)
            verification = report["verification"]
            print(
                f"{name}: {report['nodes_before']} nodes -> {report['steps']} steps, "
                f"{len(report['placement']['fallbacks'])} fallbacks, "
                f"build error {verification['max_rel']:.2g}"
            )
            results = []
            run(planish, model, inputs, folder)
            results.append(compare("cpu, from .onnx", folder, names, expected))
            run(planish, plan, inputs, folder)
            results.append(compare("cpu, from plan", folder, names, expected))
            run(planish, model, inputs, folder, "--provider", "reference", "--passes", "none")
            results.append(compare("reference", folder, names, expected))
            passed += sum(results)
            failed += len(results) - sum(results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
