// ONNX's messages as a tree of plain structs over the bytes of a file.
//
// One table per message, fields(), lists number, name and slot of every known field in order of
// their numbers; the reader, the writer and the search for changes (document.cc) all walk it.
// Slots:
//   optional<int64_t> | optional<float> | optional<Text>   a field that may be absent
//   vector<Text> | vector<int64_t> | vector<float>         a repeated field
//   unique_ptr<Message> | vector<Message>                  a message or many
// Text is a view: into the file, or into Document::keep() for text of our own. What the tables do
// not know stays in `unknown` and is written back behind the known fields.
//
// Field numbers are those of ONNX's published schema (IR version 14).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace planish::onnx {

using Text = std::string_view;  // bytes as they stand: not checked to be UTF-8
using OptText = std::optional<Text>;
using OptInt = std::optional<int64_t>;
using OptFloat = std::optional<float>;

inline Text text(const OptText& t) { return t ? *t : Text(); }

struct Message {
  // The message as read. Written back verbatim while neither it nor a message inside has changed.
  Text raw;
  // Set by touch(); also true for messages made by code. Messages around it need no mark.
  bool changed = true;
  std::vector<Text> unknown;  // fields that the table lacks, tag included, in order

  void touch() { changed = true; }
};

struct StringStringEntryProto : Message {
  static constexpr const char* kName = "StringStringEntryProto";
  OptText key, value;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "key", m.key);
    v(2, "value", m.value);
  }
};
using Entries = std::vector<StringStringEntryProto>;

struct OperatorSetIdProto : Message {
  static constexpr const char* kName = "OperatorSetIdProto";
  OptText domain;
  OptInt version;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "domain", m.domain);
    v(2, "version", m.version);
  }
};

// A tensor is a leaf of the tree: `raw` is always the whole truth and io/ parses it when its
// content is wanted, so that weights are never copied. To change one, encode it anew into
// Document::keep(), point `raw` there and touch() it.
struct TensorProto : Message {
  static constexpr const char* kName = "TensorProto";
  OptText name;  // also inside `raw`
};

struct SparseTensorProto : Message {
  static constexpr const char* kName = "SparseTensorProto";
  std::unique_ptr<TensorProto> values, indices;
  std::vector<int64_t> dims;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "values", m.values);
    v(2, "indices", m.indices);
    v(3, "dims", m.dims);
  }
};

struct DimensionProto : Message {
  static constexpr const char* kName = "TensorShapeProto.Dimension";
  OptInt dim_value;
  OptText dim_param, denotation;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "dim_value", m.dim_value);
    v(2, "dim_param", m.dim_param);
    v(3, "denotation", m.denotation);
  }
};

struct TensorShapeProto : Message {
  static constexpr const char* kName = "TensorShapeProto";
  std::vector<DimensionProto> dim;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "dim", m.dim);
  }
};

struct TypeProto;

struct TensorTypeProto : Message {
  static constexpr const char* kName = "TypeProto.Tensor";
  OptInt elem_type;
  std::unique_ptr<TensorShapeProto> shape;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "elem_type", m.elem_type);
    v(2, "shape", m.shape);
  }
};

// TypeProto.Sequence and TypeProto.Optional.
struct ElementTypeProto : Message {
  static constexpr const char* kName = "TypeProto.Sequence";
  std::unique_ptr<TypeProto> elem_type;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "elem_type", m.elem_type);
  }
};

struct MapTypeProto : Message {
  static constexpr const char* kName = "TypeProto.Map";
  OptInt key_type;
  std::unique_ptr<TypeProto> value_type;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "key_type", m.key_type);
    v(2, "value_type", m.value_type);
  }
};

struct TypeProto : Message {
  static constexpr const char* kName = "TypeProto";
  std::unique_ptr<TensorTypeProto> tensor_type;
  std::unique_ptr<ElementTypeProto> sequence_type;
  std::unique_ptr<MapTypeProto> map_type;
  OptText denotation;
  OptText opaque_type;  // kept as bytes: nothing here gives it a meaning
  std::unique_ptr<TensorTypeProto> sparse_tensor_type;
  std::unique_ptr<ElementTypeProto> optional_type;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "tensor_type", m.tensor_type);
    v(4, "sequence_type", m.sequence_type);
    v(5, "map_type", m.map_type);
    v(6, "denotation", m.denotation);
    v(7, "opaque_type", m.opaque_type);
    v(8, "sparse_tensor_type", m.sparse_tensor_type);
    v(9, "optional_type", m.optional_type);
  }
};

struct ValueInfoProto : Message {
  static constexpr const char* kName = "ValueInfoProto";
  OptText name;
  std::unique_ptr<TypeProto> type;
  OptText doc_string;
  Entries metadata_props;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "name", m.name);
    v(2, "type", m.type);
    v(3, "doc_string", m.doc_string);
    v(4, "metadata_props", m.metadata_props);
  }
};

struct GraphProto;

struct AttributeProto : Message {
  static constexpr const char* kName = "AttributeProto";
  enum AttributeType : int64_t {
    kUndefined = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparseTensor = 11,
    kSparseTensors = 12,
    kTypeProto = 13,
    kTypeProtos = 14,
  };
  OptText name;
  OptFloat f;
  OptInt i;
  OptText s;
  std::unique_ptr<TensorProto> t;
  std::unique_ptr<GraphProto> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<Text> strings;
  std::vector<TensorProto> tensors;
  std::vector<GraphProto> graphs;
  OptText doc_string;
  std::unique_ptr<TypeProto> tp;
  std::vector<TypeProto> type_protos;
  OptInt type;
  OptText ref_attr_name;
  std::unique_ptr<SparseTensorProto> sparse_tensor;
  std::vector<SparseTensorProto> sparse_tensors;

