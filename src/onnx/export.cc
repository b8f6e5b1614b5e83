#include "onnx/export.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "io/tensor_proto.h"
#include "ops/op.h"

namespace planish::onnx {
namespace {

using Kind = AttributeProto::AttributeType;

class Exporter {
 public:
  explicit Exporter(Document& document) : document_(document) {}

  void run(const ir::Graph& graph, const ExportOptions& options) {
    ModelProto& model = document_.model();
    model.ir_version = options.ir_version;
    model.producer_name = "planish";
    if (!graph.doc.empty()) model.doc_string = keep(graph.doc);
    for (const auto& [key, value] : graph.metadata) {
      StringStringEntryProto& entry = model.metadata_props.emplace_back();
      entry.key = keep(key);
      entry.value = keep(value);
    }
    model.graph = std::make_unique<GraphProto>();
    // The main graph's names are settled first: they are what users know.
    Names names = name_values(graph, {});
    write_graph(graph, names, *model.graph, std::nullopt);
    domains_[""] = ops::kNewestOpset;
    for (const auto& [domain, version] : domains_) {
      OperatorSetIdProto& import = model.opset_import.emplace_back();
      import.domain = keep(domain);
      import.version = version;
    }
  }

 private:
  using Names = std::unordered_map<ir::ValueId, Text>;

  // ai.onnx is written at the newest opset. In ai.onnx.ml opset 5 retires operators that still work
  // at 4, so it is imported only for what needs it.
  void use(const std::string& domain, const std::string& op) {
    int& version = domains_.emplace(domain, domain == "ai.onnx.ml" ? 4 : 1).first->second;
    const ops::OpDef* def = ops::find(domain, op);
    if (def != nullptr) version = std::max(version, def->since);
  }

  Text keep(std::string_view text) { return document_.keep(std::string(text)); }

  Text unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return keep(name);
  }

  // Names for all values of a graph; `given`: those of a block's captures.
  Names name_values(const ir::Graph& graph, Names given) {
    for (ir::ValueId id = 0; id < graph.value_count(); ++id) {
      if (!given.contains(id)) given.emplace(id, unique(graph.value(id).name));
    }
    return given;
  }

  // `captures`: how many trailing inputs of a block stand for outer names; nothing: the main graph.
  void write_graph(const ir::Graph& graph,
                   const Names& names,
                   GraphProto& proto,
                   std::optional<size_t> captures) {
    proto.name = keep(graph.name().empty() ? "graph" : graph.name());
    const auto& inputs = graph.inputs();
    for (size_t i = 0; i + captures.value_or(0) < inputs.size(); ++i) {
      proto.input.push_back(value_info(graph.value(inputs[i]), names.at(inputs[i])));
    }
    std::unordered_set<ir::ValueId> needed, own, handed_out;
    for (const ir::NodeId id : graph.order()) {
      for (const ir::ValueId in : graph.node(id).inputs) needed.insert(in);
      for (const ir::ValueId out : graph.node(id).outputs) own.insert(out);
    }
    for (const ir::ValueId id : graph.outputs()) needed.insert(id);
    for (ir::ValueId id = 0; id < graph.value_count(); ++id) {
      if (graph.value(id).constant && needed.contains(id)) {
        proto.initializer.push_back(initializer(*graph.value(id).constant, names.at(id)));
      }
    }
    for (const ir::NodeId id : graph.order()) write_node(graph, graph.node(id), names, proto);
    for (const ir::ValueId id : graph.outputs()) {
      Text name = names.at(id);
      // A value listed twice needs a node to have a second name; runtimes want one too where a
      // block hands out what it did not make. In the main graph inputs and constants may be
      // outputs.
      const bool made = handed_out.insert(id).second && (own.contains(id) || !captures);
      if (!made) {
        NodeProto& n = proto.node.emplace_back();
        n.op_type = "Identity";
        n.input.push_back(name);
        name = unique(std::string(name) + "_out");
        n.output.push_back(name);
      }
      proto.output.push_back(value_info(graph.value(id), name));
    }
  }

  void write_node(const ir::Graph& graph,
                  const ir::Node& node,
                  const Names& names,
                  GraphProto& proto) {
    const auto name_of = [&](ir::ValueId id) { return id == ir::kNoValue ? Text() : names.at(id); };
    NodeProto n;
    n.op_type = keep(node.op);
    n.name = keep(node.name);
    if (!node.domain.empty()) n.domain = keep(node.domain);
    use(node.domain, node.op);
    for (size_t i = 0; i < node.operator_inputs(); ++i) n.input.push_back(name_of(node.inputs[i]));
    for (const ir::ValueId out : node.outputs) n.output.push_back(name_of(out));
    for (const auto& [name, value] : node.attributes) n.attribute.push_back(attribute(name, value));
    if (!node.blocks.empty()) write_blocks(node, names, n);
    // The chain of the epilogue: only its end carries the node's output name.
    std::vector<Text> flow;
    for (size_t i = 0; i < node.epilogue.size(); ++i) {
      flow.push_back(
          unique(fmt::format("{}/before_{}", name_of(node.outputs[0]), node.epilogue[i].op)));
    }
    if (!flow.empty()) n.output[0] = flow[0];
    proto.node.push_back(std::move(n));
    for (size_t i = 0; i < node.epilogue.size(); ++i) {
      const ir::EpilogueOp& step = node.epilogue[i];
      NodeProto e;
      e.op_type = keep(step.op);
      e.name = keep(fmt::format("{}/{}", node.name, step.op));
      if (!step.domain.empty()) e.domain = keep(step.domain);
      use(step.domain, step.op);
      for (const int32_t operand : step.operands) {
        if (operand == ir::EpilogueOp::kFlow) {
          e.input.push_back(flow[i]);
        } else {
          e.input.push_back(operand < 0 ? Text()
                                        : name_of(node.inputs[static_cast<size_t>(operand)]));
        }
      }
      e.output.push_back(i + 1 < flow.size() ? flow[i + 1] : name_of(node.outputs[0]));
      for (const auto& [name, value] : step.attributes)
        e.attribute.push_back(attribute(name, value));
      proto.node.push_back(std::move(e));
    }
    (void)graph;
  }

