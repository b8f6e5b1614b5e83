#include "backends/cpu/run/check.h"

#include <new>

#include "base/tensor.h"

namespace planish::backends::cpu {

void Checker::refuse(const std::string& why) const {
  fail(ErrorCode::kInvalidPlan, "step '{}' ({}): {}", step_.name, step_.kernel, why);
}

void Checker::arity(size_t least_inputs,
                    size_t most_inputs,
                    size_t least_outputs,
                    size_t most_outputs) const {
  if (step_.inputs.size() < least_inputs || step_.inputs.size() > most_inputs) {
    refuse(fmt::format("{} inputs, want {} to {}", step_.inputs.size(), least_inputs, most_inputs));
  }
  if (step_.outputs.size() < least_outputs || step_.outputs.size() > most_outputs) {
    refuse(fmt::format("{} outputs, want {} to {}", step_.outputs.size(), least_outputs,
                       most_outputs));
  }
}

const plan::Slot& Checker::slot(uint32_t id, std::string_view what, size_t i, DType dtype) const {
  if (id == plan::kNone) refuse(fmt::format("{} {} is missing", what, i));
  if (id >= program_.slots.size())
    refuse(fmt::format("{} {} is slot {} of {}", what, i, id, program_.slots.size()));
  const plan::Slot& s = program_.slots[id];
  if (s.kind != plan::SlotKind::kTensor || !s.ranked)
    refuse(fmt::format("{} {} is no tensor of known rank", what, i));
  if (!s.layout.row_major()) refuse(fmt::format("{} {} is not in row-major order", what, i));
  if (dtype != DType::kUndefined && s.dtype != dtype) {
    refuse(fmt::format("{} {} is {}, want {}", what, i, to_string(s.dtype), to_string(dtype)));
  }
  if (s.dtype == DType::kString || s.dtype == DType::kUndefined)
    refuse(fmt::format("{} {} has no plain elements", what, i));
  return s;
}

const plan::Slot& Checker::input(size_t i, DType dtype) const {
  return slot(i < step_.inputs.size() ? step_.inputs[i] : plan::kNone, "input", i, dtype);
}

const plan::Slot& Checker::output(size_t i, DType dtype) const {
  return slot(i < step_.outputs.size() ? step_.outputs[i] : plan::kNone, "output", i, dtype);
}

size_t Checker::rank(const plan::Slot& s, size_t least, size_t most) const {
  if (s.dims.size() < least || s.dims.size() > most) {
    refuse(fmt::format("'{}' has rank {}, want {} to {}", s.name, s.dims.size(), least, most));
  }
  return s.dims.size();
}

void Checker::constant_bytes(const plan::Slot& s, int64_t bytes) const {
  if (s.storage != plan::Storage::kConstant) refuse(fmt::format("'{}' is not a constant", s.name));
  if (bytes < 0 || s.bytes < static_cast<uint64_t>(bytes)) {
    refuse(fmt::format("pack '{}' has {} bytes, needs {}", s.name, s.bytes, bytes));
  }
}

int64_t Checker::integer(std::string_view name, int64_t least, int64_t most) const {
  const int64_t value = step_.args.get_int(name);
  if (value < least || value > most)
    refuse(fmt::format("argument '{}' is {}, outside [{}, {}]", name, value, least, most));
  return value;
}

int64_t Checker::integer_or(std::string_view name,
                            int64_t fallback,
                            int64_t least,
                            int64_t most) const {
  return step_.args.has(name) ? integer(name, least, most) : fallback;
}

const Ints& Checker::integers(std::string_view name,
                              size_t count,
                              int64_t least,
                              int64_t most) const {
  const Ints& values = step_.args.get_ints(name);
  if (values.size() != count)
    refuse(fmt::format("argument '{}' has {} numbers, want {}", name, values.size(), count));
  for (const int64_t v : values) {
    if (v < least || v > most)
      refuse(fmt::format("argument '{}' holds {}, outside [{}, {}]", name, v, least, most));
  }
  return values;
}

float Checker::real(std::string_view name) const { return step_.args.get_float(name); }

void check_guarded(void (*check)(const Checker&),
                   const plan::Plan& plan,
                   const plan::Program& program,
                   const plan::Step& step) {
  try {
    check(Checker(plan, program, step));
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kInvalidPlan || e.code() == ErrorCode::kUnsupported) throw;
    fail(ErrorCode::kInvalidPlan, "step '{}' ({}): {}", step.name, step.kernel, e.message());
  }
}

void refuse_dims(const runtime::StepContext& context, std::string_view why) {
  const plan::Step& step = context.step();
  std::string dims;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (context.has_input(i))
      dims += fmt::format(" in{} {}", i, dims_to_string(context.input(i).dims));
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (context.has_output(i))
      dims += fmt::format(" out{} {}", i, dims_to_string(context.output(i).dims));
  }
  fail(ErrorCode::kInvalidPlan, "step '{}' ({}): {} (dims:{})", step.name, step.kernel, why, dims);
}

void require_dims(const runtime::StepContext& context, bool holds, std::string_view why) {
  if (!holds) refuse_dims(context, why);
}

int64_t count(std::span<const int64_t> dims) { return element_count(dims); }

void Scratch::Free::operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }

float* Scratch::floats(const runtime::StepContext& context, int64_t count) {
  const int64_t bytes = byte_count(DType::kFloat32, count);
  if (!context.step().workspaces.empty()) {
    const runtime::SlotView given = context.workspace(0);
    if (given.data != nullptr && given.bytes >= bytes) return given.as<float>();
  }
  if (own_bytes_ < bytes || own_ == nullptr) {
    own_.reset();
    const auto wanted = static_cast<size_t>(bytes > 0 ? bytes : 64);
    auto* memory =
        static_cast<std::byte*>(::operator new[](wanted, std::align_val_t{64}, std::nothrow));
    if (memory == nullptr) {
      fail(ErrorCode::kOutOfMemory, "step '{}': no memory for a workspace of {} bytes",
           context.step().name, bytes);
    }
    own_.reset(memory);
    own_bytes_ = bytes;
  }
  return reinterpret_cast<float*>(own_.get());
}

}  // namespace planish::backends::cpu
