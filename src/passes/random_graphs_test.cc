// The surroundings of random graphs: see random_graphs_test.h.
#include "passes/random_graphs_test.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/elements.h"
#include "ops/op.h"

namespace planish::passes {
namespace {

std::vector<Source>& registry() {
  static std::vector<Source> list;
  return list;
}

bool is_float(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 ||
         dtype == DType::kBfloat16;
}

// Seeds that give no graph are followed by others; a generator that fails this often is wrong.
constexpr int kMaxTries = 200;

}  // namespace

const std::vector<Source>& sources() { return registry(); }

bool register_graphs(Source source) {
  registry().push_back(std::move(source));
  return true;
}

Sample copy(const Sample& sample) { return {sample.graph->clone(), sample.runs, sample.data}; }

Attributes with(std::string name, Attribute value) {
  Attributes a;
  a.set(std::move(name), std::move(value));
  return a;
}

// --- chance

int64_t Draw::below(int64_t n) {
  return static_cast<int64_t>(shared_.random() % static_cast<uint64_t>(n));
}

const char* Draw::pick(std::initializer_list<const char*> from) {
  return from.begin()[below(static_cast<int64_t>(from.size()))];
}

V Draw::pick(const std::vector<V>& from) {
  return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
}

int64_t Draw::dim() {
  const int64_t roll = below(32);
  return roll == 0 ? 0 : roll == 1 ? 4 : 1 + roll % 3;
}

Dims Draw::dims(int64_t least_rank, int64_t most_rank) {
  Dims dims(static_cast<size_t>(least_rank + below(most_rank - least_rank + 1)));
  for (int64_t& d : dims) d = dim();
  return dims;
}

double Draw::special() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array kSpecial = {0.0, -0.0, kInfinity, -kInfinity, kNan};
  constexpr std::array kWild = {1e-40, -1e-40, 6e-8, 3e38, -3e38, 65504.0, 1e-310, 16777217.0};
  return data() == Data::kWild && one_in(2) ? pick(kWild) : pick(kSpecial);
}

Tensor Draw::tensor(DType dtype, const Dims& dims) {
  const auto count = static_cast<size_t>(element_count(dims));
  if (is_float(dtype)) {
    std::vector<double> values(count);
    for (double& v : values) {
      v = static_cast<double>(below(33) - 16) / 8;
      if (v == 0 && one_in(2)) v = -0.0;
      if (data() != Data::kMild && one_in(6)) v = special();
    }
    return from_doubles(dtype, dims, values);
  }
  std::vector<int64_t> values(count);
  for (int64_t& v : values) {
    v = dtype == DType::kBool ? below(2) : below(8) - 3;
    if (data() == Data::kWild && one_in(6)) v = one_in(2) ? INT64_MIN : INT64_MAX - below(2);
    if (data() == Data::kWild && one_in(6)) v = one_in(2) ? INT32_MIN : INT32_MAX - below(2);
    if (dtype == DType::kBool) v &= 1;
  }
  return from_ints(dtype, dims, values);
}

// --- values

std::string Draw::name(char kind) { return fmt::format("{}{}", kind, ++shared_.names); }

V Draw::learn(V id, Tensor tensor) {
  values_.insert_or_assign(id, std::move(tensor));
  known_.push_back(id);
  return id;
}

// Some dims become symbols. One symbol stands for one size, but two symbols may have the same.
Shape Draw::opened(const Dims& dims) {
  Shape shape;
  for (const int64_t d : dims) {
    switch (shared_.open_dims ? below(8) : 8) {
      case 0:
      case 1:
        shape.push_back(SizeExpr::symbol(fmt::format("n{}", d)));
        break;
      case 2:
        shape.push_back(SizeExpr::symbol(fmt::format("m{}", d)));
        break;
      default:
        shape.emplace_back(d);
    }
  }
  return shape;
}

V Draw::capture(V outer) {
  size_t index = 0;
  while (index < captures_->values.size() && captures_->values[index] != outer) ++index;
  if (index == captures_->values.size()) {
    captures_->values.push_back(outer);
    const std::string formal = name('c');
    for (Draw* block : captures_->blocks) {
      const Tensor& tensor = captures_->outer.at(outer);
      const V id = block->graph_.add_input(formal, Type::tensor(tensor.dtype()));
      block->formals_.push_back(block->learn(id, tensor));
    }
  }
  return formals_[index];
}

