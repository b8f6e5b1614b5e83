#include "backends/cpu/compile/cpu_backend.h"

#include <map>

#include "backends/cpu/compile/facts.h"
#include "backends/cpu/compile/fuse.h"

namespace planish::backends::cpu {

#define PLANISH_ENTRY(entry) PLANISH_LOWERINGS(entry);
#include "backends/cpu/compile/catalog.inc"
#undef PLANISH_ENTRY

namespace {

const std::map<std::string_view, const Lowering*>& table() {
  static const auto* const all = [] {
    auto* map = new std::map<std::string_view, const Lowering*>;
    const auto add = [&](std::span<const Lowering> family) {
      for (const Lowering& lowering : family) {
        if (!map->emplace(lowering.op, &lowering).second) {
          fail(ErrorCode::kInternal, "two cpu lowerings of {}", lowering.op);
        }
      }
    };
#define PLANISH_ENTRY(entry) add(lowerings_##entry());
#include "backends/cpu/compile/catalog.inc"
#undef PLANISH_ENTRY
    return map;
  }();
  return *all;
}

const Lowering* find(const ir::Node& node) {
  if (!node.domain.empty()) return nullptr;
  const auto it = table().find(node.op);
  return it == table().end() ? nullptr : it->second;
}

// Tensors of known rank and plain elements on both sides.
Support plain_tensors(const Facts& facts) {
  const auto check = [&](ir::ValueId id, const char* what) -> Support {
    if (id == ir::kNoValue) return Support::yes();
    const ir::ValueDef& value = facts.graph().value(id);
    if (!value.type.is_tensor())
      return Support::no(fmt::format("{} '{}' is no tensor", what, value.name));
    if (!value.type.has_shape())
      return Support::no(fmt::format("the rank of {} '{}' is unknown", what, value.name));
    if (value.type.dtype == DType::kString || value.type.dtype == DType::kUndefined)
      return no_dtype(value.type.dtype);
    return Support::yes();
  };
  for (const ir::ValueId id : facts.node().inputs) {
    if (Support s = check(id, "input"); !s.supported) return s;
  }
  for (const ir::ValueId id : facts.node().outputs) {
    if (Support s = check(id, "output"); !s.supported) return s;
  }
  return Support::yes();
}

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  Support supports(const ir::Graph& graph, const ir::Node& node) const override {
    const Lowering* lowering = find(node);
    if (lowering == nullptr) return Support::no("operator " + node.op + " has no cpu kernel");
    const Facts facts(graph, node);
    if (facts.outputs() == 0) return Support::no("nobody reads its output");
    if (Support s = plain_tensors(facts); !s.supported) return s;
    for (const ir::EpilogueOp& op : node.epilogue) {
      if (Support s = supports_epilogue_op(facts, op); !s.supported) return s;
    }
    return lowering->supports(facts);
  }

  bool supports_epilogue(const ir::Graph& graph,
                         const ir::Node& node,
                         const ir::EpilogueOp& op) const override {
    return find(node) != nullptr && supports_epilogue_op(Facts(graph, node), op).supported;
  }

  std::string lower(const ir::Node& node, LowerContext& context) const override {
    const Lowering* lowering = find(node);
    if (lowering == nullptr)
      fail(ErrorCode::kInternal, "the cpu provider was asked to lower {}", node.op);
    return lowering->lower(Facts(context.graph(), node), context);
  }
};

}  // namespace

bool has_kernels(std::string_view op) { return table().contains(op); }

std::unique_ptr<Backend> make_backend() { return std::make_unique<CpuBackend>(); }

}  // namespace planish::backends::cpu
