#include "compiler/program_builder.h"

#include <algorithm>

#include "backends/reference/compile/reference_backend.h"
#include "base/error.h"

namespace planish::compiler {

using plan::kNone;
using plan::Storage;

namespace {

constexpr uint64_t kWeightAlignment = 64;  // plan/format.h: a constant starts a cache line

bool plain(const Type& type) { return type.is_tensor() && type.dtype != DType::kString; }

plan::SlotKind kind_of(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kSequence:
      return plan::SlotKind::kSequence;
    case Type::Kind::kOptional:
      return plan::SlotKind::kOptional;
    case Type::Kind::kMap:
      return plan::SlotKind::kMap;
    default:
      return plan::SlotKind::kTensor;
  }
}

}  // namespace

uint64_t Weights::add(Tensor data) {
  const uint64_t offset =
      (plan_.weights_bytes + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
  plan_.weights_bytes = offset + static_cast<uint64_t>(data.bytes());
  // A plan that runs without having been a file: initializers of an .onnx lie at any address.
  plan_.weights.push_back({offset, data.owns() ? std::move(data) : data.aligned()});
  return offset;
}

ProgramBuilder::ProgramBuilder(const ir::Graph& graph,
                               std::span<const backends::Backend* const> providers,
                               Weights& weights,
                               int threads)
    : graph_(graph), providers_(providers), weights_(weights), threads_(threads) {
  for (const ir::ValueId v : graph.inputs()) {
    const ir::ValueDef& def = graph.value(v);
    plan::Slot s = describe(def.name, def.type);
    s.onnx_name = def.onnx_name;
    s.storage = Storage::kInput;
    s.device = first_host();
    const uint32_t id = add_slot(std::move(s));
    home_[v] = id;
    program_.inputs.push_back(id);
  }
  // Plain symbols first: an input `2*S` is no definition of S when another input gives S itself.
  for (const bool symbols : {true, false}) {
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      const Type& type = graph.value(graph.inputs()[i]).type;
      if (!type.has_shape()) continue;
      for (size_t d = 0; d < type.shape->size(); ++d) {
        const SizeExpr& e = (*type.shape)[d];
        if (!e.is_constant() && e.is_symbol() == symbols)
          sizes_.define(e, program_.inputs[i], static_cast<uint32_t>(d), kNone);
      }
    }
  }
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Type& type = graph.value(graph.inputs()[i]).type;
    if (type.has_shape()) set_dims(program_.slots[program_.inputs[i]], *type.shape);
  }
}

uint32_t ProgramBuilder::first_host() const {
  uint32_t provider = 0;
  while (!host(provider)) ++provider;
  return provider;
}

uint32_t ProgramBuilder::add_slot(plan::Slot slot) {
  program_.slots.push_back(std::move(slot));
  return static_cast<uint32_t>(program_.slots.size() - 1);
}

plan::Slot ProgramBuilder::describe(const std::string& name, const Type& type) const {
  plan::Slot s;
  s.name = name;
  s.kind = kind_of(type);
  s.dtype = type.is_tensor() ? type.dtype : DType::kUndefined;
  s.ranked = type.has_shape();
  s.storage = Storage::kDynamic;
  return s;
}

// Dims that are known; a slot with one that is not stays without a rank until its step has run.
void ProgramBuilder::set_dims(plan::Slot& slot, const Shape& shape) {
  slot.dims.clear();
  slot.ranked = sizes_.when(shape).has_value();
  if (!slot.ranked) return;
  for (const SizeExpr& e : shape) {
    const plan::Dim d = sizes_.dim(e);
    slot.dims.push_back(d);
  }
}

bool ProgramBuilder::sized(ir::ValueId value) const {
  const Type& type = graph_.value(value).type;
  return type.has_shape() && plain(type) && sizes_.when(*type.shape).has_value();
}

bool ProgramBuilder::known_at_bind(ir::ValueId value) const {
  const Type& type = graph_.value(value).type;
  return type.has_shape() && plain(type) &&
         sizes_.when(*type.shape) == std::optional<uint32_t>(kNone);
}

bool ProgramBuilder::dynamic(ir::ValueId value) const {
  const auto it = home_.find(value);
  if (it == home_.end()) return false;
  uint32_t s = it->second;
  while (program_.slots[s].storage == Storage::kAlias) s = program_.slots[s].alias_of;
  return program_.slots[s].storage == Storage::kDynamic;
}

uint32_t ProgramBuilder::place_constant(const ir::ValueDef& value, uint32_t device) {
  const Tensor& t = *value.constant;
  plan::Slot s = describe(value.name, Type::tensor(t.dtype()));
  s.onnx_name = value.onnx_name;
  s.ranked = true;
  for (const int64_t d : t.dims()) s.dims.push_back({d, kNone});
  s.storage = Storage::kConstant;
  s.device = device;
  s.bytes = static_cast<uint64_t>(t.bytes());
  s.offset = weights_.add(t.view());
  s.recipe = (value.producer == ir::kNoNode ? "initializer " : "fold ") +
             (value.onnx_name.empty() ? value.name : value.onnx_name);
  return add_slot(std::move(s));
}

