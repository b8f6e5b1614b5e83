// BatchNormalization with constant parameters is y = x * s + t per channel, with
//   s = scale / sqrt(var + epsilon),   t = bias - mean * s.
// Behind a Conv, ConvTranspose, Gemm or rank-2 MatMul with constant weights, s goes into the
// weights (each output channel's times its s) and s and t into the bias. The parameters are
// computed in double; the weights are rounded once more, to their own type.
//
// The channel axis is always 1. A MatMul of rank 3 has rows there, not columns, and stays.
// A channel whose s or t is not finite stays too: 0 * infinity would differ from what the two
// nodes compute.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/elements.h"
#include "passes/match.h"
#include "passes/pass.h"
#include "passes/recipe.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

// How the producer's weights and bias carry the output channels.
struct Target {
  int64_t channels = 0;
  Dims scale_dims;   // s, reshaped to this, broadcasts against the weights...
  Dims expand_dims;  // ... after being expanded to this and reshaped to `final_dims`, when given
  Dims final_dims;
};

std::optional<Target> conv_target(const ir::Node& node, const Tensor& weight) {
  if (weight.rank() < 3) return std::nullopt;
  Target t;
  const auto rank = static_cast<size_t>(weight.rank());
  if (is_op(node, "Conv")) {
    t.channels = weight.dim(0);
    t.scale_dims.assign(rank, 1);
    t.scale_dims[0] = t.channels;
    return t;
  }
  // ConvTranspose: [inputs, outputs / groups, ...]; row c belongs to group c / (inputs / groups).
  const int64_t groups = node.attributes.get_int("group", 1);
  const int64_t inputs = weight.dim(0);
  const int64_t per_group = weight.dim(1);
  if (groups < 1 || inputs % groups != 0) return std::nullopt;
  t.channels = element_count(Dims{groups, per_group});
  if (groups == 1) {
    t.scale_dims.assign(rank, 1);
    t.scale_dims[1] = t.channels;
  } else {
    t.scale_dims = {groups, 1, per_group};
    t.expand_dims = {groups, inputs / groups, per_group};
    t.final_dims.assign(rank, 1);
    t.final_dims[0] = inputs;
    t.final_dims[1] = per_group;
  }
  return t;
}

std::optional<Target> product_target(const ir::Node& node, const Tensor& weight) {
  if (weight.rank() != 2) return std::nullopt;
  const bool transposed = is_op(node, "Gemm") && node.attributes.get_int("transB", 0) != 0;
  Target t;
  t.channels = weight.dim(transposed ? 0 : 1);
  t.scale_dims = transposed ? Dims{t.channels, 1} : Dims{1, t.channels};
  return t;
}

bool all_finite(const Tensor& tensor) {
  if (tensor.dtype() == DType::kFloat32) {  // weights are large
    return std::ranges::all_of(tensor.data<float>(), [](float v) { return std::isfinite(v); });
  }
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(load_double(tensor, i))) return false;
  }
  return true;
}

// A Gemm's C may be a scalar, a row or one number: what broadcasts along the rows.
bool is_row(const Tensor& bias, int64_t channels) {
  return bias.size() == 1 ? bias.rank() <= 2
                          : bias.dims() == Dims{channels} || bias.dims() == Dims{1, channels};
}

class Folder {
 public:
  Folder(ir::Graph& graph, Context& context) : graph_(graph), context_(context) {}

