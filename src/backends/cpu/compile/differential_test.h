// One node, lowered, run and compared with the reference. For the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/compile/cpu_backend.h"
#include "backends/cpu/compile/fake_context_test.h"
#include "backends/cpu/run/steps.h"
#include "ops/op.h"

namespace planish::backends::cpu {

inline const runtime::Registry& registry() {
  static const runtime::Registry* const all = [] {
    auto* r = new runtime::Registry;
    register_steps(*r);
    return r;
  }();
  return *all;
}

struct In {
  Tensor tensor;
  bool constant = false;
};
struct Pointwise {
  std::string op;
  Attributes attributes;
  std::vector<int32_t> operands;  // as ir::EpilogueOp; from 0 on: index into Case::epilogue_inputs
};
struct Case {
  std::string op;
  Attributes attributes;
  std::vector<std::optional<In>> inputs;
  std::vector<Pointwise> epilogue;
  std::vector<In> epilogue_inputs;
  size_t outputs = 1;
  double tolerance = 2e-6;  // of the largest magnitude of the result
};

struct Built {
  ir::Graph graph;
  ir::NodeId node = 0;
  std::vector<ir::ValueId> ids;
};

inline Built build(const Case& c) {
  Built b;
  ir::Node node;
  node.op = c.op;
  node.name = "n";
  node.attributes = c.attributes;
  std::vector<In> all;
  const auto add = [&](const In& in) {
    const std::string name = "i" + std::to_string(node.inputs.size());
    Shape shape(in.tensor.dims().begin(), in.tensor.dims().end());
    const ir::ValueId id = in.constant
                               ? b.graph.add_constant(name, in.tensor)
                               : b.graph.add_input(name, Type::tensor(in.tensor.dtype(), shape));
    node.inputs.push_back(id);
  };
  for (const auto& in : c.inputs) {
    if (in) {
      add(*in);
    } else {
      node.inputs.push_back(ir::kNoValue);
    }
  }
  const auto first = static_cast<int32_t>(node.inputs.size());
  for (const In& in : c.epilogue_inputs) add(in);
  node.epilogue_inputs = static_cast<uint32_t>(c.epilogue_inputs.size());
  for (const Pointwise& link : c.epilogue) {
    ir::EpilogueOp op;
    op.op = link.op;
    op.attributes = link.attributes;
    for (const int32_t o : link.operands) op.operands.push_back(o >= 0 ? first + o : o);
    node.epilogue.push_back(op);
  }
  b.node = b.graph.add_node(std::move(node), c.outputs);
  for (const ir::ValueId v : b.graph.node(b.node).outputs) b.graph.add_output(v);
  ops::infer(b.graph);
  b.ids = b.graph.node(b.node).inputs;
  return b;
}

inline bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0);
}

inline void expect_like(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.dims(), want.dims());
  if (want.dtype() != DType::kFloat32) {
    ASSERT_TRUE(same(got, want));
    return;
  }
  const auto g = got.data<float>(), w = want.data<float>();
  double largest = 1;
  for (const float v : w) {
    if (std::isfinite(v)) largest = std::max(largest, static_cast<double>(std::fabs(v)));
  }
  for (size_t i = 0; i < g.size(); ++i) {
    if (std::isnan(w[i]) || std::isinf(w[i])) {
      ASSERT_TRUE(std::isnan(w[i]) ? std::isnan(g[i]) : g[i] == w[i])
          << "element " << i << ": " << g[i] << " for " << w[i];
    } else {
      ASSERT_NEAR(g[i], w[i], tolerance * largest) << "element " << i << " of " << g.size();
    }
  }
}

struct Lowered {
  std::unique_ptr<FakeLower> lower;
  std::map<uint32_t, Tensor> inputs;
  std::vector<uint32_t> outputs;
};

// Lowers the case; the graph must live as long.
inline Lowered lower_case(const Built& b, const Case& c, int threads) {
  const std::unique_ptr<Backend> backend = make_backend();
  const ir::Node& node = b.graph.node(b.node);
  const Support support = backend->supports(b.graph, node);
  EXPECT_TRUE(support.supported) << c.op << ": " << support.reason;
  Lowered out;
  if (!support.supported) return out;
  for (const ir::EpilogueOp& op : node.epilogue)
    EXPECT_TRUE(backend->supports_epilogue(b.graph, node, op)) << op.op;
  out.lower = std::make_unique<FakeLower>(b.graph, threads);
  EXPECT_FALSE(backend->lower(node, *out.lower).empty());
  size_t at = 0;
  const auto bind = [&](const In& in) {
    const ir::ValueId id = b.ids[at++];
    if (!in.constant) out.inputs[out.lower->slot(id)] = in.tensor;
  };
  for (const auto& in : c.inputs) {
    if (in) {
      bind(*in);
    } else {
      ++at;
    }
  }
  for (const In& in : c.epilogue_inputs) bind(in);
  for (const ir::ValueId v : node.outputs) out.outputs.push_back(out.lower->slot(v));
  return out;
}

