#include "kernels/pointwise/pointwise.h"

#include <array>

#include "kernels/variants.h"

namespace planish::kernels {

#define PLANISH_ENTRY(entry) PointwiseVariant variant_##entry();
#include "kernels/pointwise/catalog.inc"
#undef PLANISH_ENTRY

namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Unary::kCount)> kUnaryNames = {
    "affine", "relu",      "leaky_relu",   "thresholded_relu",
    "clip",   "sigmoid",   "hard_sigmoid", "hard_swish",
    "swish",  "tanh",      "exp",          "erf",
    "gelu",   "gelu_tanh", "elu",          "selu",
    "celu",   "softsign",  "sqrt",         "reciprocal",
    "neg",    "abs",       "floor",        "ceil",
    "round",  "sign",      "log",          "softplus",
    "mish",   "sin",       "cos"};
constexpr std::array<std::string_view, static_cast<size_t>(Binary::kCount)> kBinaryNames = {
    "add", "sub", "mul", "div", "min", "max", "prelu", "pow"};

template <class Op, size_t N>
std::optional<Op> parse(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Op>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Unary op) { return kUnaryNames[static_cast<size_t>(op)]; }
std::string_view to_string(Binary op) { return kBinaryNames[static_cast<size_t>(op)]; }
std::optional<Unary> parse_unary(std::string_view name) { return parse<Unary>(kUnaryNames, name); }
std::optional<Binary> parse_binary(std::string_view name) {
  return parse<Binary>(kBinaryNames, name);
}

std::span<const PointwiseVariant> pointwise_variants() {
  static const PointwiseVariant all[] = {
#define PLANISH_ENTRY(entry) variant_##entry(),
#include "kernels/pointwise/catalog.inc"
#undef PLANISH_ENTRY
  };
  return all;
}

const PointwiseVariant& best_pointwise() {
  static const PointwiseVariant* const best = best_variant(pointwise_variants(), 0);
  return *best;
}

}  // namespace planish::kernels
