#include "cli/model.h"

#include <fmt/format.h>

#include "base/error.h"

namespace planish::cli {
namespace {

void check(planish_status status) {
  if (status != PLANISH_OK) throw Error(static_cast<ErrorCode>(status), planish_last_error());
}

struct Destroy {
  void operator()(planish_value* v) const { planish_value_destroy(v); }
};
using OwnedValue = std::unique_ptr<planish_value, Destroy>;

OwnedValue to_c(const Value& value) {
  planish_value* made = nullptr;
  if (value.is_tensor() && value.tensor().dtype() == DType::kString) {
    const Tensor& t = value.tensor();
    std::vector<const char*> texts;
    std::vector<size_t> lengths;
    for (const std::string& s : t.strings()) {
      texts.push_back(s.data());
      lengths.push_back(s.size());
    }
    check(planish_value_strings(t.rank(), t.dims().data(), texts.data(), lengths.data(), &made));
  } else if (value.is_tensor()) {
    const Tensor& t = value.tensor();
    // The interface takes data that it will not write; the struct serves outputs too.
    const planish_tensor view{static_cast<int32_t>(t.dtype()), t.rank(), t.dims().data(),
                              const_cast<std::byte*>(t.raw()), static_cast<size_t>(t.bytes())};
    check(planish_value_tensor(&view, &made));
  } else if (value.is_sequence()) {
    std::vector<OwnedValue> items;
    std::vector<const planish_value*> pointers;
    for (const Value& v : value.sequence()) {
      items.push_back(to_c(v));
      pointers.push_back(items.back().get());
    }
    check(planish_value_sequence(pointers.data(), pointers.size(), &made));
  } else if (value.is_map()) {
    fail(ErrorCode::kUnsupported, "maps cannot be given as inputs");
  } else {
    check(planish_value_empty(&made));
  }
  return OwnedValue(made);
}

Value from_c(const planish_value* value) {
  switch (planish_value_kind(value)) {
    case PLANISH_EMPTY:
      return {};
    case PLANISH_SEQUENCE: {
      Sequence items;
      for (size_t i = 0; i < planish_value_count(value); ++i) {
        const planish_value* item = nullptr;
        check(planish_value_item(value, i, &item));
        items.push_back(from_c(item));
      }
      return items;
    }
    case PLANISH_MAP: {
      const planish_value* keys = nullptr;
      const planish_value* values = nullptr;
      check(planish_value_map(value, &keys, &values));
      return MapValue{from_c(keys).tensor(), from_c(values).tensor()};
    }
    case PLANISH_TENSOR:
      break;
  }
  planish_tensor t;
  check(planish_value_get_tensor(value, &t));
  Dims dims(t.dims, t.dims + t.rank);
  if (t.dtype != PLANISH_STRING)
    return Tensor::borrow(static_cast<DType>(t.dtype), std::move(dims), t.data);
  std::vector<std::string> strings;
  for (int64_t i = 0; i < element_count(dims); ++i) {
    const char* text = nullptr;
    size_t length = 0;
    check(planish_value_string(value, static_cast<size_t>(i), &text, &length));
    strings.emplace_back(text, length);
  }
  return Tensor::from_strings(std::move(dims), std::move(strings));
}

}  // namespace

Model::Model(const std::string& path, const ModelOptions& options) {
  planish_options c;
  planish_options_init(&c);
  c.threads = options.threads;
  c.optimise = options.optimise ? 1 : 0;
  c.max_memory = options.max_memory;
  c.provider = options.provider.c_str();
  c.strict = options.strict ? 1 : 0;
  check(planish_open(path.c_str(), &c, &plan_));
  if (planish_context_create(plan_, &context_) != PLANISH_OK) {
    planish_close(plan_);
    throw Error(ErrorCode::kInvalidPlan, planish_last_error());
  }
  for (size_t i = 0; i < planish_input_count(plan_); ++i) {
    inputs_.push_back({planish_input_name(plan_, i), planish_input_type(plan_, i),
                       planish_input_bound(plan_, i), ""});
  }
  for (size_t i = 0; i < planish_output_count(plan_); ++i) {
    outputs_.push_back({planish_output_name(plan_, i), planish_output_type(plan_, i), 0, ""});
  }
}

Model::~Model() {
  planish_context_destroy(context_);
  planish_close(plan_);
}

int Model::threads() const { return planish_threads(plan_); }

std::vector<std::string> Model::notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; planish_note(plan_, i) != nullptr; ++i)
    notes.emplace_back(planish_note(plan_, i));
  return notes;
}

std::vector<std::string> Model::run_notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; planish_run_note(context_, i) != nullptr; ++i)
    notes.emplace_back(planish_run_note(context_, i));
  return notes;
}

std::vector<Value> Model::run(const std::vector<Value>& inputs) {
  std::vector<OwnedValue> held;
  for (size_t i = 0; i < inputs.size(); ++i) {
    held.push_back(to_c(inputs[i]));
    check(planish_set_value(context_, i, held.back().get()));
  }
  check(planish_run(context_));
  std::vector<Value> outputs;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const planish_value* value = nullptr;
    check(planish_output(context_, i, &value));
    outputs.push_back(from_c(value));
  }
  return outputs;
}

size_t input_index(const Model& model, const std::string& name) {
  std::string known;
  for (size_t i = 0; i < model.inputs().size(); ++i) {
    if (model.inputs()[i].name == name) return i;
    known += (known.empty() ? "" : ", ") + model.inputs()[i].name;
  }
  fail(ErrorCode::kUsage, "the model has no input '{}'; its inputs are: {}", name,
       known.empty() ? "none" : known);
}

}  // namespace planish::cli