  void write_blocks(const ir::Node& node, const Names& names, NodeProto& proto) {
    const ops::OpDef* def = ops::find(node.domain, node.op);
    if (def == nullptr || def->blocks.size() != node.blocks.size()) {
      fail(ErrorCode::kInternal, "{} has blocks that its schema does not name", node.op);
    }
    for (size_t i = 0; i < node.blocks.size(); ++i) {
      const ir::Graph& block = *node.blocks[i];
      Names given;
      for (size_t c = 0; c < node.captures; ++c) {
        const ir::ValueId inner = block.inputs()[block.inputs().size() - node.captures + c];
        given.emplace(inner, names.at(node.inputs[node.inputs.size() - node.captures + c]));
      }
      AttributeProto a;
      a.name = keep(def->blocks[i]);
      a.type = Kind::kGraph;
      a.g = std::make_unique<GraphProto>();
      const Names inner = name_values(block, std::move(given));
      write_graph(block, inner, *a.g, node.captures);
      proto.attribute.push_back(std::move(a));
    }
  }

  TensorProto initializer(const Tensor& tensor, Text name) {
    TensorProto t;
    t.name = name;
    t.raw = document_.keep(io::serialize_tensor(tensor, name));
    return t;
  }

  std::unique_ptr<TypeProto> type_proto(const Type& type) {
    auto proto = std::make_unique<TypeProto>();
    switch (type.kind) {
      case Type::Kind::kUnknown:
        return nullptr;
      case Type::Kind::kTensor:
        proto->tensor_type = std::make_unique<TensorTypeProto>();
        proto->tensor_type->elem_type = static_cast<int64_t>(type.dtype);
        if (type.shape) {
          proto->tensor_type->shape = std::make_unique<TensorShapeProto>();
          for (const SizeExpr& dim : *type.shape) {
            DimensionProto& d = proto->tensor_type->shape->dim.emplace_back();
            if (const auto number = dim.constant()) {
              d.dim_value = *number;
            } else {
              d.dim_param = keep(dim.to_string());
            }
          }
        }
        break;
      case Type::Kind::kSequence:
        proto->sequence_type = std::make_unique<ElementTypeProto>();
        proto->sequence_type->elem_type = type_proto(type.element.at(0));
        break;
      case Type::Kind::kOptional:
        proto->optional_type = std::make_unique<ElementTypeProto>();
        proto->optional_type->elem_type = type_proto(type.element.at(0));
        break;
      case Type::Kind::kMap:
        proto->map_type = std::make_unique<MapTypeProto>();
        proto->map_type->key_type = static_cast<int64_t>(type.dtype);
        proto->map_type->value_type = type_proto(type.element.at(0));
        break;
    }
    return proto;
  }

  ValueInfoProto value_info(const ir::ValueDef& value, Text name) {
    ValueInfoProto info;
    info.name = name;
    info.type = type_proto(value.type);
    return info;
  }

  AttributeProto attribute(const std::string& name, const Attribute& value) {
    AttributeProto a;
    a.name = keep(name);
    const auto strings = [&](const Strings& list) {
      for (const std::string& s : list) a.strings.push_back(keep(s));
    };
    if (const auto* i = std::get_if<int64_t>(&value)) {
      a.type = Kind::kInt, a.i = *i;
    } else if (const auto* f = std::get_if<float>(&value)) {
      a.type = Kind::kFloat, a.f = *f;
    } else if (const auto* s = std::get_if<std::string>(&value)) {
      a.type = Kind::kString, a.s = keep(*s);
    } else if (const auto* t = std::get_if<Tensor>(&value)) {
      a.type = Kind::kTensor, a.t = std::make_unique<TensorProto>(initializer(*t, ""));
    } else if (const auto* type = std::get_if<Type>(&value)) {
      a.type = Kind::kTypeProto, a.tp = type_proto(*type);
    } else if (const auto* ints = std::get_if<Ints>(&value)) {
      a.type = Kind::kInts, a.ints = *ints;
    } else if (const auto* floats = std::get_if<Floats>(&value)) {
      a.type = Kind::kFloats, a.floats = *floats;
    } else if (const auto* list = std::get_if<Strings>(&value)) {
      a.type = Kind::kStrings, strings(*list);
    } else {
      a.type = Kind::kTensors;
      for (const Tensor& one : std::get<Tensors>(value)) a.tensors.push_back(initializer(one, ""));
    }
    return a;
  }

  Document& document_;
  std::unordered_set<std::string> taken_;
  std::map<std::string, int> domains_;  // with the version to import
};

}  // namespace

Document export_graph(const ir::Graph& graph, const ExportOptions& options) {
  Document document;
  Exporter(document).run(graph, options);
  return document;
}

}  // namespace planish::onnx
