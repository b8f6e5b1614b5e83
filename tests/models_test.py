"""Trained models give their recorded outputs: from the .onnx and from a plan, on the cpu and on the
reference provider, optimised and not, with one thread and with two."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx

from common import PLANISH, ROOT, Tally, shared_or_leave

SHARED_MODELS = ["silero_vad_v5", "dtln_1", "ppocrv4_det", "mobilenetv2_qdq_int8", "sklearn_randomforest"]
OWN_MODELS = ["models/fashion_mnist", "models/tutorial/torchscript", "models/tutorial/dynamo"]
TOLERANCE = ["--atol-rel", "1e-3"]
# A quantized model's output moves by whole steps where a rounding is close to a tie: one is allowed.
STEPS = {"mobilenetv2_qdq_int8": 0.1531}


def test_model(tally, folder):
    name = folder.name
    tolerance = ["--atol", str(STEPS[name] * 1.001)] if name in STEPS else TOLERANCE
    for label, flags in {
        "cpu, 2 threads": ["--threads", "2"],
        "cpu, 1 thread, no passes": ["--threads", "1", "--passes", "none"],
        "reference, no passes": ["--provider", "reference", "--passes", "none"],
    }.items():
        tally.command(f"{name}: {label}", PLANISH, "test", folder, *tolerance, *flags)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.onnx"))
        tally.command(f"{name}: build", PLANISH, "build", folder / "model.onnx", "-o", copy / "model.plan")
        tally.command(f"{name}: from the plan", PLANISH, "test", copy, "--model", "model.plan", *tolerance)


def test_zip_map(tally, folder):
    """The forest with ZipMap: its maps hold the rows of the recorded probabilities."""
    recorded = onnx.numpy_helper.to_array(onnx.load_tensor(folder / "test_data_set_0" / "output_1.pb"))
    with tempfile.TemporaryDirectory() as out:
        name = onnx.load(folder / "model_original.onnx").graph.input[0].name
        subprocess.run(
            [PLANISH, "run", folder / "model_original.onnx", "--json", "--output-dir", out, "--input",
             f"{name}={folder / 'test_data_set_0' / 'input_0.pb'}"],
            check=True,
            capture_output=True,
        )
        (file,) = Path(out).glob("*.pb")
        sequence = onnx.SequenceProto.FromString(file.read_bytes())
        rows = []
        for m in sequence.map_values:
            keys = list(m.keys) or [k.decode() for k in m.string_keys]
            values = np.concatenate([np.ravel(onnx.numpy_helper.to_array(t)) for t in m.values.tensor_values])
            rows.append([v for _, v in sorted(zip(keys, values, strict=True))])
    # Another order of summation moves the last bits.
    ok = np.allclose(np.array(rows, np.float32), recorded, rtol=1e-5, atol=1e-6)
    tally.check(ok, "sklearn_randomforest with ZipMap: maps equal the recorded rows", f"{len(rows)} maps")


def main():
    tally = Tally()
    for folder in OWN_MODELS:
        test_model(tally, ROOT / folder)
    shared = shared_or_leave() / "models"
    for name in SHARED_MODELS:
        test_model(tally, shared / name)
    test_zip_map(tally, shared / "sklearn_randomforest")
    tally.close()


if __name__ == "__main__":
    main()
