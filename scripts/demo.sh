#!/usr/bin/env bash
# The main job on the shipped model: from a trained .onnx to a verified plan, and from the plan to
# predictions and figures. `make demo` installs what it needs and calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

planish=build/release/planish
model=models/fashion_mnist/model.onnx
data=/usr/share/datasets/fashion-mnist
out=build/demo
mkdir -p "$out"

bold='' plain=''
[ ! -t 1 ] || { bold=$'\033[1m' plain=$'\033[0m'; }
title() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }

title "The trained model: $model"
"$planish" inspect "$model"

title 'Build: optimise, place, compare with the reference, write a plan'
"$planish" build "$model" -o "$out/fashion_mnist.plan"
"$planish" build "$model" -o "$out/reference.plan" --provider reference --passes none --no-verify --json >"$out/reference.json"

title 'What is in the plan'
"$planish" inspect "$out/fashion_mnist.plan" --steps

title 'The 10,000 test images of Fashion-MNIST'
build/release/fashion_mnist "$out/fashion_mnist.plan" "$out/reference.plan" \
  "$data/t10k-images-idx3-ubyte.gz" "$data/t10k-labels-idx1-ubyte.gz" "$out/logits.f32"

# The same images on ONNX Runtime: the same answers?
for python in build/venv-demo/bin/python build/venv/bin/python python3; do
  if "$python" -c 'import onnxruntime, numpy' 2>/dev/null; then
    "$python" tools/demo_onnxruntime.py "$model" "$data" "$out/logits.f32"
    exit
  fi
done
echo '  ONNX Runtime is not installed and PyPI was not reached: no comparison with it'
