#!/usr/bin/python3
"""Trains the shipped model, a small residual CNN on Fashion-MNIST, and exports it to ONNX.

    scripts/setup.sh train                    # Debian's torch 1.13 and the data set
    /usr/bin/python3 tools/train_fashion_mnist.py

writes models/fashion_mnist/model.onnx and prints its top-1 on the 10,000 test images. About ten
minutes on two cores; with the same torch, processor and thread count a second run gives the same
weights. The test images are looked at once, after the last epoch: nothing is chosen by them.

The network is a 3x3 stem, three residual blocks (16, 48 and 96 channels; the second and the third
halve the image) and a linear layer on the global average. It takes plain pixel / 255: the mean
and the standard deviation of the data set are a Sub and a Div of its own. The export keeps every
BatchNormalization and folds nothing, as those folds are what the compiler is there to show.
"""

import argparse
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

import fashion_mnist_data

# Mean and standard deviation of pixel / 255 over the 60,000 training images.
PIXEL_MEAN = 0.2860
PIXEL_STD = 0.3530

BATCH = 128
MAX_LR = 0.2
WEIGHT_DECAY = 5e-4
MAX_SHIFT = 2  # pixels, in each direction

OPSET = 17  # the newest that the TorchScript exporter of torch 1.13 writes
DEFAULT_OUT = Path(__file__).resolve().parent.parent / "models/fashion_mnist/model.onnx"


class ResidualBlock(nn.Module):
    """relu(bn(conv3x3(relu(bn(conv3x3(x))))) + shortcut(x)); the shortcut is x itself where the
    shape stays, and bn(conv1x1(x)) where it does not."""

    def __init__(self, channels_in, channels_out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels_out)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels_out)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels_out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels_out, 1, stride, bias=False),
                nn.BatchNorm2d(channels_out),
            )

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x))


class FashionResNet(nn.Module):
    """Pixels / 255 [N, 1, 28, 28] in, logits [N, 10] out."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(16)
        self.stage1 = ResidualBlock(16, 16, stride=1)
        self.stage2 = ResidualBlock(16, 48, stride=2)
        self.stage3 = ResidualBlock(48, 96, stride=2)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(96, 10)

    def forward(self, image):
        x = (image - PIXEL_MEAN) / PIXEL_STD
        x = F.relu(self.bn(self.stem(x)))
        x = self.stage3(self.stage2(self.stage1(x)))
        return self.head(torch.flatten(self.pool(x), 1))


def load(split, directory):
    images, labels = fashion_mnist_data.load(split, directory)
    return (
        torch.from_numpy(fashion_mnist_data.as_input(images)),
        torch.from_numpy(labels.astype("int64")),
    )


def augment(images):
    """Each image mirrored with probability 1/2 and shifted by up to MAX_SHIFT pixels each way.

    Both are one gather from the zero-padded batch: row and column numbers differ by image.
    """
    count, _, height, width = images.shape
    padded = F.pad(images, [MAX_SHIFT] * 4)[:, 0]
    top, left = torch.randint(0, 2 * MAX_SHIFT + 1, (2, count, 1))
    rows = torch.arange(height) + top
    columns = torch.arange(width).expand(count, width)
    mirrored = torch.rand(count, 1) < 0.5
    columns = torch.where(mirrored, width - 1 - columns, columns) + left
    picked = padded[torch.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
    return picked[:, None]


def make_optimizer(model):
    """SGD that decays the weights of convolutions and the linear layer, not the vectors (biases
    and BatchNorm's scales and shifts), which have nothing to overfit with."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": vectors}]
    return torch.optim.SGD(groups, lr=MAX_LR, momentum=0.9, nesterov=True)


def train(model, images, labels, epochs):
    optimizer = make_optimizer(model)
    steps = len(images) // BATCH
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, MAX_LR, total_steps=epochs * steps, pct_start=0.2
    )
    # Fashion-MNIST has wrong and ambiguous labels, most of all around "Shirt".
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.1)
    model.train()
    for epoch in range(1, epochs + 1):
        start, total_loss, right = time.monotonic(), 0.0, 0
        order = torch.randperm(len(images))
        for step in range(steps):
            chosen = order[step * BATCH : (step + 1) * BATCH]
            batch = augment(images[chosen]).contiguous(memory_format=torch.channels_last)
            logits = model(batch)
            loss = loss_of(logits, labels[chosen])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            total_loss += loss.item()
            right += (logits.argmax(1) == labels[chosen]).sum().item()
        print(
            f"epoch {epoch:2}/{epochs}: loss {total_loss / steps:.4f}, "
            f"augmented train top-1 {100 * right / (steps * BATCH):.2f} %, "
            f"{time.monotonic() - start:.0f} s",
            flush=True,
        )


@torch.no_grad()
def count_right(model, images, labels):
    model.eval()
    predicted = torch.cat([model(batch).argmax(1) for batch in images.split(500)])
    return (predicted == labels).sum().item()


def export(model, path):
    """Writes the model in inference form. TrainingMode.PRESERVE with a model in eval mode is what
    keeps BatchNormalization: TrainingMode.EVAL would merge it into the convolution before it."""
    model.eval()
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        model,
        torch.zeros(1, 1, 28, 28),
        str(path),
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
        opset_version=OPSET,
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "N"}, "logits": {0: "N"}},
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument(
        "--data", type=Path, default=fashion_mnist_data.DEFAULT_DIR, help="folder of the IDX files"
    )
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT, help="the .onnx to write")
    parser.add_argument("--epochs", type=int, default=11, help="passes over the training images")
    parser.add_argument("--seed", type=int, default=20, help="of weights, order and augmentation")
    parser.add_argument("--threads", type=int, default=2, help="part of what decides the weights")
    args = parser.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)

    # Channels-last takes a step from 146 to 118 ms (torch 1.13, two cores of an AMD EPYC).
    model = FashionResNet().to(memory_format=torch.channels_last)
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    train(model, *load("train", args.data), args.epochs)

    model = model.to(memory_format=torch.contiguous_format)
    images, labels = load("t10k", args.data)
    right = count_right(model, images, labels)
    print(f"test top-1: {right} of {len(images)} ({100 * right / len(images):.2f} %)")
    export(model, args.out)
    print(f"wrote {args.out}")


if __name__ == "__main__":
    main()
