#include <cstring>

#include "base/error.h"
#include "plan/plan_generated.h"
#include "plan/structure.h"

namespace planish::plan {
namespace {

template <class E>
E checked_enum(uint8_t raw, E last, std::string_view what) {
  if (raw > static_cast<uint8_t>(last)) fail(ErrorCode::kInvalidPlan, "unknown {} {}", what, raw);
  return static_cast<E>(raw);
}

std::string text(const flatbuffers::String* s) { return s == nullptr ? std::string() : s->str(); }

// The verifier checks that a vector lies inside the buffer, not that its elements are aligned.
template <class T>
std::vector<T> numbers(const flatbuffers::Vector<T>* v) {
  std::vector<T> out(v == nullptr ? 0 : v->size());
  if (!out.empty()) std::memcpy(out.data(), v->Data(), out.size() * sizeof(T));
  return out;
}

template <class T>
void check_aligned(const flatbuffers::Vector<const T*>* structs) {
  if (structs->size() > 0 && reinterpret_cast<uintptr_t>(structs->Data()) % alignof(T) != 0) {
    fail(ErrorCode::kInvalidPlan, "a vector of the structure is not aligned");
  }
}
template <class T>
void check_aligned(const flatbuffers::Vector<flatbuffers::Offset<T>>*) {}  // offsets are

std::vector<std::string> strings(
    const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* v) {
  std::vector<std::string> out;
  if (v != nullptr) {
    for (const auto* s : *v) out.push_back(text(s));
  }
  return out;
}

// f(table) for each table of an optional vector.
template <class V, class F>
void each(const V* v, F&& f) {
  if (v != nullptr) {
    check_aligned(v);
    for (const auto* item : *v) f(*item);
  }
}

Tensor tensor(const fb::TensorData& t) {
  const DType dtype = checked_enum(t.dtype(), static_cast<DType>(kDTypeCount - 1), "element type");
  Dims dims = numbers(t.dims());
  if (dtype == DType::kString) return Tensor::from_strings(std::move(dims), strings(t.strings()));
  const int64_t want = byte_count(dtype, element_count(dims));
  const size_t have = t.bytes() == nullptr ? 0 : t.bytes()->size();
  if (static_cast<size_t>(want) != have) {
    fail(ErrorCode::kInvalidPlan, "a tensor argument of {} bytes holds {}", want, have);
  }
  Tensor out(dtype, std::move(dims));
  if (have > 0) std::memcpy(out.mutable_raw(), t.bytes()->data(), have);
  return out;
}

Attribute attribute(const fb::Attr& a) {
  Tensors tensors;
  each(a.tensors(), [&](const fb::TensorData& t) { tensors.push_back(tensor(t)); });
  switch (a.kind()) {
    case 0:
      return a.i();
    case 1:
      return a.f();
    case 2:
      return text(a.s());
    case 3:
      if (tensors.size() != 1)
        fail(ErrorCode::kInvalidPlan, "argument '{}' lacks its tensor", text(a.name()));
      return std::move(tensors[0]);
    case 4:
      return parse_type(text(a.s()));
    case 5:
      return numbers(a.ints());
    case 6:
      return numbers(a.floats());
    case 7:
      return strings(a.strings());
    case 8:
      return tensors;
    default:
      fail(ErrorCode::kInvalidPlan, "argument '{}' is of unknown kind {}", text(a.name()),
           a.kind());
  }
}

Slot slot(const fb::Slot& s) {
  Slot out;
  out.name = text(s.name());
  out.onnx_name = text(s.onnx_name());
  out.kind = checked_enum(s.kind(), SlotKind::kMap, "slot kind");
  out.dtype = checked_enum(s.dtype(), static_cast<DType>(kDTypeCount - 1), "element type");
  out.ranked = s.ranked();
  each(s.dims(), [&](const fb::Dim& d) { out.dims.push_back({d.constant(), d.reg()}); });
  out.layout = {numbers(s.permutation()), s.block(), s.block_axis()};
  out.storage = checked_enum(s.storage(), Storage::kAlias, "storage");
  out.device = s.device();
  out.alias_of = s.alias_of();
  out.offset = s.offset();
  out.bytes = s.bytes();
  out.recipe = text(s.recipe());
  out.first_step = s.first_step();
  out.last_step = s.last_step();
  return out;
}

Step step(const fb::Step& s) {
  Step out;
  out.kernel = text(s.kernel());
  out.version = s.version();
  out.provider = s.provider();
  out.inputs = numbers(s.inputs());
  out.outputs = numbers(s.outputs());
  out.workspaces = numbers(s.workspaces());
  each(s.args(), [&](const fb::Attr& a) { out.args.set(text(a.name()), attribute(a)); });
  out.programs = numbers(s.programs());
  out.name = text(s.name());
  out.provenance = strings(s.provenance());
  out.flops = s.flops();
  out.bytes = s.bytes();
  out.barrier = s.barrier();
  return out;
}

Program program(const fb::Program& p) {
  Program out;
  out.name = text(p.name());
  each(p.slots(), [&](const fb::Slot& s) { out.slots.push_back(slot(s)); });
  out.inputs = numbers(p.inputs());
  out.outputs = numbers(p.outputs());
  out.registers = p.registers();
  each(p.symbols(), [&](const fb::Symbol& s) {
    out.symbols.push_back({text(s.name()), s.reg(), s.slot(), s.index(), s.content(),
                           s.after_step(), s.min(), s.opt(), s.max()});
  });
  each(p.sizes(), [&](const fb::SizeProgram& s) {
    SizeProgram sizes{s.after_step(), {}};
    each(s.code(), [&](const fb::SizeInstr& i) {
      sizes.code.push_back(
          {checked_enum(i.op(), SizeOp::kMax, "size operation"), i.dst(), i.a(), i.b(), i.imm()});
    });
    out.sizes.push_back(std::move(sizes));
  });
  each(p.steps(), [&](const fb::Step& s) { out.steps.push_back(step(s)); });
  return out;
}

void fill(Plan& out, const fb::Plan& p) {
  const auto pairs = [](const auto* list, auto& into) {
    each(list, [&](const fb::Pair& x) { into.push_back({text(x.key()), text(x.value())}); });
  };
  const auto bindings = [](const auto* list, auto& into) {
    each(list, [&](const fb::Binding& x) {
      into.push_back({text(x.name()), text(x.type()), x.bound(), text(x.declared())});
    });
  };
  out.planish_version = text(p.planish_version());
  if (const auto* m = p.machine())
    out.machine = {text(m->isa()), text(m->model()), m->l1d(), m->l2(), m->l3()};
  out.source_hash = p.source_hash();
  out.source_name = text(p.source_name());
  pairs(p.options(), out.options);
  pairs(p.metadata(), out.metadata);
  out.providers = strings(p.providers());
  bindings(p.inputs(), out.inputs);
  bindings(p.outputs(), out.outputs);
  each(p.programs(), [&](const fb::Program& x) { out.programs.push_back(program(x)); });
  out.threads = p.threads();
  each(p.placements(), [&](const fb::Placement& x) {
    out.placements.push_back({text(x.node()), text(x.op()), text(x.provider()), text(x.kernel()),
                              text(x.reason()), x.fallback(), strings(x.provenance())});
  });
  each(p.decisions(), [&](const fb::Decision& x) {
    out.decisions.push_back({x.sequence(), text(x.pass()), x.fired(), text(x.node()),
                             text(x.what()), strings(x.provenance())});
  });
  if (const auto* e = p.evidence()) {
    out.evidence = {e->done(),    text(e->how()), e->seed(),     e->outputs(),
                    e->max_abs(), e->max_rel(),   e->tolerance()};
  }
  if (const auto* f = p.facts()) {
    out.facts = {f->nodes_before(), f->nodes_after(), f->rewrites(), f->weight_bytes_before(),
                 f->weight_bytes_after()};
  }
  out.recipes = text(p.recipes());
  out.weights_bytes = p.weights_bytes();
}

}  // namespace

Structure decode_structure(std::span<const std::byte> bytes) {
  // Tables are bounded by the bytes that hold them: each takes at least eight.
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), 16,
                                 static_cast<flatbuffers::uoffset_t>(bytes.size() / 4 + 16));
  if (!fb::VerifyPlanBuffer(verifier))
    fail(ErrorCode::kInvalidPlan, "the structure section is not well formed");
  const fb::Plan& root = *fb::GetPlan(bytes.data());
  Structure out;
  try {
    fill(out.plan, root);
  } catch (const Error& e) {
    // Dims and types inside arguments report as model errors; here they are faults of the plan.
    throw Error(ErrorCode::kInvalidPlan, e.message());
  }
  out.weight_chunk = root.weight_chunk();
  out.weight_hashes = numbers(root.weight_hashes());
  return out;
}

}  // namespace planish::plan