// Strings do not lie in the weights section; a step makes them.
void ProgramBuilder::string_constant(const ir::ValueDef& value, uint32_t id) {
  Attributes attributes;
  attributes.set("value", *value.constant);
  plan::Step step = backends::reference::operator_step("", "Constant", attributes);
  step.provider = static_cast<uint32_t>(providers_.size() - 1);
  step.name = value.name;
  step.outputs = {id};
  program_.steps.push_back(std::move(step));
}

uint32_t ProgramBuilder::home(ir::ValueId value) {
  if (const auto it = home_.find(value); it != home_.end()) return it->second;
  const ir::ValueDef& def = graph_.value(value);
  if (def.is_constant() && def.constant->dtype() != DType::kString) {
    return home_[value] = place_constant(def, provider_);
  }
  plan::Slot s = describe(def.name, def.type);
  s.onnx_name = def.onnx_name;
  if (def.is_constant()) {
    s.dims.clear();
    s.ranked = false;
    s.device = first_host();
    const uint32_t id = add_slot(std::move(s));
    home_[value] = id;
    string_constant(def, id);
    return id;
  }
  s.device = provider_;
  if (def.type.has_shape()) {
    set_dims(s, *def.type.shape);
    if (known_at_bind(value)) s.storage = Storage::kArena;
  }
  return home_[value] = add_slot(std::move(s));
}

uint32_t ProgramBuilder::slot(ir::ValueId value) {
  const uint32_t id = home(value);
  if (same_memory(program_.slots[id].device, provider_)) return id;
  const auto key = std::pair(value, provider_);
  if (const auto it = copies_.find(key); it != copies_.end()) return it->second;
  const ir::ValueDef& def = graph_.value(value);
  if (def.is_constant() && plain(def.type)) return copies_[key] = place_constant(def, provider_);
  return copies_[key] = copied(value, id, provider_);
}

uint32_t ProgramBuilder::copied(ir::ValueId value, uint32_t from, uint32_t to_device) {
  const ir::ValueDef& def = graph_.value(value);
  if (!plain(def.type)) {
    fail(ErrorCode::kUnsupported, "value '{}' of type {} cannot be copied between providers",
         def.name, to_string(def.type));
  }
  const uint32_t from_device = program_.slots[from].device;
  const auto step_for = [&](std::string kernel, uint32_t provider) {
    plan::Step step;
    step.kernel = std::move(kernel);
    step.provider = provider;
    step.name = def.name + "_to_" + std::string(providers_[to_device]->name());
    return step;
  };
  if (!host(from_device)) {
    plan::Step wait = step_for("wait", from_device);
    program_.steps.push_back(std::move(wait));
    if (!host(to_device)) {
      // Through the host: from there on an ordinary copy.
      from = copied(value, from, first_host());
    }
  }
  plan::Slot s = program_.slots[from];
  s.storage = program_.slots[from].storage == Storage::kDynamic || !known_at_bind(value)
                  ? Storage::kDynamic
                  : Storage::kArena;
  s.alias_of = kNone;
  s.recipe.clear();
  s.device = to_device;
  const uint32_t id = add_slot(std::move(s));
  plan::Step step = step_for("copy", host(to_device) ? from_device : to_device);
  step.inputs = {from};
  step.outputs = {id};
  program_.steps.push_back(std::move(step));
  return id;
}

uint32_t ProgramBuilder::constant(std::string name, Tensor data, std::string recipe) {
  plan::Slot s = describe(name, Type::tensor(data.dtype()));
  s.ranked = true;
  for (const int64_t d : data.dims()) s.dims.push_back({d, kNone});
  s.storage = Storage::kConstant;
  s.device = provider_;
  s.bytes = static_cast<uint64_t>(data.bytes());
  s.recipe = std::move(recipe);
  s.offset = weights_.add(std::move(data));
  return add_slot(std::move(s));
}

uint32_t ProgramBuilder::temporary(std::string name, DType dtype, const Shape& shape) {
  plan::Slot s = describe(name, Type::tensor(dtype, shape));
  s.device = provider_;
  set_dims(s, shape);
  if (sizes_.when(shape) == std::optional<uint32_t>(kNone)) s.storage = Storage::kArena;
  return add_slot(std::move(s));
}

uint32_t ProgramBuilder::workspace(const SizeExpr& bytes) {
  plan::Slot s = describe(node_->name + "_workspace", Type::tensor(DType::kUint8, {bytes}));
  s.device = provider_;
  if (sizes_.when(bytes) != std::optional<uint32_t>(kNone)) {
    fail(ErrorCode::kUnsupported, "the workspace of {} bytes is not known at bind",
         bytes.to_string());
  }
  set_dims(s, {bytes});
  s.storage = Storage::kArena;
  return add_slot(std::move(s));
}