V Draw::open(Tensor tensor) {
  if (captures_ != nullptr) return capture(captures_->outer.open(std::move(tensor)));
  Type type = Type::tensor(tensor.dtype(), opened(tensor.dims()));
  if (shared_.open_dims && one_in(16)) type.shape.reset();
  const V id = graph_.add_input(name('x'), std::move(type));
  shared_.inputs.push_back(tensor);
  return learn(id, std::move(tensor));
}

V Draw::constant(Tensor tensor) {
  if (one_in(3)) {
    for (const V id : constants_) {
      if (at(id).dtype() == tensor.dtype() && at(id).dims() == tensor.dims() &&
          std::ranges::equal(std::span(at(id).raw(), static_cast<size_t>(tensor.bytes())),
                             std::span(tensor.raw(), static_cast<size_t>(tensor.bytes())))) {
        return id;
      }
    }
  }
  const V id = graph_.add_constant(name('k'), tensor);
  learn(id, std::move(tensor));
  constants_.push_back(id);
  return one_in(16) ? emit("Identity", {id}) : id;
}

V Draw::ints(const std::vector<int64_t>& numbers) {
  return constant(Tensor::of<int64_t>({static_cast<int64_t>(numbers.size())}, std::span(numbers)));
}

V Draw::hidden_ints(const std::vector<int64_t>& numbers) {
  if (!one_in(8)) return ints(numbers);
  return open(Tensor::of<int64_t>({static_cast<int64_t>(numbers.size())}, std::span(numbers)));
}

V Draw::value(DType dtype, const Dims& dims) {
  if (one_in(2)) {
    std::vector<V> fitting;
    for (const V id : known_) {
      if (dtype_of(id) == dtype && dims_of(id) == dims) fitting.push_back(id);
    }
    if (!fitting.empty()) return pick(fitting);
  }
  if (one_in(16)) return constant(dtype, dims);
  if (captures_ != nullptr && one_in(2)) return capture(captures_->outer.value(dtype, dims));
  const V id = open(dtype, dims);
  return one_in(4) ? surround(id) : id;
}

// --- nodes

std::vector<V> Draw::add(ir::Node node, size_t outputs, bool readable) {
  node.name = name('n');
  std::vector<Value> inputs;
  std::vector<const Value*> pointers;
  inputs.reserve(node.inputs.size());
  for (const V in : node.inputs) {
    pointers.push_back(in == ir::kNoValue ? nullptr : &inputs.emplace_back(at(in).view()));
  }
  // Evaluated with as many outputs as it has.
  node.outputs.assign(outputs, 0);
  std::vector<Value> results = ops::evaluate_node(node, pointers);
  node.outputs.clear();
  const ir::NodeId id = graph_.add_node(std::move(node), outputs);
  const std::vector<V> made = graph_.node(id).outputs;
  for (size_t i = 0; i < made.size(); ++i) {
    Tensor& tensor = results.at(i).tensor();
    if (readable) {
      made_.push_back(learn(made[i], std::move(tensor)));
    } else {
      values_.insert_or_assign(made[i], std::move(tensor));
      ends_.push_back(made[i]);
    }
  }
  return made;
}

std::vector<V> Draw::emit_many(std::string_view op,
                               std::vector<V> inputs,
                               size_t outputs,
                               Attributes attributes) {
  ir::Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return add(std::move(node), outputs);
}

V Draw::emit(std::string_view op, std::vector<V> inputs, Attributes attributes) {
  return emit_many(op, std::move(inputs), 1, std::move(attributes))[0];
}