inline std::vector<Tensor> run_lowered(Lowered& l, int workers, Status* status = nullptr) {
  FakeFrame frame(*l.lower, l.inputs);
  for (const plan::Step& step : l.lower->program().steps) {
    const runtime::StepKernel* kernel = registry().find(step.kernel);
    if (kernel == nullptr) fail(ErrorCode::kInternal, "no kernel {}", step.kernel);
    kernel->check(l.lower->plan(), l.lower->program(), step);
    const std::unique_ptr<runtime::Step> made =
        kernel->make(l.lower->plan(), l.lower->program(), step);
    FakeStep context(frame, step, workers);
    made->prepare(context);
    for (int w = 0; w < workers; ++w) {
      const Status s = made->run(context, w, workers);
      if (status != nullptr && s != Status::kOk) *status = s;
      if (status == nullptr) {
        EXPECT_EQ(s, Status::kOk);
      }
    }
  }
  std::vector<Tensor> out;
  for (const uint32_t id : l.outputs) out.push_back(frame.tensor(id));
  return out;
}

inline void check_case(const Case& c) {
  std::string shapes = c.op;
  for (const auto& in : c.inputs) shapes += in ? " " + dims_to_string(in->tensor.dims()) : " -";
  for (const Pointwise& link : c.epilogue) shapes += " |> " + link.op;
  SCOPED_TRACE(shapes);
  Built b = build(c);
  Lowered l = lower_case(b, c, 2);
  if (!l.lower) return;
  std::vector<Value> values;
  std::vector<const Value*> pointers;
  for (const auto& in : c.inputs) values.emplace_back(in ? Value(in->tensor) : Value());
  for (const In& in : c.epilogue_inputs) values.emplace_back(in.tensor);
  for (size_t i = 0; i < values.size(); ++i) {
    pointers.push_back(i < c.inputs.size() && !c.inputs[i] ? nullptr : &values[i]);
  }
  const std::vector<Value> want = ops::evaluate_node(b.graph.node(b.node), pointers);
  std::vector<Tensor> first;
  for (int workers = 1; workers <= 3; ++workers) {
    const std::vector<Tensor> got = run_lowered(l, workers);
    for (size_t i = 0; i < got.size(); ++i) {
      if (workers == 1) {
        expect_like(got[i], want[i].tensor(), c.tolerance);
      } else {
        ASSERT_TRUE(same(first[i], got[i])) << workers << " workers give other bits than one";
      }
    }
    if (workers == 1) first = got;
  }
}

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t integer(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine_);
  }
  bool coin() { return integer(0, 1) == 1; }
  Tensor floats(Dims dims, float lo = -1, float hi = 1) {
    Tensor t(DType::kFloat32, std::move(dims));
    for (float& v : t.mutable_data<float>())
      v = std::uniform_real_distribution<float>(lo, hi)(engine_);
    return t;
  }
  Tensor longs(Dims dims, int64_t lo, int64_t hi) {
    Tensor t(DType::kInt64, std::move(dims));
    for (int64_t& v : t.mutable_data<int64_t>()) v = integer(lo, hi);
    return t;
  }
  Tensor bools(Dims dims) {
    Tensor t(DType::kBool, std::move(dims));
    for (bool& v : t.mutable_data<bool>()) v = coin();
    return t;
  }
  Dims dims(int64_t rank, int64_t most) {
    Dims d;
    for (int64_t i = 0; i < rank; ++i) d.push_back(integer(1, most));
    return d;
  }

 private:
  std::mt19937_64 engine_;
};

inline In live(Tensor t) { return {std::move(t), false}; }
inline In fixed(Tensor t) { return {std::move(t), true}; }
inline In ints(Ints v) { return fixed(Tensor::of<int64_t>({static_cast<int64_t>(v.size())}, v)); }

template <class Body>
void for_seeds(int count, Body body) {
  const char* only = std::getenv("PLANISH_SEED");
  const uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
  const uint64_t last = only != nullptr ? first : static_cast<uint64_t>(count);
  for (uint64_t seed = first; seed <= last && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("replay with PLANISH_SEED=" + std::to_string(seed));
    Random random(seed);
    body(random);
  }
}

// Some of: residual, activation, clip, a broadcast operand that no kernel epilogue takes.
inline void add_epilogue(Case& c, Random& random, const Dims& out) {
  const int64_t n = random.integer(0, 3);
  for (int64_t i = 0; i < n; ++i) {
    switch (random.integer(0, 5)) {
      case 0:
        c.epilogue.push_back({"Relu", {}, {-1}});
        break;
      case 1:
        c.epilogue.push_back({"Sigmoid", {}, {-1}});
        break;
      case 2:
        c.epilogue.push_back({"Add", {}, {-1, static_cast<int32_t>(c.epilogue_inputs.size())}});
        c.epilogue_inputs.push_back(live(random.floats(out)));
        break;
      case 3: {
        c.epilogue.push_back({"Sub", {}, {static_cast<int32_t>(c.epilogue_inputs.size()), -1}});
        Dims some = out;
        for (int64_t& d : some) d = random.coin() ? d : 1;
        c.epilogue_inputs.push_back(live(random.floats(some)));
        break;
      }
      case 4: {
        const auto at = static_cast<int32_t>(c.epilogue_inputs.size());
        c.epilogue.push_back({"Clip", {}, {-1, at, -2}});
        c.epilogue_inputs.push_back(fixed(Tensor::scalar(-0.25f)));
        break;
      }
      default: {
        Attributes alpha;
        alpha.set("alpha", 0.3f);
        c.epilogue.push_back({"LeakyRelu", alpha, {-1}});
      }
    }
  }
}

}  // namespace planish::backends::cpu
