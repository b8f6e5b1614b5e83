"""What a whole program promises beside right answers.

One plan gives the same bits with 1 and with 2 threads; 5 GB of weights build and run in little memory;
Ctrl-C leaves no partial file; --require makes a fallback an error.
"""

import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import onnx
from onnx import TensorProto, helper

from common import PLANISH, ROOT, SHARED, Tally, fill_zoo_model, shared_or_leave

# Memory of the process's own (heap, stacks); pages of mapped files are the system's to take back.
OWN_MEMORY = 256 << 20


def embedding(folder, gigabytes, columns=1024):
    """A table in an external file, sparse on the disk, of which a run reads a few rows."""
    rows = gigabytes * (1 << 30) // 4 // columns
    table = TensorProto(name="table", data_type=TensorProto.FLOAT, dims=[rows, columns])
    table.data_location = TensorProto.EXTERNAL
    size = rows * columns * 4
    for key, value in (("location", "table.bin"), ("offset", "0"), ("length", str(size))):
        table.external_data.add(key=key, value=value)
    with open(folder / "table.bin", "wb") as file:
        file.truncate(size)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "index"], ["row"]), helper.make_node("Relu", ["row"], ["y"])],
        "embedding",
        [helper.make_tensor_value_info("index", TensorProto.INT64, ["n"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", columns])],
        [table],
    )
    model = folder / "embedding.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), model)
    return model


def little_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (OWN_MEMORY, OWN_MEMORY))


def large_model(tally):
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = embedding(folder, 5)
        plan = folder / "embedding.plan"
        for label, command in {
            "build": ["build", model, "-o", plan],
            "run from the plan": ["run", plan, "--dim", "n=3"],
            "run from the model": ["run", model, "--dim", "n=3"],
        }.items():
            start = time.monotonic()
            result = subprocess.run([PLANISH, *command], capture_output=True, text=True, preexec_fn=little_memory)
            detail = f"{time.monotonic() - start:.1f} s" if result.returncode == 0 else result.stderr[-500:]
            tally.check(result.returncode == 0, f"5 GB of weights, 256 MB of own memory: {label}", detail)
        interrupted(tally, folder, model)


def interrupted(tally, folder, model):
    """SIGINT as soon as the temporary file is there."""
    before = set(folder.iterdir())
    build = subprocess.Popen(
        [PLANISH, "build", model, "-o", folder / "other.plan"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seen = False
    while build.poll() is None and not seen:
        seen = bool(set(folder.iterdir()) - before)
        time.sleep(0.0005)
    build.send_signal(signal.SIGINT)
    build.wait()
    left = {path.name for path in set(folder.iterdir()) - before}
    tally.check(
        seen and build.returncode == -signal.SIGINT and not left,
        "Ctrl-C while the plan is written leaves nothing",
        f"status {build.returncode}, temporary seen: {seen}, left: {left or 'nothing'}",
    )


def recorded_inputs(model):
    """Flags that bind the inputs of the model's first data set, if it has one."""
    data = model.parent / "test_data_set_0"
    if not data.is_dir():
        return []
    graph = onnx.load(model, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    names = [value.name for value in graph.input if value.name not in constants]
    return [f"--input={name}={data / f'input_{i}.pb'}" for i, name in enumerate(names)]


def same_bits(tally, folder, name, model):
    plan = folder / f"{name}.plan"
    subprocess.run([PLANISH, "build", model, "-o", plan], check=True, capture_output=True)
    outputs = []
    for threads in (1, 2):
        out = folder / f"{name}.{threads}"
        flags = ["--threads", str(threads), "--output-dir", out, *recorded_inputs(model)]
        subprocess.run([PLANISH, "run", plan, *flags], check=True, capture_output=True)
        outputs.append({path.name: path.read_bytes() for path in out.iterdir()})
    total = sum(len(data) for data in outputs[0].values())
    tally.check(
        outputs[0] and outputs[0] == outputs[1],
        f"{name}: the same bits with 1 and 2 threads",
        f"{len(outputs[0])} outputs, {total} bytes",
    )


def threads(tally):
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("resnet18", "mobilenetv2", "bert_base"):
            same_bits(tally, folder, name, fill_zoo_model(name, folder))
        for name in ("silero_vad_v5", "dtln_1", "mobilenetv2_qdq_int8", "sklearn_randomforest"):
            same_bits(tally, folder, name, SHARED / "models" / name / "model.onnx")
        same_bits(tally, folder, "fashion_mnist", ROOT / "models" / "fashion_mnist" / "model.onnx")


def require(tally):
    """The forest runs on the reference alone, the shipped model on the cpu alone."""
    for name, model, status in (
        ("sklearn_randomforest", SHARED / "models" / "sklearn_randomforest" / "model.onnx", 1),
        ("fashion_mnist", ROOT / "models" / "fashion_mnist" / "model.onnx", 0),
    ):
        with tempfile.TemporaryDirectory() as temporary:
            plan = Path(temporary) / "m.plan"
            result = subprocess.run(
                [PLANISH, "build", model, "-o", plan, "--require", "cpu"], capture_output=True, text=True, check=False
            )
            tally.check(
                result.returncode == status and plan.exists() == (status == 0),
                f"build --require cpu of {name} ends with {status}",
                (result.stderr.strip().splitlines() or [""])[-1],
            )


def main():
    shared_or_leave()
    tally = Tally()
    threads(tally)
    require(tally)
    large_model(tally)
    tally.close()


if __name__ == "__main__":
    main()