V Draw::surround(V x) {
  const DType dtype = dtype_of(x);
  const Dims dims = dims_of(x);
  const auto rank = static_cast<int64_t>(dims.size());
  switch (below(9)) {
    case 0:
      return emit("Identity", {x});
    case 1:
      return emit("Identity", {emit("Identity", {x})});
    case 2: {
      // Somebody else computes the same.
      const ir::NodeId maker = graph_.value(x).producer;
      if (maker == ir::kNoNode || !graph_.node(maker).blocks.empty()) break;
      const ir::Node& node = graph_.node(maker);
      return emit_many(node.op, std::vector(node.inputs), node.outputs.size(), node.attributes)[0];
    }
    case 3:
      return emit("Transpose", {x});
    case 4:
      if (dtype != DType::kBool) return emit("Add", {x, value(dtype, dims)});
      break;
    case 5:
      if (rank > 0) return emit("Concat", {x, x}, with("axis", below(2 * rank) - rank));
      break;
    case 6:
      return emit("Reshape", {x, ints({-1})});
    default:
      break;
  }
  if (dtype == DType::kBool) return emit("Not", {x});
  return emit(is_float(dtype) ? pick({"Neg", "Relu", "Abs", "Neg"}) : "Neg", {x});
}

std::vector<V> Draw::choose_outputs() {
  std::vector<V> outputs;
  if (!made_.empty() && !one_in(6)) outputs.push_back(made_.back());
  for (const V id : made_) {
    if (one_in(6)) outputs.push_back(id);
  }
  for (const V id : ends_) {
    if (one_in(2)) outputs.push_back(id);
  }
  if (outputs.empty()) outputs.push_back(made_.empty() ? pick(known_) : pick(made_));
  if (one_in(12)) outputs.push_back(pick(known_));
  return outputs;
}

std::vector<V> Draw::branch(V condition, Body body) {
  auto taken = std::make_unique<ir::Graph>(name('b'));
  auto other = std::make_unique<ir::Graph>(name('b'));
  Captures captures{*this, {}, {}};
  Draw drawn(shared_, *taken, &captures);
  Draw left(shared_, *other, &captures);
  captures.blocks = {&drawn, &left};
  body(drawn);
  const std::vector<V> outputs = drawn.choose_outputs();
  for (const V id : outputs) {
    taken->add_output(id);
    // The branch that run 0 does not take gives something else of the same type.
    const V twin = left.value(drawn.dtype_of(id), drawn.dims_of(id));
    other->add_output(one_in(2) ? left.surround(left.emit("Identity", {twin})) : twin);
  }
  ir::Node node;
  node.op = "If";
  node.inputs = {condition};
  node.inputs.insert(node.inputs.end(), captures.values.begin(), captures.values.end());
  node.captures = static_cast<uint32_t>(captures.values.size());
  const bool then = load_int(at(condition), 0) != 0;
  node.blocks.push_back(std::move(then ? taken : other));
  node.blocks.push_back(std::move(then ? other : taken));
  return add(std::move(node), outputs.size());
}

std::vector<V> Draw::loop(Body body) {
  auto block = std::make_unique<ir::Graph>(name('b'));
  Captures captures{*this, {}, {}};
  Draw inner(shared_, *block, &captures);
  captures.blocks = {&inner};
  const Tensor trips = Tensor::scalar<int64_t>(below(4));
  const V condition = one_in(2)   ? ir::kNoValue
                      : one_in(2) ? constant(Tensor::scalar<bool>(true))
                                  : open(Tensor::scalar<bool>(true));
  const V carried = one_in(2) ? ir::kNoValue : value(DType::kFloat32, dims(0, 2));
  ir::Node node;
  node.op = "Loop";
  node.inputs = {one_in(2) ? constant(trips) : open(trips), condition};

  inner.learn(block->add_input(name('c'), Type::tensor(DType::kInt64, Shape{})),
              Tensor::scalar<int64_t>(0));
  const V go = inner.learn(block->add_input(name('c'), Type::tensor(DType::kBool, Shape{})),
                           Tensor::scalar<bool>(true));
  V state = ir::kNoValue;
  if (carried != ir::kNoValue) {
    node.inputs.push_back(carried);
    state = inner.learn(block->add_input(name('c'), Type::tensor(DType::kFloat32)), at(carried));
  }
  body(inner);
  const std::vector<V> stacked = inner.choose_outputs();
  block->add_output(one_in(3)   ? go
                    : one_in(2) ? inner.emit("Identity", {go})
                                : inner.constant(Tensor::scalar<bool>(!one_in(4))));
  if (state != ir::kNoValue) {
    block->add_output(one_in(3) ? state : inner.value(DType::kFloat32, inner.dims_of(state)));
  }
  for (const V id : stacked) block->add_output(id);
  const size_t outputs = block->outputs().size() - 1;
  node.inputs.insert(node.inputs.end(), captures.values.begin(), captures.values.end());
  node.captures = static_cast<uint32_t>(captures.values.size());
  node.blocks.push_back(std::move(block));
  // What a loop without iterations stacks has a type only once the body's types are inferred.
  return add(std::move(node), outputs, load_int(trips, 0) > 0);
}

