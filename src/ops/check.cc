// Schema check of canonical nodes: arity, element types, attributes, blocks, epilogue.
#include <algorithm>
#include <array>

#include "ops/op.h"

namespace planish::ops {
namespace {

static_assert(static_cast<size_t>(AttrKind::kTensors) + 1 == std::variant_size_v<Attribute>);

constexpr std::array<std::string_view, 9> kKindNames = {
    "int", "float", "string", "tensor", "type", "ints", "floats", "strings", "tensors"};

class Checker {
 public:
  Checker(const ir::Graph& graph, const ir::Node& node, const OpDef& def)
      : graph_(graph), node_(node), def_(def) {}

  void run() {
    check_blocks();
    const std::span all_inputs(node_.inputs);
    if (node_.captures + node_.epilogue_inputs > all_inputs.size()) {
      reject("has fewer inputs than captures and epilogue operands");
    }
    check_side("input", all_inputs.first(node_.operator_inputs()), def_.inputs);
    check_side("output", node_.outputs, def_.outputs);
    check_attributes(def_, node_.attributes);
    for (const ir::EpilogueOp& step : node_.epilogue) check_epilogue(step);
  }

 private:
  template <class... Args>
  [[noreturn]] void reject(fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(ErrorCode::kInvalidModel,
                fmt::format("{} {}", node_.op, fmt::format(format, std::forward<Args>(args)...)))
        .at_node(node_.name);
  }

  void check_blocks() const {
    if (node_.blocks.size() != def_.blocks.size()) {
      reject("has {} subgraph(s), but needs {}", node_.blocks.size(), def_.blocks.size());
    }
  }

  void check_side(std::string_view side,
                  std::span<const ir::ValueId> values,
                  const std::vector<Formal>& formals) {
    const bool variadic = !formals.empty() && formals.back().arity == Arity::kVariadic;
    const bool outputs = side == "output";
    size_t needed = 0;
    for (size_t i = 0; i < formals.size(); ++i) {
      if (formals[i].arity == Arity::kRequired) needed = i + 1;
    }
    if (values.size() < needed || (!variadic && values.size() > formals.size())) {
      const std::string bounds = variadic ? fmt::format("at least {}", needed)
                                 : needed == formals.size()
                                     ? fmt::format("{}", needed)
                                     : fmt::format("{} to {}", needed, formals.size());
      reject("has {} {}(s), but takes {}", values.size(), side, bounds);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const Formal& formal = formals[std::min(i, formals.size() - 1)];
      if (values[i] == ir::kNoValue) {
        // Any output may be left out; an input only when it is optional.
        if (!outputs && formal.arity != Arity::kOptional) {
          reject("needs its input {} ('{}'), which is left out", i, formal.name);
        }
        continue;
      }
      check_type(side, i, formal, graph_.value(values[i]));
    }
  }

  void check_type(std::string_view side,
                  size_t i,
                  const Formal& formal,
                  const ir::ValueDef& value) {
    const Type& type = value.type;
    if (type.kind == Type::Kind::kUnknown) return;
    if (formal.types != 0) {
      if (!type.is_tensor()) {
        reject("{} {} ('{}') must be a tensor, but '{}' is {}", side, i, formal.name, value.name,
               to_string(type));
      }
      if (type.dtype != DType::kUndefined && (formal.types & type_bit(type.dtype)) == 0) {
        reject("{} {} ('{}') cannot be {}; it may be {}", side, i, formal.name,
               to_string(type.dtype), names_of(formal.types));
      }
    }
    if (formal.group.empty() || !type.is_tensor() || type.dtype == DType::kUndefined) return;
    for (const Member& member : members_) {
      if (member.group != formal.group || member.dtype == type.dtype) continue;
      reject("{} {} ('{}') is {}, but {} {} is {}; both must have one type", side, i, formal.name,
             to_string(type.dtype), member.side, member.index, to_string(member.dtype));
    }
    if (std::ranges::none_of(members_, [&](const Member& m) { return m.group == formal.group; })) {
      members_.push_back({formal.group, side, i, type.dtype});
    }
  }

  static std::string names_of(TypeSet set) {
    std::string out;
    for (int t = 0; t < kDTypeCount; ++t) {
      const auto dtype = static_cast<DType>(t);
      if ((set & type_bit(dtype)) == 0) continue;
      if (!out.empty()) out += ", ";
      out += to_string(dtype);
    }
    return out;
  }

  void check_attributes(const OpDef& def, const Attributes& attributes) const {
    for (const auto& [name, value] : attributes) {
      const auto spec = std::ranges::find(def.attributes, name, &AttrSpec::name);
      if (spec == def.attributes.end()) {
        std::string known;
        for (const AttrSpec& s : def.attributes) {
          known += (known.empty() ? "" : ", ") + std::string(s.name);
        }
        reject("does not know the attribute '{}'; {} knows {}", name, def.name,
               known.empty() ? "none" : known);
      }
      if (value.index() != static_cast<size_t>(spec->kind)) {
        reject("attribute '{}' must be of kind {}, not {}", name,
               kKindNames[static_cast<size_t>(spec->kind)], kind_name(value));
      }
    }
    for (const AttrSpec& spec : def.attributes) {
      if (spec.required && !attributes.has(spec.name))
        reject("needs the attribute '{}'", spec.name);
    }
  }

  void check_epilogue(const ir::EpilogueOp& step) const {
    const OpDef* def = find(step.domain, step.op);
    if (def == nullptr || !def->epilogue) reject("cannot have {} in its epilogue", step.op);
    if (step.operands.size() > def->inputs.size() &&
        (def->inputs.empty() || def->inputs.back().arity != Arity::kVariadic)) {
      reject("epilogue {} has too many operands", step.op);
    }
    check_attributes(*def, step.attributes);
  }

  struct Member {
    std::string_view group, side;
    size_t index;
    DType dtype;
  };
  const ir::Graph& graph_;
  const ir::Node& node_;
  const OpDef& def_;
  std::vector<Member> members_;  // first value seen of each group
};

}  // namespace

void check(const ir::Graph& graph, const ir::Node& node) {
  Checker(graph, node, definition(node)).run();
}

}  // namespace planish::ops
