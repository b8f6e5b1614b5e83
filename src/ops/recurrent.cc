#include "ops/recurrent.h"

#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

// Opsets before 7 also had output_sequence, which said whether Y is wanted: naming it says that
// now.
void upgrade_recurrent(UpgradeContext& context) {
  context.node().attributes.erase("output_sequence");
}

void check_shape(const InferContext& context,
                 size_t input,
                 const Shape& expected,
                 std::string_view name) {
  const Shape* given = context.input_shape(input);
  if (!given) return;
  bool fits = given->size() == expected.size();
  for (size_t i = 0; fits && i < expected.size(); ++i)
    fits = equal((*given)[i], expected[i]) != Tri::kNo;
  if (!fits)
    context.fail(
        fmt::format("{} is {}; expected {}", name, to_string(*given), to_string(expected)));
}

}  // namespace

OpDef recurrent_operator(std::string_view name) {
  OpDef d;
  d.name = name;
  d.inputs = {{"X", Arity::kRequired, kAnyFloat, "T"},
              {"W", Arity::kRequired, kAnyFloat, "T"},
              {"R", Arity::kRequired, kAnyFloat, "T"},
              {"B", Arity::kOptional, kAnyFloat, "T"},
              {"sequence_lens", Arity::kOptional, type_bit(DType::kInt32)},
              {"initial_h", Arity::kOptional, kAnyFloat, "T"}};
  d.outputs = {{"Y", Arity::kOptional, kAnyFloat, "T"}, {"Y_h", Arity::kOptional, kAnyFloat, "T"}};
  d.attributes = {{"activation_alpha", AttrKind::kFloats},
                  {"activation_beta", AttrKind::kFloats},
                  {"activations", AttrKind::kStrings},
                  {"clip", AttrKind::kFloat},
                  {"direction", AttrKind::kString},
                  {"hidden_size", AttrKind::kInt},
                  {"layout", AttrKind::kInt}};
  d.legacy_attributes = {"output_sequence"};
  d.upgrade = &upgrade_recurrent;
  d.cost = &recurrent_cost;
  return d;
}

void infer_recurrent(InferContext& context, int64_t gates) {
  const Attributes& attributes = context.attributes();
  const std::string direction = attributes.get_string("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    context.fail(
        fmt::format("direction '{}' is none of forward, reverse, bidirectional", direction));
  }
  const SizeExpr directions = direction == "bidirectional" ? 2 : 1;
  const bool batch_major = attributes.get_int("layout", 0) != 0;
  const Shape *x = context.input_shape(0), *w = context.input_shape(1), *r = context.input_shape(2);
  for (const Shape* s : {x, w, r}) {
    if (s && s->size() != 3)
      context.fail(fmt::format("X, W and R must have rank 3; one is {}", to_string(*s)));
  }
  const SizeExpr steps = x ? (*x)[batch_major ? 1 : 0] : context.fresh_dim();
  const SizeExpr batch = x ? (*x)[batch_major ? 0 : 1] : context.fresh_dim();
  SizeExpr hidden = r ? (*r)[2] : context.fresh_dim();
  if (attributes.has("hidden_size")) {
    hidden = same_dim(context, hidden, attributes.get_int("hidden_size"),
                      "the width of R and hidden_size");
  }
  check_shape(context, 1,
              {directions, hidden * gates,
               x   ? (*x)[2]
               : w ? (*w)[2]
                   : SizeExpr(0)},
              "W");
  check_shape(context, 2, {directions, hidden * gates, hidden}, "R");
  check_shape(context, 3, {directions, hidden * (2 * gates)}, "B");
  check_shape(context, 4, {batch}, "sequence_lens");
  const Shape state =
      batch_major ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  check_shape(context, 5, state, "initial_h");
  if (context.input_count() > 6) check_shape(context, 6, state, "initial_c");
  if (context.input_count() > 7) check_shape(context, 7, {directions, hidden * 3}, "P");

  const DType dtype = context.input_dtype(0);
  context.set_output(0, tensor_type(dtype, batch_major ? Shape{batch, steps, directions, hidden}
                                                       : Shape{steps, directions, batch, hidden}));
  for (size_t i = 1; i < context.output_count(); ++i)
    context.set_output(i, tensor_type(dtype, state));
}

// The products with W and R; the cell's own arithmetic is small beside them.
Cost recurrent_cost(const ir::Node&, std::span<const Dims> inputs, std::span<const Dims>) {
  const double rows = static_cast<double>(inputs[0][0]) * static_cast<double>(inputs[0][1]);
  double weights = 0;
  for (size_t i = 1; i <= 2; ++i) {
    double size = 1;
    for (const int64_t d : inputs[i]) size *= static_cast<double>(d);
    weights += size;
  }
  return {2 * rows * weights};
}

}  // namespace planish::ops