// --- whole graphs

namespace {

Draw::Body random_body(Draw& draw) {
  return sources()[static_cast<size_t>(draw.below(static_cast<int64_t>(sources().size())))].draw;
}

void place(Draw& draw, Draw::Body body) {
  switch (draw.below(10)) {
    case 0: {
      const Tensor condition = Tensor::scalar<bool>(draw.one_in(2));
      draw.branch(draw.one_in(4) ? draw.constant(condition) : draw.open(condition), body);
      break;
    }
    case 1:
      draw.loop(body);
      break;
    default:
      body(draw);
  }
}

std::unique_ptr<ir::Graph> draw_graph(const Source& source, Draw::Shared& shared) {
  auto graph = std::make_unique<ir::Graph>("main");
  Draw draw(shared, *graph);
  if (draw.one_in(4)) place(draw, random_body(draw));
  place(draw, source.draw);
  while (!draw.made().empty() && draw.one_in(2)) draw.surround(draw.pick(draw.made()));
  if (draw.one_in(6)) place(draw, random_body(draw));
  for (const V id : draw.choose_outputs()) graph->add_output(id);
  return graph;
}

// Inputs of another run: other data, and for half of them other sizes of the open dims.
std::vector<Value> other_inputs(const ir::Graph& graph, Draw::Shared& shared) {
  ir::Graph scratch;
  Draw draw(shared, scratch);
  SizeExpr::Bindings sizes;
  const bool same_sizes = draw.one_in(2);
  const Data data = shared.data;
  std::vector<Value> inputs;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Type& type = graph.value(graph.inputs()[i]).type;
    Dims dims = shared.inputs[i].dims();
    if (type.shape) {
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        // Symbols are called after the first run's size: n3, m3.
        for (const std::string& symbol : (*type.shape)[axis].symbols()) {
          if (!sizes.contains(symbol))
            sizes[symbol] = same_sizes ? std::stoll(symbol.substr(1)) : draw.below(5);
        }
        dims[axis] = (*type.shape)[axis].evaluate(sizes);
      }
    }
    // Integers are sizes, axes and numbers of iterations often: small ones only.
    shared.data = type.dtype == DType::kInt64 ? Data::kMild : data;
    const bool keep =
        type.dtype == DType::kInt64 && dims == shared.inputs[i].dims() && !draw.one_in(3);
    inputs.emplace_back(keep ? shared.inputs[i] : draw.tensor(type.dtype, dims));
  }
  return inputs;
}

}  // namespace

Sample make_sample(const Source& source, uint64_t seed, uint64_t* rejected) {
  std::string why;
  for (int attempt = 0; attempt < kMaxTries; ++attempt) {
    Draw::Shared shared;
    shared.random.seed(seed * kMaxTries + static_cast<uint64_t>(attempt));
    constexpr std::array kData = {Data::kMild, Data::kMild, Data::kSpecial, Data::kWild};
    shared.data = kData[shared.random() % kData.size()];
    Sample sample;
    sample.data = shared.data;
    shared.open_dims = shared.random() % 3 != 0;
    try {
      sample.graph = draw_graph(source, shared);
      ops::infer(*sample.graph->clone());
    } catch (const Error& error) {
      if (rejected != nullptr) ++*rejected;
      why = error.what();
      continue;
    }
    std::vector<Value>& first = sample.runs.emplace_back();
    for (const Tensor& tensor : shared.inputs) first.emplace_back(tensor);
    sample.runs.push_back(other_inputs(*sample.graph, shared));
    return sample;
  }
  fail(ErrorCode::kInternal, "seed {} of {} gives no graph: {}", seed, source.pass, why);
}

}  // namespace planish::passes
