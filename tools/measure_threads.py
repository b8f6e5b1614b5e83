#!/usr/bin/env python3
"""Latency of a model with 1 and with 2 threads, and of ONNX Runtime beside it, interleaved.

  measure_threads.py MODEL.onnx [--rounds N] [--dim NAME=N]...

Builds one plan per number of threads through the C interface, then takes turns: each round runs every
contender a few times and keeps the median. Printed are the medians over the rounds and the medians of
the paired ratios. Needs numpy and onnxruntime (build/venv has them) and a release build.
"""
import argparse
import ctypes
import statistics
import time
from pathlib import Path

import numpy as np
import onnxruntime

LIBRARY = Path(__file__).resolve().parent.parent / "build" / "release" / "libplanish.so"
# ONNX Runtime's name of an element type: NumPy's type.
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}
# The same types in the C interface (ONNX's numbers).
CODES = {np.float32: 1, np.int64: 7, np.int32: 6}


class Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("threads", ctypes.c_int),
        ("max_memory", ctypes.c_int64),
        ("optimise", ctypes.c_int),
        ("keep_denormals", ctypes.c_int),
        ("provider", ctypes.c_char_p),
    ]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


class Planish:
    """One context of one plan."""

    def __init__(self, model, threads, inputs, library):
        self.library, self.kept = library, []
        options = Options()
        library.planish_options_init(ctypes.byref(options))
        options.threads = threads
        self.plan, self.context = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.planish_open(str(model).encode(), ctypes.byref(options), ctypes.byref(self.plan)))
        self.check(library.planish_context_create(self.plan, ctypes.byref(self.context)))
        for index, value in enumerate(inputs.values()):
            dims = (ctypes.c_int64 * value.ndim)(*value.shape)
            tensor = Tensor(CODES[value.dtype.type], value.ndim, dims, value.ctypes.data, value.nbytes)
            self.kept.append((dims, value))
            self.check(library.planish_set_tensor(self.context, ctypes.c_size_t(index), ctypes.byref(tensor)))

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.library.planish_last_error().decode())

    def run(self):
        self.check(self.library.planish_run(self.context))


def inputs_of(session, dims):
    rng = np.random.default_rng(1)
    values = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else dims.get(d, 1) for d in i.shape]
        dtype = TYPES[i.type]
        # Small integers are valid token ids and masks alike.
        random = rng.standard_normal(shape) if dtype == np.float32 else rng.integers(0, 2, shape)
        values[i.name] = np.ascontiguousarray(random.astype(dtype))
    return values


def median_of(run, times):
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=N")
    options = parser.parse_args()
    dims = {name: int(size) for name, size in (d.split("=") for d in options.dim)}

    library = ctypes.CDLL(str(LIBRARY))
    library.planish_last_error.restype = ctypes.c_char_p
    contenders = {}
    for threads in (1, 2):
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads
        # Idle threads that spin would take the other contenders' cores.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(options.model, settings, providers=["CPUExecutionProvider"])
        inputs = inputs_of(session, dims)
        planish = Planish(options.model, threads, inputs, library)
        contenders[f"planish, {threads} threads"] = planish.run
        contenders[f"onnxruntime, {threads} threads"] = lambda s=session, i=inputs: s.run(None, i)

    for run in contenders.values():
        run()
    times = {name: [] for name in contenders}
    for _ in range(options.rounds):
        for name, run in contenders.items():
            times[name].append(median_of(run, 3))
    for name, taken in times.items():
        print(f"{name:24} {statistics.median(taken) * 1e3:8.2f} ms")
    for label, over, under in (
        ("planish 1 over 2 threads", "planish, 1 threads", "planish, 2 threads"),
        ("planish over onnxruntime, 1", "planish, 1 threads", "onnxruntime, 1 threads"),
        ("planish over onnxruntime, 2", "planish, 2 threads", "onnxruntime, 2 threads"),
    ):
        ratios = [a / b for a, b in zip(times[over], times[under], strict=True)]
        print(f"{label:28} {statistics.median(ratios):.2f}x")


if __name__ == "__main__":
    main()
