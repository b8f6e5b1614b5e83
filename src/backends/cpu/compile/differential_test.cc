// Every lowering against the reference: a graph of one node is lowered, its steps are checked and
// run with 1, 2 and 3 workers (same bits), and the result is compared with ops::evaluate_node.
#include "backends/cpu/compile/differential_test.h"

namespace planish::backends::cpu {
namespace {

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

TEST(CpuLowering, ConvTranspose) {
  for_seeds(100, [](Random& random) {
    Case c;
    c.op = "ConvTranspose";
    c.tolerance = 1e-5;
    const int64_t spatial = random.integer(1, 2), group = random.integer(1, 2);
    const int64_t ic = group * random.integer(1, 5), oc = random.integer(1, 7);
    Dims x = {random.integer(1, 2), ic}, w = {ic, oc};
    Ints strides, dilations, padding, pads(static_cast<size_t>(2 * spatial));
    for (int64_t i = 0; i < spatial; ++i) {
      x.push_back(random.integer(2, 20));
      w.push_back(random.integer(1, 4));
      dilations.push_back(random.integer(1, 2));
      strides.push_back(random.integer(1, 3));
      padding.push_back(random.integer(0, strides.back() - 1));
      pads[static_cast<size_t>(i)] = random.integer(0, w.back() - 1);
      pads[static_cast<size_t>(spatial + i)] = random.integer(0, w.back() - 1);
    }
    c.attributes.set("group", group);
    c.attributes.set("strides", strides);
    c.attributes.set("dilations", dilations);
    if (random.coin()) c.attributes.set("output_padding", padding);
    c.attributes.set("pads", pads);
    c.inputs = {live(random.floats(x)), fixed(random.floats(w))};
    if (random.coin()) c.inputs.push_back(fixed(random.floats({oc * group})));
    Built probe = build(c);
    const ir::ValueDef& y = probe.graph.value(probe.graph.outputs()[0]);
    add_epilogue(c, random, constant_dims(*y.type.shape).value());
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

    Case in;
    in.op = "InstanceNormalization";
    Dims z = random.dims(random.integer(3, 4), 6);
    z.back() += 3;  // one element alone has no variance
    in.inputs = {live(random.floats(z)), fixed(random.floats({z[1]})), live(random.floats({z[1]}))};
    in.tolerance = 2e-5;
    check_case(in);

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

TEST(CpuLowering, ShapeAndSize) {
  for_seeds(20, [](Random& random) {
    Case c;
    c.op = "Shape";
    if (random.coin()) c.attributes.set("start", random.integer(-5, 5));
    if (random.coin()) c.attributes.set("end", random.integer(-5, 5));
    c.inputs = {live(random.floats(random.dims(random.integer(0, 4), 4)))};
    check_case(c);
    c.op = "Size";
    c.attributes = {};
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

}  // namespace
}  // namespace planish::backends::cpu
