#include "passes/recipe.h"

namespace planish::passes {

Recipe::Recipe(const ir::Graph& graph,
               const Context& context,
               std::string name,
               std::vector<std::string> provenance)
    : graph_(graph),
      context_(context),
      name_(std::move(name)),
      provenance_(std::move(provenance)) {}

Recipe::Ref Recipe::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return entries_.size() - 1;
}

Recipe::Ref Recipe::value(ir::ValueId id) {
  Entry entry;
  entry.id = id;
  entry.value = graph_.value(id).constant->aligned();
  return add(std::move(entry));
}

Recipe::Ref Recipe::constant(std::string_view name, Tensor tensor) {
  Entry entry;
  entry.name = fmt::format("{}.{}", name_, name);
  entry.value = std::move(tensor);
  return add(std::move(entry));
}

Recipe::Ref Recipe::apply(std::string_view op, std::vector<Ref> inputs, Attributes attributes) {
  Entry entry;
  entry.op = op;
  entry.name = fmt::format("{}.{}", name_, op);
  entry.attributes = std::move(attributes);
  ir::Node node;
  node.op = op;
  node.name = entry.name;
  node.attributes = entry.attributes;
  node.outputs = {0};
  std::vector<const Value*> values;
  for (const Ref in : inputs) {
    node.inputs.push_back(static_cast<ir::ValueId>(values.size()));
    values.push_back(&entries_[in].value);
  }
  std::vector<Value> results = context_.evaluate(node, values);
  if (results.size() != 1 || !results[0].is_tensor()) {
    fail(ErrorCode::kInternal, "evaluating {} gave no tensor", op);
  }
  entry.value = std::move(results[0]);
  entry.inputs = std::move(inputs);
  return add(std::move(entry));
}

Recipe::Ref Recipe::cast(Ref input, DType dtype) {
  if (result(input).dtype() == dtype) return input;
  Attributes attributes;
  attributes.set("to", static_cast<int64_t>(dtype));
  return apply("Cast", {input}, std::move(attributes));
}

Recipe::Ref Recipe::reshape(Ref input, Dims dims) {
  if (result(input).dims() == dims) return input;
  const auto rank = static_cast<int64_t>(dims.size());
  Attributes attributes;
  attributes.set("allowzero", int64_t{1});
  const Ref shape = constant("dims", Tensor::of<int64_t>({rank}, std::span<const int64_t>(dims)));
  return apply("Reshape", {input, shape}, std::move(attributes));
}

Recipe::Ref Recipe::called(Ref ref, std::string_view suffix) {
  if (!entries_[ref].op.empty()) entries_[ref].name = fmt::format("{}.{}", name_, suffix);
  return ref;
}

ir::ValueId Recipe::commit(ir::Graph& graph, Ref ref, ir::NodeId before) {
  std::vector<uint8_t> wanted(ref + 1, 0);
  wanted[ref] = 1;
  for (Ref at = ref + 1; at-- > 0;) {
    if (!wanted[at] || entries_[at].id != ir::kNoValue) continue;
    for (const Ref in : entries_[at].inputs) wanted[in] = 1;
  }
  for (Ref at = 0; at <= ref; ++at) {
    Entry& entry = entries_[at];
    if (!wanted[at] || entry.id != ir::kNoValue) continue;
    if (entry.op.empty()) {
      entry.id = graph.add_constant(entry.name, entry.value.tensor());
      continue;
    }
    ir::Node node;
    node.op = entry.op;
    node.name = entry.name;
    node.attributes = entry.attributes;
    node.provenance = provenance_;
    for (const Ref in : entry.inputs) node.inputs.push_back(entries_[in].id);
    const ir::NodeId id = graph.add_node(std::move(node), 1, before);
    entry.id = graph.node(id).outputs[0];
    std::vector<Tensor> results;
    results.push_back(entry.value.tensor());
    graph.fold_node(id, std::move(results));
  }
  return entries_[ref].id;
}

}  // namespace planish::passes
