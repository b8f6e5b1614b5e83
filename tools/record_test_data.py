#!/usr/bin/env python3
"""Records inputs and outputs for the models in models/, in the layout of ONNX's own test data.

    scripts/setup.sh test train               # onnxruntime in build/venv; the data set
    build/venv/bin/python tools/record_test_data.py fashion_mnist
    build/venv/bin/python tools/record_test_data.py tutorial

write test_data_set_K/input_0.pb and output_0.pb (one TensorProto each) beside each model.onnx.
The outputs are onnxruntime's on the CPU with its graph optimisations off, so that they are of the
graph as it stands in the file. For fashion_mnist the whole test set is run too and its top-1
printed. The inputs are the same in every run; the outputs may differ in the last bits between
processors, so compare with a tolerance.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

import fashion_mnist_data

MODELS = Path(__file__).resolve().parent.parent / "models"

FASHION_IMAGES = 8  # the first of the test images
TUTORIAL_BATCHES = (1, 4)  # one set each: the batch of the model is dynamic
TUTORIAL_SEED = 2


def open_session(path):
    """A session on the model as it stands, after the checker with full shape inference passed."""
    onnx.checker.check_model(str(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def record(session, folder, value):
    """Runs a model of one input and one output on value and writes both into folder."""
    (model_input,), (model_output,) = session.get_inputs(), session.get_outputs()
    (result,) = session.run([model_output.name], {model_input.name: value})
    folder.mkdir(parents=True, exist_ok=True)
    for file, array, name in (
        ("input_0.pb", value, model_input.name),
        ("output_0.pb", result, model_output.name),
    ):
        tensor = onnx.numpy_helper.from_array(array, name)
        (folder / file).write_bytes(tensor.SerializeToString())
    print(f"wrote {folder}: {value.shape} -> {result.shape}")


def record_fashion_mnist(data):
    directory = MODELS / "fashion_mnist"
    session = open_session(directory / "model.onnx")
    images, labels = fashion_mnist_data.load("t10k", data)
    images = fashion_mnist_data.as_input(images)
    record(session, directory / "test_data_set_0", images[:FASHION_IMAGES])

    right = 0
    for start in range(0, len(images), 500):
        (logits,) = session.run(["logits"], {"image": images[start : start + 500]})
        right += int((logits.argmax(1) == labels[start : start + 500]).sum())
    print(f"test top-1: {right} of {len(images)} ({100 * right / len(images):.2f} %)")


def record_tutorial():
    for exporter in ("torchscript", "dynamo"):
        directory = MODELS / "tutorial" / exporter
        session = open_session(directory / "model.onnx")
        image_shape = session.get_inputs()[0].shape[1:]
        random = np.random.RandomState(TUTORIAL_SEED)
        for number, batch in enumerate(TUTORIAL_BATCHES):
            value = random.uniform(-1, 1, (batch, *image_shape)).astype(np.float32)
            record(session, directory / f"test_data_set_{number}", value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=("fashion_mnist", "tutorial"))
    parser.add_argument("--data", type=Path, default=fashion_mnist_data.DEFAULT_DIR)
    args = parser.parse_args()
    if args.model == "fashion_mnist":
        record_fashion_mnist(args.data)
    else:
        record_tutorial()


if __name__ == "__main__":
    main()
