// Prints the text form described in text.h.
#include <algorithm>

#include "base/hash.h"
#include "ir/graph.h"
#include "ir/text.h"

namespace planish::ir {
namespace {

std::string hash_of(const Tensor& tensor) {
  Hasher hasher;
  if (tensor.dtype() == DType::kString) {
    for (const std::string& s : tensor.strings()) hasher.update_text(s);
  } else {
    hasher.update({tensor.raw(), static_cast<size_t>(tensor.bytes())});
  }
  return fmt::format("#{:016x}", hasher.digest());
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string run(const Graph& graph) {
    print(graph);
    return std::move(out_);
  }

 private:
  void line() {
    out_ += '\n';
    out_.append(2 * depth_, ' ');
  }

  static std::string value_name(const Graph& graph, ValueId id) {
    return id == kNoValue ? "-" : "%" + text::name(graph.value(id).name);
  }

  // Name, type, content and origin of a value at its definition.
  void definition(const Graph& graph, ValueId id, bool with_type = true) {
    out_ += value_name(graph, id);
    if (id == kNoValue) return;
    const ValueDef& value = graph.value(id);
    if (with_type && options_.types && value.type.kind != Type::Kind::kUnknown) {
      out_ += ": " + to_string(value.type);
      if (value.symbolic && has_dims(value.type, value.symbolic->dims)) {
        out_ += " ~ " + to_string(Shape(value.symbolic->elements));
      }
    }
    if (options_.provenance && !value.onnx_name.empty()) {
      out_ += " @ " + text::name(value.onnx_name);
    }
  }

  // The text gives known content without its dims: they must be those of the type.
  static bool has_dims(const Type& type, const Dims& dims) {
    if (!type.has_shape() || type.shape->size() != dims.size()) return false;
    for (size_t i = 0; i < dims.size(); ++i) {
      if ((*type.shape)[i] != SizeExpr(dims[i])) return false;
    }
    return true;
  }

  void tensor(const Tensor& t) {
    out_ += to_string(Type::tensor(t.dtype(), Shape(t.dims().begin(), t.dims().end())));
    out_ += ' ';
    if (t.dtype() != DType::kUndefined && t.size() > options_.max_constant_elements) {
      out_ += hash_of(t);
      return;
    }
    out_ += '{';
    if (t.dtype() == DType::kString) {
      for (size_t i = 0; i < t.strings().size(); ++i) {
        if (i > 0) out_ += ", ";
        out_ += text::quoted(t.strings()[i]);
      }
    } else if (t.dtype() != DType::kUndefined) {
      text::print_elements(out_, t);
    }
    out_ += '}';
  }

  template <class List, class F>
  void list(std::string_view kind, const List& items, const F& item) {
    if (items.empty()) out_ += kind;
    out_ += '[';
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += ", ";
      item(items[i]);
    }
    out_ += ']';
  }

  void one(int64_t v) { out_ += fmt::format("{}", v); }
  void one(float v) { out_ += text::float_attribute(v); }
  void one(const std::string& v) { out_ += text::quoted(v); }
  void one(const Tensor& v) {
    out_ += "tensor ";
    tensor(v);
  }
  void one(const Type& v) { out_ += "type " + to_string(v); }
  template <class T>
  void one(const std::vector<T>& v) {
    constexpr std::string_view kind = std::is_same_v<T, int64_t>       ? "ints"
                                      : std::is_same_v<T, float>       ? "floats"
                                      : std::is_same_v<T, std::string> ? "strings"
                                                                       : "tensors";
    list(kind, v, [&](const T& item) { one(item); });
  }

  void attributes(const Attributes& given) {
    if (given.empty()) return;
    out_ += " {";
    bool first = true;
    for (const auto& [name, value] : given) {
      if (!first) out_ += ", ";
      first = false;
      out_ += text::name(name) + " = ";
      std::visit([&](const auto& v) { one(v); }, value);
    }
    out_ += '}';
  }

  void op(std::string_view domain, std::string_view name) {
    if (!domain.empty()) out_ += text::name(domain) + "::";
    out_ += text::name(name);
  }

  // Whether the epilogue names its trailing inputs one after another, each once.
  static bool in_sequence(const Node& node) {
    size_t next = node.operator_inputs();
    for (const EpilogueOp& step : node.epilogue) {
      for (const int32_t operand : step.operands) {
        if (operand >= 0 && static_cast<size_t>(operand) >= node.operator_inputs() &&
            static_cast<size_t>(operand) != next++) {
          return false;
        }
      }
    }
    return next == node.operator_inputs() + node.epilogue_inputs;
  }

