# Who may include whom: the one table behind "direction is one-way and checked by a machine".
# scripts/check_layers.py reads it, and the test `layers` fails on any `#include "folder/..."` under
# src/ that it does not list. To open a new edge, change this table and say why in the commit.
#
# A line is   "LAYER FOLDER: folders whose headers it may include directly".
#   * A folder may always include itself and `base`, so neither is listed.
#   * An entry stands on the same layer or below, and the edges form no cycle (checked too).
#   * `all` is every folder on a lower layer.
#   * `backends` is what lies in that folder itself: the interface that every compile side fulfils.
#   * `*` in a folder's name stands for one path component; the most exact name wins.
#   * Tests (`*_test.cc`, `*_fuzz.cc`, `*_bench.cc`) may include anything on their own layer or
#     below, and `io`, `reference` and `testing` besides.
#   * `testing` holds helpers of tests; only tests include it.
#   * `planish` is the folder of the public header, include/planish/.
set(PLANISH_LAYERS
  "0 base:"
  "0 planish:"

  "1 reference:"
  "1 kernels:"
  "1 ir:"
  "1 plan:"
  "1 io:"

  "2 ops: ir reference"
  "2 runtime: plan"

  "3 onnx: ir ops io"
  "3 passes: ir ops"
  "3 quant: ir ops"
  "3 prune: ir ops"
  "3 backends: ir ops plan"
  "3 backends/*/compile: ir ops plan kernels backends"
  "3 backends/*/run: runtime plan kernels"
  # The reference provider is `reference/` behind the provider's interface.
  "3 backends/reference/compile: ir ops plan reference backends"
  "3 backends/reference/run: runtime plan reference"
  # The test provider computes as the reference provider does, in a memory of its own.
  "3 backends/test/compile: ir ops plan backends backends/reference/compile"
  "3 backends/test/run: runtime plan backends/reference/run"

  "4 compiler: all"
  "4 profile: runtime plan"
  "4 serve: runtime plan"

  "5 api: all"
  "5 cli: all api"
  "5 bindings: all api"

  "5 testing: all"
)
