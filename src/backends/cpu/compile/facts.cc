#include "backends/cpu/compile/facts.h"

namespace planish::backends::cpu {

const Tensor* Facts::constant(size_t i) const {
  if (!has_input(i) || !input(i).constant) return nullptr;
  return &*input(i).constant;
}

std::optional<Ints> Facts::integers(size_t i) const {
  if (!has_input(i)) return std::nullopt;
  Ints out;
  if (const Tensor* t = constant(i)) {
    const Tensor whole = t->aligned();
    if (t->dtype() == DType::kInt64) {
      for (const int64_t v : whole.data<int64_t>()) out.push_back(v);
    } else if (t->dtype() == DType::kInt32) {
      for (const int32_t v : whole.data<int32_t>()) out.push_back(v);
    } else {
      return std::nullopt;
    }
    return out;
  }
  const auto& symbolic = input(i).symbolic;
  if (!symbolic) return std::nullopt;
  for (const SizeExpr& e : symbolic->elements) {
    const std::optional<int64_t> v = e.constant();
    if (!v) return std::nullopt;
    out.push_back(*v);
  }
  return out;
}

std::optional<float> Facts::scalar(size_t i) const {
  const Tensor* t = constant(i);
  if (t == nullptr || t->dtype() != DType::kFloat32 || t->size() != 1) return std::nullopt;
  return t->aligned().data<float>()[0];
}

size_t Facts::outputs() const {
  size_t n = node_.outputs.size();
  while (n > 0 && node_.outputs[n - 1] == ir::kNoValue) --n;
  return n;
}

std::optional<int64_t> Facts::axis(std::string_view name, int64_t fallback, int64_t rank) const {
  int64_t axis = attributes().get_int(name, fallback);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  return axis;
}

Support no_dtype(DType type) {
  return Support::no(fmt::format("dtype {} has no cpu kernel", to_string(type)));
}

Support all_float32(const Facts& facts) {
  for (size_t i = 0; i < facts.inputs(); ++i) {
    if (facts.has_input(i) && facts.dtype(i) != DType::kFloat32) return no_dtype(facts.dtype(i));
  }
  for (size_t i = 0; i < facts.outputs(); ++i) {
    if (facts.has_output(i) && facts.output(i).type.dtype != DType::kFloat32)
      return no_dtype(facts.output(i).type.dtype);
  }
  return Support::yes();
}

plan::Step make_step(const Facts& facts,
                     LowerContext& context,
                     std::string_view kernel,
                     size_t inputs) {
  plan::Step step;
  step.kernel = kernel;
  for (size_t i = 0; i < inputs; ++i) {
    step.inputs.push_back(facts.has_input(i) ? context.slot(facts.node().inputs[i]) : plan::kNone);
  }
  while (!step.inputs.empty() && step.inputs.back() == plan::kNone) step.inputs.pop_back();
  for (size_t i = 0; i < facts.outputs(); ++i) {
    step.outputs.push_back(facts.has_output(i) ? context.slot(facts.node().outputs[i])
                                               : plan::kNone);
  }
  return step;
}

}  // namespace planish::backends::cpu