  void epilogue(const Graph& graph, const Node& node, bool sequence) {
    for (const EpilogueOp& step : node.epilogue) {
      out_ += " |> ";
      op(step.domain, step.op);
      out_ += '(';
      const bool plain = step.operands.size() == 1 && step.operands[0] == EpilogueOp::kFlow;
      for (size_t i = 0; !plain && i < step.operands.size(); ++i) {
        const int32_t operand = step.operands[i];
        if (i > 0) out_ += ", ";
        if (operand == EpilogueOp::kFlow) {
          out_ += '_';
        } else if (operand < 0) {
          out_ += '-';
        } else if (sequence && static_cast<size_t>(operand) >= node.operator_inputs()) {
          out_ += value_name(graph, node.inputs[static_cast<size_t>(operand)]);
        } else {
          out_ += fmt::format("${}", operand);
        }
      }
      out_ += ')';
      attributes(step.attributes);
    }
  }

  void inputs(
      const Graph& graph, const Node& node, std::string_view before, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      out_ += i > from ? ", " : before;
      out_ += value_name(graph, node.inputs[i]);
    }
  }

  void print_node(const Graph& graph, const Node& node) {
    line();
    if (node.folded) out_ += "fold ";
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (i > 0) out_ += ", ";
      definition(graph, node.outputs[i]);
    }
    if (!node.outputs.empty()) out_ += " = ";
    op(node.domain, node.op);
    out_ += '(';
    const bool sequence = in_sequence(node);
    const size_t proper = node.operator_inputs();
    const size_t first_capture = node.inputs.size() - node.captures;
    inputs(graph, node, "", 0, proper);
    if (!sequence) inputs(graph, node, " | ", proper, first_capture);
    inputs(graph, node, "; ", first_capture, node.inputs.size());
    out_ += ')';
    attributes(node.attributes);
    epilogue(graph, node, sequence);
    const auto first =
        std::ranges::find_if(node.outputs, [](ValueId id) { return id != kNoValue; });
    if (first == node.outputs.end() || graph.value(*first).name != node.name) {
      out_ += " name " + text::quoted(node.name);
    }
    if (options_.provenance && !node.provenance.empty()) {
      out_ += " from ";
      for (size_t i = 0; i < node.provenance.size(); ++i) {
        out_ += (i > 0 ? ", " : "") + text::quoted(node.provenance[i]);
      }
    }
    if (node.folded) {
      out_ += " value ";
      bool later = false;
      for (const ValueId id : node.outputs) {
        if (id == kNoValue) continue;
        if (later) out_ += ", ";
        later = true;
        tensor(graph.value(id).constant.value_or(Tensor()));
      }
    }
    if (node.blocks.empty()) return;
    out_ += " with {";
    ++depth_;
    for (const auto& block : node.blocks) {
      line();
      print(*block);
    }
    --depth_;
    line();
    out_ += '}';
  }

  void facts(const Graph& graph) {
    if (graph.ir_version != 0) {
      line();
      out_ += fmt::format("ir_version {}", graph.ir_version);
    }
    if (!graph.producer.empty()) {
      line();
      out_ += "producer " + text::quoted(graph.producer);
    }
    if (!graph.doc.empty()) {
      line();
      out_ += "doc " + text::quoted(graph.doc);
    }
    for (const auto& [domain, version] : graph.opset_imports) {
      line();
      out_ += fmt::format("opset {} {}", text::quoted(domain), version);
    }
    for (const auto& [key, value] : graph.metadata) {
      line();
      out_ += fmt::format("metadata {} {}", text::quoted(key), text::quoted(value));
    }
  }

  void print(const Graph& graph) {
    out_ += "graph " + text::name(graph.name()) + "(";
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      if (i > 0) out_ += ", ";
      definition(graph, graph.inputs()[i]);
    }
    out_ += ") {";
    ++depth_;
    facts(graph);
    for (ValueId id = 0; id < graph.value_count(); ++id) {
      const ValueDef& value = graph.value(id);
      if (!value.constant || value.producer != kNoNode) continue;
      line();
      definition(graph, id, false);
      out_ += " = constant ";
      tensor(*value.constant);
    }
    for (const NodeId id : graph.fold_order()) print_node(graph, graph.node(id));
    for (const NodeId id : graph.order()) print_node(graph, graph.node(id));
    line();
    out_ += "return";
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      out_ += (i > 0 ? ", " : " ") + value_name(graph, graph.outputs()[i]);
    }
    --depth_;
    line();
    out_ += '}';
    if (depth_ == 0) out_ += '\n';
  }

  const PrintOptions& options_;
  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string print(const Graph& graph, const PrintOptions& options) {
  return Printer(options).run(graph);
}

}  // namespace planish::ir
