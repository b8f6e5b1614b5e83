// Random graphs around every pattern: a chain of layers with branches that join again, shared
// constants, values that are outputs too. The optimised graph must compute what the graph did.
// A failure names the seed.
#include "passes/test_util.h"

namespace planish::passes {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  std::unique_ptr<ir::Graph> make() {
    graph_ = std::make_unique<ir::Graph>("main");
    channels_ = 1 + below(3);
    const bool symbolic = below(2) == 0;
    Shape shape{symbolic ? SizeExpr::symbol("N") : SizeExpr(below(8) == 0 ? 0 : 2),
                SizeExpr(channels_), SizeExpr(3), SizeExpr(4)};
    values_.push_back(graph_->add_input("x", Type::tensor(DType::kFloat32, shape)));
    const int64_t layers = 3 + below(10);
    for (int64_t i = 0; i < layers; ++i) layer();
    graph_->add_output(values_.back());
    while (below(3) == 0) graph_->add_output(pick());
    return std::move(graph_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  // Mostly the newest, so that chains form.
  ir::ValueId pick() {
    if (below(4) != 0) return values_.back();
    return values_[static_cast<size_t>(below(static_cast<int64_t>(values_.size())))];
  }
  ir::ValueId constant(Dims dims, double low, double high) {
    if (!pool_.empty() && below(3) == 0) {  // shared
      for (const ir::ValueId id : pool_) {
        if (graph_->value(id).constant->dims() == dims && low <= 0) return id;
      }
    }
    std::vector<double> values(static_cast<size_t>(element_count(dims)));
    for (double& v : values) v = low + (high - low) * static_cast<double>(below(17)) / 16;
    const ir::ValueId id =
        graph_->add_constant("k", from_doubles(DType::kFloat32, std::move(dims), values));
    if (low <= 0) pool_.push_back(id);
    // Some parameters stand behind an Identity.
    return below(5) == 0 ? emit("Identity", {id}) : id;
  }
  ir::ValueId ints(std::vector<int64_t> numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    return graph_->add_constant("i", Tensor::of<int64_t>({count}, numbers));
  }
  ir::ValueId emit(std::string op, std::vector<ir::ValueId> inputs, Attributes attributes = {}) {
    ir::Node node;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    return graph_->node(graph_->add_node(std::move(node), 1)).outputs[0];
  }
  Attributes with(std::string name, Attribute value) {
    Attributes a;
    a.set(std::move(name), std::move(value));
    return a;
  }
  ir::ValueId positive() { return constant({channels_}, 0.25, 2); }

  // All layers keep [N, C, 3, 4].
  void layer() {
    const ir::ValueId x = pick();
    switch (below(16)) {
      case 0:
      case 1: {
        std::vector<ir::ValueId> inputs{x, constant({channels_, channels_, 1, 1}, -1, 1)};
        if (below(2) == 0) inputs.push_back(constant({channels_}, -1, 1));
        return push(emit("Conv", std::move(inputs)));
      }
      case 2:
        return push(emit("Conv", {x, constant({channels_, 1, 3, 3}, -1, 1)}, depthwise()));
      case 3:
      case 4:
        return push(emit("BatchNormalization",
                         {x, constant({channels_}, -1, 1), constant({channels_}, -1, 1),
                          constant({channels_}, -1, 1), positive()}));
      case 5:
        return push(emit("MatMul", {x, constant({4, 4}, -1, 1)}));
      case 6:
        return push(emit("Add", {x, constant({4}, -1, 1)}));
      case 7:
        return push(emit("Add", {constant({1, channels_, 1, 1}, -1, 1), x}));
      case 8:
      case 9:
        return push(emit("Add", {x, pick()}));
      case 10:
      case 11: {
        static constexpr const char* kNames[] = {"Relu",      "Sigmoid", "Tanh",
                                                 "HardSwish", "Elu",     "LeakyRelu"};
        return push(emit(kNames[below(6)], {x}));
      }
      case 12:
        return push(emit("Clip", {x, constant({}, -1, 0), constant({}, 0, 1)}));
      case 13: {
        const ir::ValueId t = emit("Transpose", {x}, with("perm", Ints{0, 2, 3, 1}));
        const ir::ValueId u = below(2) == 0 ? emit("Relu", {t}) : t;
        return push(emit("Transpose", {u}, with("perm", Ints{0, 3, 1, 2})));
      }
      case 14: {
        const ir::ValueId flat = emit("Reshape", {x, ints({-1, channels_ * 12})});
        return push(emit("Reshape", {flat, ints({-1, channels_, 3, 4})}));
      }
      default: {
        static constexpr const char* kNames[] = {"Identity", "Dropout", "Neg"};
        return push(emit(kNames[below(3)], {x}));
      }
    }
  }
  Attributes depthwise() {
    Attributes a = with("group", channels_);
    a.set("pads", Ints{1, 1, 1, 1});
    return a;
  }
  void push(ir::ValueId value) { values_.push_back(value); }

  std::mt19937_64 random_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<ir::ValueId> values_, pool_;
  int64_t channels_ = 1;
};

TEST(RandomGraphs, ComputeTheSameOptimised) {
  uint64_t rewrites = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const auto before = Generator(seed).make();
    ops::infer(*before);
    ir::verify(*before);
    const auto after = before->clone();
    Context context;
    context.evaluate = evaluate;
    rewrites += run(*after, context).rewrites;
    // A deep chain multiplies what one rounding does.
    ASSERT_EQ(difference(*after, *before, seed, 2e-4), "")
        << ir::print(*before) << ir::print(*after);
    const std::string once = ir::print(*after);
    Context again;
    again.evaluate = evaluate;
    EXPECT_EQ(run(*after, again).rewrites, 0u) << "not a fixed point, seed " << seed << "\n"
                                               << once;
  }
  EXPECT_GE(rewrites, 2000u);
}

}  // namespace
}  // namespace planish::passes