void ProgramBuilder::add_step(plan::Step step) {
  step.provider = provider_;
  if (step.name.empty()) step.name = node_->name;
  if (step.provenance.empty()) step.provenance = node_->provenance;
  program_.steps.push_back(std::move(step));
}

void ProgramBuilder::alias(ir::ValueId output, ir::ValueId input) {
  const uint32_t from = slot(input);
  const ir::ValueDef& def = graph_.value(output);
  plan::Slot s = describe(def.name, def.type);
  s.onnx_name = def.onnx_name;
  s.device = program_.slots[from].device;
  s.storage = Storage::kAlias;
  s.alias_of = from;
  set_dims(s, *def.type.shape);
  home_[output] = add_slot(std::move(s));
}

uint32_t ProgramBuilder::late_output(ir::ValueId value) {
  const uint32_t id = home(value);
  program_.slots[id].storage = Storage::kDynamic;
  return id;
}

void ProgramBuilder::begin_node(const ir::Node& node, uint32_t provider) {
  node_ = &node;
  provider_ = provider;
  node_slots_ = program_.slots.size();
  node_steps_ = program_.steps.size();
}

void ProgramBuilder::abandon_node() {
  program_.slots.resize(node_slots_);
  program_.steps.resize(node_steps_);
  std::erase_if(home_, [&](const auto& e) { return e.second >= node_slots_; });
  std::erase_if(copies_, [&](const auto& e) { return e.second >= node_slots_; });
}

void ProgramBuilder::end_node(double flops) {
  if (program_.steps.size() > node_steps_) program_.steps[node_steps_].flops = flops;
  for (size_t i = node_steps_; i < program_.steps.size(); ++i) {
    plan::Step& step = program_.steps[i];
    for (const auto* list : {&step.inputs, &step.outputs}) {
      for (const uint32_t s : *list) {
        if (s == kNone) continue;
        int64_t bits = bit_width(program_.slots[s].dtype);
        double bytes = static_cast<double>(bits) / 8;
        // Open dims count as one here; the runtime knows better.
        for (const auto& d : program_.slots[s].dims)
          bytes *= d.reg == kNone ? static_cast<double>(d.constant) : 1.0;
        step.bytes += bytes;
      }
    }
  }
  const auto last = static_cast<uint32_t>(program_.steps.size()) - 1;
  for (const ir::ValueId v : node_->outputs) {
    if (v == ir::kNoValue || !home_.contains(v)) continue;
    const Type& type = graph_.value(v).type;
    if (!type.has_shape() || sizes_.when(*type.shape)) continue;
    plan::Slot& s = program_.slots[home_[v]];
    // The rank is known, so the reader below may index its dims.
    s.ranked = true;
    s.dims.assign(type.shape->size(), {});
    for (const bool symbols : {true, false}) {
      for (size_t d = 0; d < type.shape->size(); ++d) {
        const SizeExpr& e = (*type.shape)[d];
        if (e.is_symbol() == symbols)
          sizes_.define(e, home_[v], static_cast<uint32_t>(d), maker_step(home_[v], last));
      }
    }
    set_dims(s, *type.shape);
  }
}

uint32_t ProgramBuilder::maker_step(uint32_t slot, uint32_t last) const {
  for (uint32_t i = last;; --i) {
    if (std::ranges::find(program_.steps[i].outputs, slot) != program_.steps[i].outputs.end())
      return i;
    if (i == node_steps_) break;
  }
  fail(ErrorCode::kInternal, "no step makes slot '{}'", program_.slots[slot].name);
}

// First step: the maker. Last: the last reader, through aliases; program outputs live to the end.
void ProgramBuilder::lifetimes() {
  const auto base = [&](uint32_t s) {
    while (program_.slots[s].storage == Storage::kAlias) s = program_.slots[s].alias_of;
    return s;
  };
  const auto count = static_cast<uint32_t>(program_.steps.size());
  for (uint32_t i = 0; i < count; ++i) {
    const plan::Step& step = program_.steps[i];
    for (const auto* list : {&step.outputs, &step.workspaces}) {
      for (const uint32_t s : *list) {
        if (s != kNone) program_.slots[s].first_step = program_.slots[s].last_step = i;
      }
    }
    for (const uint32_t s : step.inputs) {
      if (s != kNone) program_.slots[base(s)].last_step = i;
    }
  }
  for (const uint32_t s : program_.outputs) program_.slots[base(s)].last_step = count;
}

plan::Program ProgramBuilder::finish(std::string name) {
  // Outputs are read by the host.
  provider_ = first_host();
  for (const ir::ValueId v : graph_.outputs()) {
    program_.outputs.push_back(slot(v));
  }
  program_.name = std::move(name);
  lifetimes();
  return std::move(program_);
}

}  // namespace planish::compiler