  bool try_fold(ir::NodeId id) {
    norm_ = id;
    const ir::Node& norm = graph_.node(id);
    const ir::Node* before = producer(graph_, norm.inputs[0]);
    if (before == nullptr) return false;
    const bool conv = is_op(*before, "Conv") || is_op(*before, "ConvTranspose");
    const bool product = is_op(*before, "Gemm") || is_op(*before, "MatMul");
    if (!conv && !product) return false;
    const std::string why = why_not(norm, *before);
    if (!why.empty()) {
      context_.near_miss(norm, why);
      return false;
    }
    const Tensor& weight = *constant(graph_, before->inputs[1]);
    const std::optional<Target> target =
        conv ? conv_target(*before, weight) : product_target(*before, weight);
    if (!target || !parameters_fit(norm, target->channels)) {
      context_.near_miss(norm, fmt::format("the weights of {} do not fit", before->name));
      return false;
    }
    const Tensor* bias = constant(graph_, input(*before, 2));
    if (bias != nullptr &&
        !(conv ? bias->dims() == Dims{target->channels} : is_row(*bias, target->channels))) {
      context_.near_miss(norm, fmt::format("the bias of {}, {}, is not one number per channel",
                                           before->name, dims_to_string(bias->dims())));
      return false;
    }
    return fold(*target, before->id);
  }

 private:
  std::string why_not(const ir::Node& norm, const ir::Node& before) const {
    if (norm.attributes.get_int("training_mode", 0) != 0) return "it is in training mode";
    if (norm.outputs.size() != 1) return "it has outputs besides the normalised one";
    if (!norm.epilogue.empty() || !before.epilogue.empty()) {
      return fmt::format("operators are fused behind {}",
                         before.epilogue.empty() ? norm.name : before.name);
    }
    if (const std::string kept = why_kept(graph_, before.outputs[0]); !kept.empty()) {
      return fmt::format("the output of {} {}", before.name, kept);
    }
    for (size_t i = 1; i <= 4; ++i) {
      if (constant(graph_, input(norm, i)) == nullptr) {
        return fmt::format("its parameter '{}' is not constant", name_of(norm, i));
      }
    }
    const Tensor* weight = constant(graph_, input(before, 1));
    if (weight == nullptr) {
      return fmt::format("the weights of {}, '{}', are not constant", before.name,
                         name_of(before, 1));
    }
    if (weight->dtype() != graph_.value(norm.outputs[0]).type.dtype) {
      return fmt::format("the weights of {} are of another type", before.name);
    }
    const ir::ValueId bias = input(before, 2);
    if (bias != ir::kNoValue && constant(graph_, bias) == nullptr) {
      return fmt::format("the bias of {} is not constant", before.name);
    }
    if (is_op(before, "MatMul")) {
      const Shape* shape = shape_of(graph_, before.inputs[0]);
      if (shape == nullptr || shape->size() != 2) {
        return fmt::format("{} is not known to be a product of matrices: channels may be rows",
                           before.name);
      }
    }
    return {};
  }

  std::string name_of(const ir::Node& node, size_t index) const {
    const ir::ValueId id = input(node, index);
    return id == ir::kNoValue ? "" : graph_.value(id).name;
  }

  bool parameters_fit(const ir::Node& norm, int64_t channels) const {
    for (size_t i = 1; i <= 4; ++i) {
      if (constant(graph_, norm.inputs[i])->dims() != Dims{channels}) return false;
    }
    return true;
  }

  bool fold(const Target& target, ir::NodeId before_id) {
    const ir::Node& norm = graph_.node(norm_);
    const ir::Node& before = graph_.node(before_id);
    const DType dtype = constant(graph_, before.inputs[1])->dtype();
    Recipe recipe(graph_, context_, norm.name, norm.provenance);
    const auto parameter = [&](size_t i) {
      return recipe.cast(recipe.value(norm.inputs[i]), DType::kFloat64);
    };
    const auto epsilon = static_cast<double>(norm.attributes.get_float("epsilon", 1e-5f));
    const Recipe::Ref variance =
        recipe.apply("Add", {parameter(4), recipe.constant("epsilon", Tensor::scalar(epsilon))});
    const Recipe::Ref s = recipe.apply("Div", {parameter(1), recipe.apply("Sqrt", {variance})});
    const Recipe::Ref shifted =
        recipe.apply("Mul", {s, old_bias(recipe, before, target, parameter(3))});
    const Recipe::Ref bias = recipe.cast(recipe.apply("Add", {shifted, parameter(2)}), dtype);
    Recipe::Ref factor = recipe.reshape(recipe.cast(s, dtype), target.scale_dims);
    if (!target.expand_dims.empty()) {
      const auto rank = static_cast<int64_t>(target.expand_dims.size());
      const Recipe::Ref dims = recipe.constant(
          "dims", Tensor::of<int64_t>({rank}, std::span<const int64_t>(target.expand_dims)));
      factor = recipe.reshape(recipe.apply("Expand", {factor, dims}), target.final_dims);
    }
    const Recipe::Ref weight = recipe.apply("Mul", {recipe.value(before.inputs[1]), factor});
    if (!all_finite(recipe.result(s)) || !all_finite(recipe.result(factor)) ||
        !all_finite(recipe.result(bias)) || !all_finite(recipe.result(weight))) {
      context_.near_miss(norm, "the folded weights would not be finite");
      return false;
    }
    if (!context_.fire(norm, fmt::format("folded into the weights of {}", before.name))) {
      return false;
    }
    rewrite(recipe, weight, bias, before_id);
    return true;
  }