  AttributeProto();
  ~AttributeProto();
  AttributeProto(AttributeProto&&) noexcept;
  AttributeProto& operator=(AttributeProto&&) noexcept;

  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "name", m.name);
    v(2, "f", m.f);
    v(3, "i", m.i);
    v(4, "s", m.s);
    v(5, "t", m.t);
    v(6, "g", m.g);
    v(7, "floats", m.floats);
    v(8, "ints", m.ints);
    v(9, "strings", m.strings);
    v(10, "tensors", m.tensors);
    v(11, "graphs", m.graphs);
    v(13, "doc_string", m.doc_string);
    v(14, "tp", m.tp);
    v(15, "type_protos", m.type_protos);
    v(20, "type", m.type);
    v(21, "ref_attr_name", m.ref_attr_name);
    v(22, "sparse_tensor", m.sparse_tensor);
    v(23, "sparse_tensors", m.sparse_tensors);
  }
};

struct NodeProto : Message {
  static constexpr const char* kName = "NodeProto";
  std::vector<Text> input, output;
  OptText name, op_type;
  std::vector<AttributeProto> attribute;
  OptText doc_string, domain, overload;
  Entries metadata_props;
  std::vector<Text> device_configurations;  // multi-device hints: kept as bytes
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "input", m.input);
    v(2, "output", m.output);
    v(3, "name", m.name);
    v(4, "op_type", m.op_type);
    v(5, "attribute", m.attribute);
    v(6, "doc_string", m.doc_string);
    v(7, "domain", m.domain);
    v(8, "overload", m.overload);
    v(9, "metadata_props", m.metadata_props);
    v(10, "device_configurations", m.device_configurations);
  }
};

struct TensorAnnotation : Message {
  static constexpr const char* kName = "TensorAnnotation";
  OptText tensor_name;
  Entries quant_parameter_tensor_names;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "tensor_name", m.tensor_name);
    v(2, "quant_parameter_tensor_names", m.quant_parameter_tensor_names);
  }
};

struct GraphProto : Message {
  static constexpr const char* kName = "GraphProto";
  std::vector<NodeProto> node;
  OptText name;
  std::vector<TensorProto> initializer;
  OptText doc_string;
  std::vector<ValueInfoProto> input, output, value_info;
  std::vector<TensorAnnotation> quantization_annotation;
  std::vector<SparseTensorProto> sparse_initializer;
  Entries metadata_props;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "node", m.node);
    v(2, "name", m.name);
    v(5, "initializer", m.initializer);
    v(10, "doc_string", m.doc_string);
    v(11, "input", m.input);
    v(12, "output", m.output);
    v(13, "value_info", m.value_info);
    v(14, "quantization_annotation", m.quantization_annotation);
    v(15, "sparse_initializer", m.sparse_initializer);
    v(16, "metadata_props", m.metadata_props);
  }
};

struct FunctionProto : Message {
  static constexpr const char* kName = "FunctionProto";
  OptText name;
  std::vector<Text> input, output, attribute;
  std::vector<NodeProto> node;
  OptText doc_string;
  std::vector<OperatorSetIdProto> opset_import;
  OptText domain;
  std::vector<AttributeProto> attribute_proto;
  std::vector<ValueInfoProto> value_info;
  OptText overload;
  Entries metadata_props;
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "name", m.name);
    v(4, "input", m.input);
    v(5, "output", m.output);
    v(6, "attribute", m.attribute);
    v(7, "node", m.node);
    v(8, "doc_string", m.doc_string);
    v(9, "opset_import", m.opset_import);
    v(10, "domain", m.domain);
    v(11, "attribute_proto", m.attribute_proto);
    v(12, "value_info", m.value_info);
    v(13, "overload", m.overload);
    v(14, "metadata_props", m.metadata_props);
  }
};

struct ModelProto : Message {
  static constexpr const char* kName = "ModelProto";
  OptInt ir_version;
  OptText producer_name, producer_version, domain;
  OptInt model_version;
  OptText doc_string;
  std::unique_ptr<GraphProto> graph;
  std::vector<OperatorSetIdProto> opset_import;
  Entries metadata_props;
  std::vector<Text> training_info;  // kept as bytes: inference has no use for it
  std::vector<FunctionProto> functions;
  std::vector<Text> configuration;  // devices: kept as bytes
  template <class Self, class Visit>
  static void fields(Self& m, Visit&& v) {
    v(1, "ir_version", m.ir_version);
    v(2, "producer_name", m.producer_name);
    v(3, "producer_version", m.producer_version);
    v(4, "domain", m.domain);
    v(5, "model_version", m.model_version);
    v(6, "doc_string", m.doc_string);
    v(7, "graph", m.graph);
    v(8, "opset_import", m.opset_import);
    v(14, "metadata_props", m.metadata_props);
    v(20, "training_info", m.training_info);
    v(25, "functions", m.functions);
    v(26, "configuration", m.configuration);
  }
};

}  // namespace planish::onnx
