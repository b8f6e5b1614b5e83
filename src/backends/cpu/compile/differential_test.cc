// Every lowering against the reference: a graph of one node is lowered, its steps are checked and
// run with 1, 2 and 3 workers (same bits), and the result is compared with ops::evaluate_node.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>

#include "backends/cpu/compile/cpu_backend.h"
#include "backends/cpu/compile/fake_context_test.h"
#include "backends/cpu/run/steps.h"
#include "ops/op.h"

namespace planish::backends::cpu {
namespace {

const runtime::Registry& registry() {
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
struct Link {
  std::string op;
  Attributes attributes;
  std::vector<int32_t> operands;  // as ir::EpilogueOp; from 0 on: index into Case::epilogue_inputs
};
struct Case {
  std::string op;
  Attributes attributes;
  std::vector<std::optional<In>> inputs;
  std::vector<Link> epilogue;
  std::vector<In> epilogue_inputs;
  size_t outputs = 1;
  double tolerance = 2e-6;  // of the largest magnitude of the result
};

struct Built {
  ir::Graph graph;
  ir::NodeId node = 0;
  std::vector<ir::ValueId> ids;
};

Built build(const Case& c) {
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
  for (const Link& link : c.epilogue) {
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

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dims() == b.dims() &&
         (a.bytes() == 0 || std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0);
}

void expect_like(const Tensor& got, const Tensor& want, double tolerance) {
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
Lowered lower_case(const Built& b, const Case& c, int threads) {
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

std::vector<Tensor> run_lowered(Lowered& l, int workers, Status* status = nullptr) {
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

void check_case(const Case& c) {
  std::string shapes = c.op;
  for (const auto& in : c.inputs) shapes += in ? " " + dims_to_string(in->tensor.dims()) : " -";
  for (const Link& link : c.epilogue) shapes += " |> " + link.op;
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

In live(Tensor t) { return {std::move(t), false}; }
In fixed(Tensor t) { return {std::move(t), true}; }
In ints(Ints v) { return fixed(Tensor::of<int64_t>({static_cast<int64_t>(v.size())}, v)); }

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
void add_epilogue(Case& c, Random& random, const Dims& out) {
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

TEST(CpuLowering, Conv) {
  for_seeds(120, [](Random& random) {
    Case c;
    c.op = "Conv";
    c.tolerance = 1e-5;
    const int64_t spatial = random.integer(1, 2), group = random.integer(1, 3);
    const int64_t ic = random.coin() ? 1 : random.integer(1, 5), oc = group * random.integer(1, 4),
                  n = random.integer(1, 2);
    Dims x = {n, ic * group}, w = {oc, ic};
    Ints strides, dilations, pads(static_cast<size_t>(2 * spatial));
    for (int64_t i = 0; i < spatial; ++i) {
      w.push_back(random.integer(1, 4));
      dilations.push_back(random.integer(1, 2));
      strides.push_back(random.integer(1, 3));
      x.push_back(random.integer((w.back() - 1) * dilations.back() + 1, 24));
    }
    const int64_t mode = random.integer(0, 3);
    c.attributes.set("group", group);
    if (mode > 0) {
      c.attributes.set("strides", strides);
      c.attributes.set("dilations", dilations);
    }
    if (mode == 2) {
      c.attributes.set("auto_pad", std::string(random.coin() ? "SAME_UPPER" : "SAME_LOWER"));
    } else if (mode == 3) {
      c.attributes.set("auto_pad", std::string("VALID"));
    } else {
      for (int64_t& p : pads) p = random.integer(0, 2);
      c.attributes.set("pads", pads);
    }
    c.inputs = {live(random.floats(x)), fixed(random.floats(w))};
    if (random.coin()) c.inputs.push_back(fixed(random.floats({oc})));
    Built probe = build(c);
    add_epilogue(c, random,
                 constant_dims(*probe.graph.value(probe.graph.outputs()[0]).type.shape).value());
    check_case(c);
  });
}

TEST(CpuLowering, MatMul) {
  for_seeds(120, [](Random& random) {
    Case c;
    c.op = "MatMul";
    c.tolerance = 1e-5;
    const int64_t m = random.integer(1, 20), n = random.integer(1, 40), k = random.integer(0, 30);
    Dims batch = random.dims(random.integer(0, 2), 3), a = batch, b = batch;
    for (int64_t& d : a) d = random.coin() ? d : 1;
    for (int64_t& d : b) d = random.coin() ? d : 1;
    if (random.coin())
      b.erase(b.begin(), b.begin() + random.integer(0, static_cast<int64_t>(b.size())));
    const bool a_vector = random.integer(0, 5) == 0, b_vector = random.integer(0, 5) == 0;
    if (a_vector) {
      a = {k};
    } else {
      a.push_back(m), a.push_back(k);
    }
    if (b_vector) {
      b = {k};
    } else {
      b.push_back(k), b.push_back(n);
    }
    c.inputs = {live(random.floats(a)),
                random.coin() ? live(random.floats(b)) : fixed(random.floats(b))};
    Built probe = build(c);
    add_epilogue(c, random,
                 constant_dims(*probe.graph.value(probe.graph.outputs()[0]).type.shape).value());
    check_case(c);
  });
}

TEST(CpuLowering, Gemm) {
  for_seeds(120, [](Random& random) {
    Case c;
    c.op = "Gemm";
    c.tolerance = 1e-5;
    const int64_t m = random.integer(1, 20), n = random.integer(1, 40), k = random.integer(1, 30);
    const bool ta = random.coin(), tb = random.coin();
    c.attributes.set("transA", int64_t{ta});
    c.attributes.set("transB", int64_t{tb});
    if (random.coin()) c.attributes.set("alpha", 0.5f);
    if (random.coin()) c.attributes.set("beta", random.coin() ? 0.25f : 0.0f);
    const Tensor b = random.floats(tb ? Dims{n, k} : Dims{k, n});
    c.inputs = {live(random.floats(ta ? Dims{k, m} : Dims{m, k})),
                random.coin() ? live(b) : fixed(b)};
    const Dims shapes[] = {{n}, {1, n}, {m, 1}, {m, n}, {1}, {}};
    const int64_t pick = random.integer(0, 6);
    if (pick < 6)
      c.inputs.push_back(random.coin() ? live(random.floats(shapes[pick]))
                                       : fixed(random.floats(shapes[pick])));
    add_epilogue(c, random, {m, n});
    check_case(c);
  });
}

TEST(CpuLowering, Pools) {
  for_seeds(120, [](Random& random) {
    Case c;
    c.op = random.coin() ? "MaxPool" : "AveragePool";
    const int64_t spatial = random.integer(1, 2);
    Dims x = random.dims(2, 3);
    Ints kernel, strides, dilations, pads(static_cast<size_t>(2 * spatial));
    for (int64_t i = 0; i < spatial; ++i) {
      kernel.push_back(random.integer(1, 4));
      strides.push_back(random.integer(1, 3));
      dilations.push_back(random.integer(1, 2));
      x.push_back(random.integer(1, 20) + (kernel.back() - 1) * dilations.back());
      pads[static_cast<size_t>(i)] = random.integer(0, kernel.back() - 1);
      pads[static_cast<size_t>(spatial + i)] = random.integer(0, kernel.back() - 1);
    }
    c.attributes.set("kernel_shape", kernel);
    if (random.coin()) c.attributes.set("strides", strides);
    if (random.coin()) c.attributes.set("dilations", dilations);
    if (random.coin()) {
      c.attributes.set("pads", pads);
      c.attributes.set("ceil_mode", random.integer(0, 1));
    } else if (random.coin()) {
      c.attributes.set("auto_pad", std::string(random.coin() ? "SAME_UPPER" : "SAME_LOWER"));
    }
    if (c.op == "AveragePool") c.attributes.set("count_include_pad", random.integer(0, 1));
    c.inputs = {live(random.floats(x))};
    check_case(c);
  });
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"}) {
    Random random(1);
    Case c;
    c.op = op;
    c.inputs = {live(random.floats({2, 3, 5, 7}))};
    check_case(c);
  }
}

TEST(CpuLowering, SoftmaxAndNormalisations) {
  for_seeds(60, [](Random& random) {
    Case c;
    c.op = random.coin() ? "Softmax" : "LogSoftmax";
    const int64_t rank = random.integer(1, 4);
    c.attributes.set("axis", random.integer(-rank, rank - 1));
    c.inputs = {live(random.floats(random.dims(rank, 9), -8, 8))};
    check_case(c);

    Case bn;
    bn.op = "BatchNormalization";
    Dims x = random.dims(random.integer(2, 4), 6);
    const int64_t channels = x[1];
    bn.inputs = {live(random.floats(x)), live(random.floats({channels})),
                 live(random.floats({channels})), live(random.floats({channels})),
                 fixed(random.floats({channels}, 0.1f, 2))};
    bn.tolerance = 5e-6;
    check_case(bn);

    Case ln;
    ln.op = "LayerNormalization";
    Dims y = random.dims(random.integer(1, 4), 9);
    y.back() += 2;
    const int64_t axis = random.integer(0, static_cast<int64_t>(y.size()) - 1);
    const Dims tail(y.begin() + axis, y.end());
    ln.attributes.set("axis", axis);
    ln.inputs = {live(random.floats(y)), fixed(random.floats(tail))};
    if (random.coin()) ln.inputs.push_back(live(random.floats(tail)));
    ln.tolerance = 2e-5;
    check_case(ln);
  });
}

TEST(CpuLowering, Reductions) {
  for_seeds(120, [](Random& random) {
    const char* const names[] = {"ReduceSum", "ReduceMean", "ReduceMax",      "ReduceMin",
                                 "ReduceL1",  "ReduceL2",   "ReduceSumSquare"};
    Case c;
    c.op = names[random.integer(0, 6)];
    const int64_t rank = random.integer(1, 4), first = random.integer(0, rank - 1),
                  last = random.integer(first, rank - 1);
    Ints axes;
    for (int64_t i = last; i >= first; --i) axes.push_back(random.coin() ? i : i - rank);
    c.attributes.set("keepdims", random.integer(0, 1));
    c.inputs = {live(random.floats(random.dims(rank, 9)))};
    if (random.integer(0, 4) > 0) c.inputs.push_back(ints(axes));
    c.tolerance = 4e-6;
    check_case(c);
  });
}

TEST(CpuLowering, UnaryOperators) {
  Random random(1);
  for (const char* op : {"Relu",    "LeakyRelu",   "ThresholdedRelu",
                         "Sigmoid", "HardSigmoid", "HardSwish",
                         "Tanh",    "Exp",         "Erf",
                         "Gelu",    "Elu",         "Selu",
                         "Celu",    "Softsign",    "Softplus",
                         "Mish",    "Sqrt",        "Reciprocal",
                         "Neg",     "Abs",         "Floor",
                         "Ceil",    "Round",       "Sign",
                         "Log",     "Sin",         "Cos"}) {
    Case c;
    c.op = op;
    const bool positive = c.op == "Sqrt" || c.op == "Log" || c.op == "Reciprocal";
    c.inputs = {live(random.floats({3, 5, 7}, positive ? 0.1f : -4, 4))};
    check_case(c);
  }
  Case gelu;
  gelu.op = "Gelu";
  gelu.attributes.set("approximate", std::string("tanh"));
  gelu.inputs = {live(random.floats({65}, -4, 4))};
  check_case(gelu);
  for (int mask = 0; mask < 4; ++mask) {
    Case clip;
    clip.op = "Clip";
    clip.inputs = {live(random.floats({65}, -4, 4))};
    clip.inputs.push_back(mask & 1 ? std::optional(fixed(Tensor::scalar(-1.0f))) : std::nullopt);
    if (mask & 2) clip.inputs.push_back(fixed(Tensor::scalar(2.5f)));
    if (mask == 0) clip.inputs.resize(1);
    check_case(clip);
  }
}

TEST(CpuLowering, BinaryOperators) {
  for_seeds(150, [](Random& random) {
    const char* const names[] = {"Add",
                                 "Sub",
                                 "Mul",
                                 "Div",
                                 "Min",
                                 "Max",
                                 "Pow",
                                 "PRelu",
                                 "Equal",
                                 "Less",
                                 "LessOrEqual",
                                 "Greater",
                                 "GreaterOrEqual",
                                 "And",
                                 "Or",
                                 "Xor"};
    Case c;
    c.op = names[random.integer(0, 15)];
    const Dims out = random.dims(random.integer(0, 4), 6);
    Dims a = out, b = out;
    for (size_t i = 0; i < out.size(); ++i) {
      if (random.integer(0, 3) == 0) b[i] = 1;
      if (b[i] != 1 && c.op != "PRelu" && random.integer(0, 3) == 0) a[i] = 1;
    }
    const bool logic = c.op == "And" || c.op == "Or" || c.op == "Xor";
    const bool floats_only = c.op == "Div" || c.op == "Pow" || c.op == "PRelu";
    if (logic) {
      c.inputs = {live(random.bools(a)), live(random.bools(b))};
    } else if (!floats_only && random.coin()) {
      c.inputs = {live(random.longs(a, -3, 3)), live(random.longs(b, -3, 3))};
    } else {
      const bool pow = c.op == "Pow";
      c.inputs = {live(random.floats(a, pow ? 0.1f : -2, 2)),
                  live(random.floats(b, c.op == "Div" ? 0.5f : -2, 2))};
      if (c.op == "Add" || c.op == "Mul") {
        Built probe = build(c);
        add_epilogue(
            c, random,
            constant_dims(*probe.graph.value(probe.graph.outputs()[0]).type.shape).value());
      }
    }
    check_case(c);
  });
  Random random(2);
  Case c;
  c.op = "Not";
  c.inputs = {live(random.bools({3, 4}))};
  check_case(c);
  c.op = "Where";
  c.inputs = {live(random.bools({3, 1})), live(random.longs({4}, -9, 9)),
              live(random.longs({2, 1, 1}, -9, 9))};
  check_case(c);
  const Tensor values = random.floats({40}, 0, 100);
  for (const DType to :
       {DType::kInt32, DType::kInt64, DType::kUint8, DType::kBool, DType::kFloat32}) {
    Case cast;
    cast.op = "Cast";
    cast.attributes.set("to", static_cast<int64_t>(to));
    cast.inputs = {live(values)};
    check_case(cast);
    cast.inputs = {live(random.longs({40}, 0, 100))};
    check_case(cast);
  }
}

TEST(CpuLowering, Movement) {
  for_seeds(100, [](Random& random) {
    const int64_t rank = random.integer(1, 4);
    const Dims x = random.dims(rank, 7);
    const auto data = [&]() {
      return random.coin() ? live(random.floats(x)) : live(random.longs(x, -99, 99));
    };
    Case c;
    c.op = "Transpose";
    Ints order;
    for (int64_t i = 0; i < rank; ++i) order.insert(order.begin() + random.integer(0, i), i);
    if (random.integer(0, 3) > 0) c.attributes.set("perm", order);
    c.inputs = {data()};
    check_case(c);

    c = {};
    c.op = "Slice";
    Ints starts, ends, axes, steps;
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (random.coin()) continue;
      axes.push_back(random.coin() ? axis : axis - rank);
      starts.push_back(random.integer(-9, 9));
      ends.push_back(random.coin()   ? random.integer(-9, 9)
                     : random.coin() ? INT64_MAX
                                     : -INT64_MAX);
      const int64_t step = random.integer(-3, 3);
      steps.push_back(step == 0 ? 1 : step);
    }
    if (!axes.empty()) {
      c.inputs = {data(), ints(starts), ints(ends), ints(axes), ints(steps)};
      check_case(c);
    }

    c = {};
    c.op = "Expand";
    Dims small = x;
    for (int64_t& d : small) d = random.coin() ? d : 1;
    Ints target = x;
    target.insert(target.begin(), 2);
    c.inputs = {live(random.floats(small)), ints(target)};
    check_case(c);

    c = {};
    c.op = "Concat";
    const int64_t axis = random.integer(0, rank - 1);
    c.attributes.set("axis", random.coin() ? axis : axis - rank);
    for (int64_t i = random.integer(1, 4); i > 0; --i) {
      Dims part = x;
      part[static_cast<size_t>(axis)] = random.integer(0, 4);
      c.inputs.push_back(live(random.floats(part)));
    }
    check_case(c);

    c = {};
    c.op = "Split";
    c.attributes.set("axis", axis);
    const int64_t whole = x[static_cast<size_t>(axis)], cut = random.integer(0, whole);
    c.inputs = {data(), ints({cut, whole - cut})};
    c.outputs = 2;
    check_case(c);

    c = {};
    c.op = "Gather";
    c.attributes.set("axis", random.coin() ? axis : axis - rank);
    c.inputs = {data(),
                live(random.longs(random.dims(random.integer(0, 2), 4), -whole, whole - 1))};
    check_case(c);

    c = {};
    c.op = "Pad";
    Ints pads;
    for (int64_t i = 0; i < 2 * rank; ++i) {
      pads.push_back(random.integer(x[static_cast<size_t>(i % rank)] > 2 ? -1 : 0, 3));
    }
    c.inputs = {live(random.floats(x)), ints(pads)};
    if (random.coin()) c.inputs.push_back(fixed(Tensor::scalar(7.5f)));
    check_case(c);
  });
}

TEST(CpuLowering, Resize) {
  for_seeds(80, [](Random& random) {
    const char* const coordinates[] = {"half_pixel", "asymmetric", "align_corners",
                                       "pytorch_half_pixel"};
    const char* const roundings[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    Case c;
    c.op = "Resize";
    c.attributes.set("mode", std::string(random.coin() ? "nearest" : "linear"));
    c.attributes.set("coordinate_transformation_mode",
                     std::string(coordinates[random.integer(0, 3)]));
    c.attributes.set("nearest_mode", std::string(roundings[random.integer(0, 3)]));
    const Dims x = {random.integer(1, 2), random.integer(1, 3), random.integer(1, 9),
                    random.integer(1, 9)};
    c.inputs = {live(random.floats(x)), std::nullopt};
    if (random.coin()) {
      const float scales[] = {1, 1, 0.25f * static_cast<float>(random.integer(4, 12)),
                              0.25f * static_cast<float>(random.integer(4, 12))};
      c.inputs.push_back(fixed(Tensor::of<float>({4}, std::span<const float>(scales))));
    } else {
      c.inputs.push_back(std::nullopt);
      c.inputs.push_back(ints({x[0], x[1], random.integer(1, 15), random.integer(1, 15)}));
    }
    check_case(c);
  });
}

TEST(CpuLowering, ViewsBecomeAliases) {
  Random random(1);
  Case c;
  c.op = "Reshape";
  c.inputs = {live(random.floats({2, 6})), ints({3, -1})};
  Built b = build(c);
  const Lowered l = lower_case(b, c, 1);
  ASSERT_TRUE(l.lower);
  EXPECT_EQ(l.lower->aliases().size(), 1u);
  EXPECT_TRUE(l.lower->program().steps.empty());
}

TEST(CpuLowering, AnIndexOutOfRangeIsAStatus) {
  Random random(1);
  Case c;
  c.op = "Gather";
  c.inputs = {live(random.floats({3, 2})), live(Tensor::of<int64_t>({2}, {0, 3}))};
  Built b = build(c);
  Lowered l = lower_case(b, c, 1);
  ASSERT_TRUE(l.lower);
  Status status = Status::kOk;
  run_lowered(l, 1, &status);
  EXPECT_EQ(status, Status::kIndexOutOfRange);
}

TEST(CpuLowering, RefusalsNameTheReason) {
  const std::unique_ptr<Backend> backend = make_backend();
  const auto reason = [&](const Case& c) {
    const Built b = build(c);
    const Support s = backend->supports(b.graph, b.graph.node(b.node));
    EXPECT_FALSE(s.supported);
    return s.reason;
  };
  Random random(1);
  EXPECT_EQ(reason({"Hardmax", {}, {live(random.floats({2, 2}))}, {}, {}}),
            "operator Hardmax has no cpu kernel");
  EXPECT_EQ(reason({"Relu", {}, {live(Tensor(DType::kFloat16, {2}))}, {}, {}}),
            "dtype float16 has no cpu kernel");
  EXPECT_EQ(reason({"Conv",
                    {},
                    {live(random.floats({1, 2, 3, 3})), live(random.floats({1, 2, 1, 1}))},
                    {},
                    {}}),
            "the weights are not constant, so they cannot be packed");
  EXPECT_EQ(reason({"ReduceSum", {}, {live(random.floats({2, 3, 4})), ints({0, 2})}, {}, {}}),
            "the reduced axes are not neighbours");
}

// Every argument of a step, in turn removed, given another kind, and set to hostile numbers: check
// (or prepare) must refuse or the step must run without touching what is not its own (asan
// watches).
void fuzz_args(const Case& c, uint64_t seed) {
  Built b = build(c);
  Lowered l = lower_case(b, c, 1);
  ASSERT_TRUE(l.lower);
  std::vector<plan::Step>& steps = l.lower->program().steps;
  ASSERT_EQ(steps.size(), 1u);
  const plan::Step good = steps[0];
  std::mt19937_64 engine(seed);
  const int64_t numbers[] = {
      -1, 0, 1, 2, 3, 7, 1 << 20, int64_t{1} << 31, int64_t{1} << 40, INT64_MAX, INT64_MIN};
  const auto number = [&] { return numbers[engine() % std::size(numbers)]; };
  int refused = 0;
  for (int round = 0; round < 400; ++round) {
    plan::Step bad = good;
    std::vector<std::string> names;
    for (const auto& [name, value] : good.args) names.push_back(name);
    const uint64_t what = engine() % 8;
    if (what == 0 && !bad.inputs.empty()) {
      bad.inputs[engine() % bad.inputs.size()] =
          engine() % 2 == 0 ? plan::kNone : static_cast<uint32_t>(engine() % 9);
    } else if (what == 1) {
      bad.outputs[0] = static_cast<uint32_t>(engine() % (l.lower->program().slots.size() + 1));
      // An output over a constant or an input is the plan verifier's to refuse.
      if (bad.outputs[0] < l.lower->program().slots.size() && bad.outputs[0] != good.outputs[0])
        continue;
    } else if (what == 2) {
      bad.inputs.resize(engine() % 6, 0);
    } else if (!names.empty()) {
      const std::string& name = names[engine() % names.size()];
      const Attribute& old = *good.args.find(name);
      if (what == 3) {
        bad.args.erase(name);
      } else if (what == 4) {
        bad.args.set(name, std::string("frobnicate"));
      } else if (std::holds_alternative<int64_t>(old)) {
        bad.args.set(name, number());
      } else if (const Ints* list = std::get_if<Ints>(&old)) {
        Ints values = *list;
        if (!values.empty() && engine() % 2 == 0) {
          values[engine() % values.size()] = number();
        } else {
          values.resize(engine() % 5, number());
        }
        bad.args.set(name, values);
      }
    }
    steps[0] = bad;
    try {
      Status status = Status::kOk;
      run_lowered(l, 1, &status);
    } catch (const Error& e) {
      EXPECT_TRUE(e.code() == ErrorCode::kInvalidPlan || e.code() == ErrorCode::kInvalidModel ||
                  e.code() == ErrorCode::kOutOfMemory || e.code() == ErrorCode::kUnsupported)
          << e.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 20) << c.op;
}

TEST(CpuSteps, HostileArgumentsAreRefused) {
  Random random(1);
  Case conv;
  conv.op = "Conv";
  conv.attributes.set("pads", Ints{1, 1, 1, 1});
  conv.inputs = {live(random.floats({1, 4, 6, 6})), fixed(random.floats({8, 4, 3, 3})),
                 fixed(random.floats({8}))};
  fuzz_args(conv, 1);
  Case depthwise = conv;
  depthwise.attributes.set("group", int64_t{4});
  depthwise.inputs[1] = fixed(random.floats({8, 1, 3, 3}));
  fuzz_args(depthwise, 2);
  fuzz_args({"MatMul", {}, {live(random.floats({2, 4, 6})), fixed(random.floats({6, 9}))}, {}, {}},
            3);
  fuzz_args(
      {"MatMul", {}, {live(random.floats({2, 4, 6})), live(random.floats({2, 6, 9}))}, {}, {}}, 4);
  Case pool;
  pool.op = "MaxPool";
  pool.attributes.set("kernel_shape", Ints{3, 3});
  pool.inputs = {live(random.floats({1, 4, 6, 6}))};
  fuzz_args(pool, 5);
  fuzz_args({"Softmax", {}, {live(random.floats({2, 4, 6}))}, {}, {}}, 6);
  fuzz_args({"ReduceSum", {}, {live(random.floats({2, 4, 6})), ints({1})}, {}, {}}, 7);
  fuzz_args({"Transpose", {}, {live(random.floats({2, 4, 6}))}, {}, {}}, 8);
  fuzz_args({"Slice",
             {},
             {live(random.floats({5, 6})), ints({1, 4}), ints({4, 0}), ints({0, 1}), ints({1, -2})},
             {},
             {}},
            9);
  Case concat;
  concat.op = "Concat";
  concat.attributes.set("axis", int64_t{1});
  concat.inputs = {live(random.floats({2, 3})), live(random.floats({2, 4}))};
  fuzz_args(concat, 10);
  fuzz_args(
      {"Gather", {}, {live(random.floats({3, 2})), live(Tensor::of<int64_t>({2}, {0, 2}))}, {}, {}},
      11);
  fuzz_args({"Pad", {}, {live(random.floats({3, 2})), ints({1, 0, 0, 2})}, {}, {}}, 12);
  fuzz_args({"Add", {}, {live(random.floats({3, 2})), live(random.floats({2}))}, {}, {}}, 13);
  fuzz_args({"Resize",
             {},
             {live(random.floats({1, 1, 3, 2})), std::nullopt, std::nullopt, ints({1, 1, 5, 4})},
             {},
             {}},
            14);
}

}  // namespace
}  // namespace planish::backends::cpu