  // The producer's bias minus the mean, per channel, in double.
  Recipe::Ref old_bias(Recipe& recipe,
                       const ir::Node& before,
                       const Target& target,
                       Recipe::Ref mean) {
    const ir::ValueId id = input(before, 2);
    if (id == ir::kNoValue) return recipe.apply("Neg", {mean});
    Recipe::Ref bias = recipe.cast(recipe.value(id), DType::kFloat64);
    if (recipe.result(bias).size() == target.channels) {
      bias = recipe.reshape(bias, {target.channels});
    } else {
      bias = recipe.reshape(bias, {1});
    }
    const float beta = before.attributes.get_float("beta", 1.0f);
    if (is_op(before, "Gemm") && beta != 1.0f) {
      bias = recipe.apply(
          "Mul", {bias, recipe.constant("beta", Tensor::scalar(static_cast<double>(beta)))});
    }
    return recipe.apply("Sub", {bias, mean});
  }

  void rewrite(Recipe& recipe, Recipe::Ref weight, Recipe::Ref bias, ir::NodeId before_id) {
    graph_.set_input(before_id, 1,
                     recipe.commit(graph_, recipe.called(weight, "weight"), before_id));
    const ir::ValueId new_bias = recipe.commit(graph_, recipe.called(bias, "bias"), before_id);
    ir::Node& before = graph_.node(before_id);
    merge_provenance(before, graph_.node(norm_));
    const ir::ValueId out = graph_.node(norm_).outputs[0];
    if (is_op(before, "MatMul")) {
      ir::Node add;
      add.op = "Add";
      add.name = graph_.node(norm_).name + ".bias";
      add.inputs = {before.outputs[0], new_bias};
      add.provenance = graph_.node(norm_).provenance;
      graph_.value(before.outputs[0]).onnx_name.clear();  // scaled now: equal to no ONNX value
      graph_.move_output(out, graph_.add_node(std::move(add), 1, norm_), 0);
    } else {
      if (before.inputs.size() > 2) {
        graph_.set_input(before_id, 2, new_bias);
      } else {
        graph_.append_input(before_id, new_bias);
      }
      if (is_op(before, "Gemm")) before.attributes.set("beta", 1.0f);
      graph_.move_output(out, before_id, 0);
    }
    graph_.erase_node(norm_);
  }

  ir::Graph& graph_;
  Context& context_;
  ir::NodeId norm_ = ir::kNoNode;
};

bool run(ir::Graph& graph, Context& context) {
  if (!context.evaluate) return false;
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    const ir::Node& node = graph.node(id);
    if (is_op(node, "BatchNormalization") && node.operator_inputs() == 5) {
      changed |= Folder(graph, context).try_fold(id);
    }
  }
  return changed;
}

}  // namespace

PLANISH_PASS(fold_batchnorm) {
  return {"fold_batchnorm", Phase::kFold,
          "folds BatchNormalization into the weights of the Conv, Gemm or MatMul before it", &run};
}

}  // namespace planish::passes
