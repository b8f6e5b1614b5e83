// Add of a constant behind a product. Conv, ConvTranspose and Gemm take it as their own bias input;
// MatMul, which has none, takes it into its epilogue. Conv's bias is one number per channel, so the
// constant must vary along axis 1 only; where Conv has a constant bias already, the two are summed.
#include <optional>

#include "passes/match.h"
#include "passes/pass.h"
#include "passes/recipe.h"
#include "passes/rewrite.h"

namespace planish::passes {
namespace {

// Far above any real layer; the bias is expanded to this many numbers.
constexpr int64_t kMaxChannels = int64_t{1} << 20;

struct Match {
  const ir::Node* product;
  size_t flow;  // the Add's input that comes from it
  const Tensor* bias;
};

std::optional<Match> match(const ir::Graph& graph, const ir::Node& add) {
  if (!is_op(add, "Add") || add.operator_inputs() != 2) return std::nullopt;
  for (const size_t flow : {size_t{0}, size_t{1}}) {
    const ir::Node* before = producer(graph, add.inputs[flow]);
    const Tensor* bias = constant(graph, add.inputs[1 - flow]);
    if (before == nullptr || bias == nullptr || !before->epilogue.empty()) continue;
    for (const char* op : {"Conv", "ConvTranspose", "Gemm", "MatMul"}) {
      if (is_op(*before, op)) return Match{before, flow, bias};
    }
  }
  return std::nullopt;
}

// The output channels of a Conv or ConvTranspose and the rank of its output, from the weights.
struct Channels {
  int64_t count = 0;
  int rank = 0;
};
std::optional<Channels> channels(const ir::Graph& graph, const ir::Node& conv) {
  const Shape* weight = shape_of(graph, conv.inputs[1]);
  if (weight == nullptr || weight->size() < 3) return std::nullopt;
  const std::optional<int64_t> dim = (*weight)[is_op(conv, "Conv") ? 0 : 1].constant();
  if (!dim) return std::nullopt;
  const int64_t groups = is_op(conv, "Conv") ? 1 : conv.attributes.get_int("group", 1);
  return Channels{element_count(Dims{*dim, groups}), static_cast<int>(weight->size())};
}

// Whether the constant is one number, or one per channel: [C, 1, 1] or [1, C, 1, 1].
bool per_channel(const Tensor& bias, const Channels& c) {
  if (bias.rank() > c.rank) return false;
  for (int i = 0; i < bias.rank(); ++i) {
    const int axis = c.rank - bias.rank() + i;
    if (bias.dim(i) != 1 && !(axis == 1 && bias.dim(i) == c.count)) return false;
  }
  return true;
}

class Fuser {
 public:
  Fuser(ir::Graph& graph, Context& context) : graph_(graph), context_(context) {}

  bool try_fuse(ir::NodeId add_id) {
    const ir::Node& add = graph_.node(add_id);
    const std::optional<Match> found = match(graph_, add);
    if (!found) return false;
    const ir::Node& before = *found->product;
    const std::string kept = why_kept(graph_, before.outputs[0]);
    if (!kept.empty()) {
      context_.near_miss(add, fmt::format("the output of {} {}", before.name, kept));
      return false;
    }
    if (is_op(before, "MatMul")) return fuse_matmul(add, *found);
    if (is_op(before, "Gemm")) return fuse_gemm(add, *found);
    return fuse_conv(add, *found);
  }

 private:
  bool grows(const ir::Node& add, const Match& m) {
    const Shape* flow = shape_of(graph_, m.product->outputs[0]);
    const Shape bias(m.bias->dims().begin(), m.bias->dims().end());
    if (m.bias->rank() == 0 || (flow != nullptr && keeps_shape(*flow, bias))) return false;
    context_.near_miss(add, fmt::format("its constant of {} may be broadcast over more than the "
                                        "output of {}",
                                        dims_to_string(m.bias->dims()), m.product->name));
    return true;
  }

  bool fuse_matmul(const ir::Node& add, const Match& m) {
    if (!takes_epilogue(graph_, m.product->outputs[0]) || grows(add, m)) return false;
    if (add.epilogue.size() + 1 > kMaxEpilogue) return false;
    if (!context_.fire(add, fmt::format("became the bias of {}", m.product->name))) return false;
    absorb(graph_, m.product->id, add.id, m.flow);
    return true;
  }

  bool fuse_gemm(const ir::Node& add, const Match& m) {
    if (input(*m.product, 2) != ir::kNoValue) {
      context_.near_miss(add, fmt::format("{} has a bias already", m.product->name));
      return false;
    }
    if (m.bias->rank() > 2 || grows(add, m)) return false;
    if (!context_.fire(add, fmt::format("became the bias of {}", m.product->name))) return false;
    graph_.node(m.product->id).attributes.set("beta", 1.0f);
    set_bias(add.id, m, add.inputs[1 - m.flow]);
    return true;
  }

  bool fuse_conv(const ir::Node& add, const Match& m) {
    const ir::Node& conv = *m.product;
    const std::optional<Channels> c = channels(graph_, conv);
    if (!c || !per_channel(*m.bias, *c)) {
      context_.near_miss(add, fmt::format("its constant of {} is not one number per channel of {}",
                                          dims_to_string(m.bias->dims()), conv.name));
      return false;
    }
    const ir::ValueId old = input(conv, 2);
    if (old != ir::kNoValue && constant(graph_, old) == nullptr) {
      context_.near_miss(add, fmt::format("the bias of {} is not constant", conv.name));
      return false;
    }
    if (!context_.evaluate || c->count > kMaxChannels) return false;
    Recipe recipe(graph_, context_, add.name, add.provenance);
    Recipe::Ref bias = recipe.value(add.inputs[1 - m.flow]);
    if (m.bias->size() == c->count) {
      bias = recipe.reshape(bias, {c->count});
    } else {
      const Recipe::Ref dims = recipe.constant("dims", Tensor::of<int64_t>({1}, {c->count}));
      bias = recipe.apply("Expand", {recipe.reshape(bias, {1}), dims});
    }
    if (old != ir::kNoValue) bias = recipe.apply("Add", {recipe.value(old), bias});
    if (!context_.fire(add, fmt::format("became the bias of {}", conv.name))) return false;
    set_bias(add.id, m, recipe.commit(graph_, recipe.called(bias, "bias"), conv.id));
    return true;
  }

  // Gives the product the bias and the Add's place; what was fused behind the Add comes along.
  void set_bias(ir::NodeId add_id, const Match& m, ir::ValueId bias) {
    const ir::NodeId id = m.product->id;
    ir::Node& product = graph_.node(id);
    if (product.inputs.size() > 2) {
      graph_.set_input(id, 2, bias);
    } else {
      graph_.append_input(id, bias);
    }
    absorb_epilogue(graph_, id, add_id);
  }

  ir::Graph& graph_;
  Context& context_;
};

bool run(ir::Graph& graph, Context& context) {
  bool changed = false;
  for (const ir::NodeId id : std::vector(graph.order())) {
    changed |= Fuser(graph, context).try_fuse(id);
  }
  return changed;
}

}  // namespace

PLANISH_PASS(fuse_bias) {
  return {"fuse_bias", Phase::kFuse,
          "makes the Add of a constant the bias of the product before it", &run};
}

}  // namespace planish::passes
