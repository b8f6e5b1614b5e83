"""Agreement of Planish's logits with ONNX Runtime's on the Fashion-MNIST test images.

    demo_onnxruntime.py MODEL.onnx DATA_FOLDER LOGITS

LOGITS holds Planish's float32 logits, ten for each of the 10,000 images.
"""

import sys
import time

import numpy as np
import onnxruntime

from fashion_mnist_data import load


def main() -> int:
    model, folder, logits_file = sys.argv[1:4]
    images, labels = load("t10k", folder)
    x = images.reshape(-1, 1, 28, 28).astype(np.float32) / np.float32(255)
    ours = np.fromfile(logits_file, np.float32).reshape(-1, 10)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    times, rows = [], []
    for i in range(len(x)):
        start = time.perf_counter()
        rows.append(session.run(None, {"image": x[i : i + 1]})[0])
        times.append(time.perf_counter() - start)
    theirs = np.concatenate(rows)
    same = int((theirs.argmax(1) == ours.argmax(1)).sum())
    error = float(np.abs(theirs - ours).max() / np.abs(theirs).max())
    accuracy = 100 * float((theirs.argmax(1) == labels).mean())
    label = f"  {'ONNX Runtime ' + onnxruntime.__version__:<28} "
    print(f"{label}same class for {same} of {len(x)}, difference {error:.1g}")
    print(f"{'':<{len(label)}}top-1 {accuracy:.2f} %, median {1e3 * float(np.median(times)):.3f} ms, 2 threads")
    return 0 if same == len(x) else 1


if __name__ == "__main__":
    sys.exit(main())
