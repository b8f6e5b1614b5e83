#!/usr/bin/env python3
"""Writes the small CNN of the tutorials with either of PyTorch's ONNX exporters.

    python3 tools/export_tutorial_model.py --exporter torchscript
    python3 tools/export_tutorial_model.py --exporter dynamo

write models/tutorial/torchscript/model.onnx and models/tutorial/dynamo/model.onnx: one network
with one set of weights, as the two exporters spell it. The first needs torch alone (made with
1.13), the second a newer torch and onnxscript (made with 2.15.0 and 0.7.2). The weights are drawn
by numpy, whose RandomState gives the same numbers in every version; torch does not promise that.
Names, metadata and the opset stay as each exporter chooses them; only the folders of the machine
are cut from the stack traces that the dynamo exporter leaves on the nodes.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

SEED = 1
CHANNELS, SIDE = 3, 32
REPOSITORY = Path(__file__).resolve().parent.parent


class SmallCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(CHANNELS, 16, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(16, 10)

    def forward(self, image):
        x = torch.relu(self.conv(image))
        x = self.pool(x).squeeze(-1).squeeze(-1)
        return self.fc(x)


def seeded_model():
    """SmallCnn with every parameter uniform in +-1 / sqrt(fan in), as torch's own default is."""
    model = SmallCnn().eval()
    random = np.random.RandomState(SEED)
    with torch.no_grad():
        for layer in (model.conv, model.fc):
            bound = layer.weight[0].numel() ** -0.5
            for parameter in (layer.weight, layer.bias):
                values = random.uniform(-bound, bound, tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(values))
    return model


def export_torchscript(model, example, path):
    torch.onnx.export(
        model,
        example,
        str(path),
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}},
    )


def export_dynamo(model, example, path):
    program = torch.onnx.export(
        model,
        (example,),
        input_names=["image"],
        output_names=["logits"],
        dynamic_shapes={"image": {0: torch.export.Dim("N")}},
        dynamo=True,
    )
    site_packages = Path(torch.__file__).parent.parent
    for node in program.model.graph:
        trace = node.metadata_props.get("pkg.torch.onnx.stack_trace")
        if trace is not None:
            for folder in (REPOSITORY, site_packages):
                trace = trace.replace(f"{folder}/", "")
            node.metadata_props["pkg.torch.onnx.stack_trace"] = trace
    program.save(str(path), external_data=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--exporter", choices=("torchscript", "dynamo"), required=True)
    parser.add_argument("--out", type=Path, help="default: models/tutorial/EXPORTER/model.onnx")
    args = parser.parse_args()
    path = args.out or REPOSITORY / "models/tutorial" / args.exporter / "model.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)

    # A batch of two: the dynamo exporter takes a size of 1 in the example for a constant.
    example = torch.zeros(2, CHANNELS, SIDE, SIDE)
    export = export_torchscript if args.exporter == "torchscript" else export_dynamo
    export(seeded_model(), example, path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
