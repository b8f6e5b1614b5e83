// Parses the text form described in text.h. Recursive descent over the text itself; the only
// recursion is over nested blocks, which are bounded.
#include <charconv>
#include <unordered_set>

#include "ir/graph.h"
#include "ir/text.h"

namespace planish::ir {
namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::unique_ptr<Graph> run() {
    auto graph = parse_graph_at_cursor();
    skip();
    if (at_ < text_.size()) wrong(at_, "expected the end of the text");
    return graph;
  }

 private:
  // --- errors

  [[noreturn]] void wrong(size_t where, const std::string& what) const {
    size_t line = 1, start = 0;
    where = std::min(where, text_.size());
    for (size_t i = 0; i < where; ++i) {
      if (text_[i] == '\n') {
        ++line;
        start = i + 1;
      }
    }
    fail(ErrorCode::kInvalidModel, "graph text {}:{}: {}", line, where - start + 1, what);
  }
  // Runs `f`, giving its errors a place.
  template <class F>
  auto placed(size_t where, const F& f) const {
    try {
      return f();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInternal) throw;
      wrong(where, error.message());
    }
  }

  // --- characters and words

  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view symbol) {
    skip();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  void need(std::string_view symbol) {
    if (take(symbol)) return;
    const std::string found =
        at_ < text_.size() ? text::quoted(text_.substr(at_, 1)) : "the end of the text";
    wrong(at_, fmt::format("expected '{}', found {}", symbol, found));
  }

  static bool word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '-';
  }
  // The bare word at the cursor, not consumed.
  std::string_view word() {
    skip();
    size_t end = at_;
    while (end < text_.size() && word_char(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  // A word of the format itself; the same letters may be an operator's name: `name(%x)`.
  bool keyword(std::string_view wanted) {
    if (word() != wanted) return false;
    const size_t start = at_;
    at_ += wanted.size();
    const char next = peek();
    if (next == '(' || (next == ':' && text_.substr(at_, 2) == "::")) {
      at_ = start;
      return false;
    }
    return true;
  }
  std::string name() {
    if (peek() == '"') return string();
    const std::string_view found = word();
    if (!text::is_bare(found)) wrong(at_, "expected a name");
    at_ += found.size();
    return std::string(found);
  }
  std::string string() {
    need("\"");
    const size_t start = at_ - 1;
    std::string out;
    while (true) {
      if (at_ >= text_.size()) wrong(start, "the string has no end");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (c != '\\') {
        out += c;
        continue;
      }
      const char escape = at_ < text_.size() ? text_[at_++] : '\0';
      if (escape == 'n') {
        out += '\n';
      } else if (escape == 't') {
        out += '\t';
      } else if (escape == '"' || escape == '\\') {
        out += escape;
      } else if (escape == 'x') {
        unsigned byte = 0;
        const std::string_view digits = text_.substr(std::min(at_, text_.size()), 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2) {
          wrong(at_, "\\x needs two hexadecimal digits");
        }
        out += static_cast<char>(byte);
        at_ += 2;
      } else {
        wrong(at_ - 1, "unknown escape");
      }
    }
  }
  int64_t integer() {
    const std::string_view token = number_token();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size() || token.empty()) {
      wrong(at_ - token.size(), "expected a 64-bit integer");
    }
    return value;
  }
  std::string_view number_token() {
    skip();
    size_t end = at_;
    while (end < text_.size() &&
           (word_char(text_[end]) || text_[end] == '+' || text_[end] == ':')) {
      ++end;
    }
    const std::string_view token = text_.substr(at_, end - at_);
    at_ = end;
    return token;
  }

  // --- types

  // From the cursor to the bracket that closes the first one opened.
  std::string_view bracketed() {
    int depth = 0;
    for (size_t end = at_; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '(' || c == '[') ++depth;
      if ((c == ')' || c == ']') && --depth == 0) {
        const std::string_view found = text_.substr(at_, end + 1 - at_);
        at_ = end + 1;
        return found;
      }
      if (c == '\n' || c == '{' || c == '}') break;
    }
    wrong(at_, "a bracket is not closed on this line");
  }
  Type type() {
    skip();
    const size_t start = at_;
    if (word() == "unknown") {
      at_ += word().size();
      return {};
    }
    const size_t letters = word().size();
    if (letters == 0 || at_ + letters >= text_.size() ||
        (text_[at_ + letters] != '(' && text_[at_ + letters] != '[')) {
      wrong(at_, "expected a type such as float32[N, 3]");
    }
    const std::string_view found = bracketed();
    return placed(start, [&] { return parse_type(found); });
  }
  std::vector<SizeExpr> content() {
    skip();
    const size_t start = at_;
    if (peek() != '[') wrong(at_, "expected known content such as [N, 3]");
    const std::string_view found = bracketed();
    // The list form is that of a shape.
    const Type as_type = placed(start, [&] { return parse_type("int64" + std::string(found)); });
    return as_type.shape.value_or(Shape());
  }

  // --- values

  ValueId new_value(Graph& graph, bool input) {
    skip();
    const size_t start = at_;
    need("%");
    const std::string value_name = name();
    if (graph.find_value(value_name) != kNoValue) {
      wrong(start, fmt::format("value '{}' is defined twice", value_name));
    }
    Type declared;
    std::optional<SymbolicTensor> known;
    if (peek() == ':' && text_.substr(at_, 2) != "::") {
      need(":");
      declared = type();
      if (take("~")) {
        const size_t place = at_;
        SymbolicTensor symbolic;
        symbolic.elements = content();
        const auto dims = declared.has_shape() ? constant_dims(*declared.shape) : std::nullopt;
        if (!dims || placed(place, [&] { return element_count(*dims); }) !=
                         static_cast<int64_t>(symbolic.elements.size())) {
          wrong(place, "known content needs a tensor type of as many elements");
        }
        symbolic.dims = *dims;
        known = std::move(symbolic);
      }
    }
    const ValueId id = input ? graph.add_input(value_name, std::move(declared))
                             : graph.add_value(value_name, std::move(declared));
    graph.value(id).symbolic = std::move(known);
    if (take("@")) graph.value(id).onnx_name = name();
    return id;
  }
  // A value that exists, or `-`.
  ValueId old_value(const Graph& graph) {
    if (take("-")) return kNoValue;
    skip();
    const size_t start = at_;
    need("%");
    const std::string value_name = name();
    const ValueId id = graph.find_value(value_name);
    if (id == kNoValue) wrong(start, fmt::format("value '{}' is not defined", value_name));
    return id;
  }
  bool at_value() { return peek() == '%' || peek() == '-'; }

  // --- tensors and attributes

  Tensor tensor() {
    skip();
    const size_t start = at_;
    const Type declared = type();
    const auto dims = declared.has_shape() ? constant_dims(*declared.shape) : std::nullopt;
    if (!dims) wrong(start, "a tensor needs a type with constant dims");
    if (peek() == '#') wrong(at_, "the elements were left out by the printer");
    need("{");
    if (declared.dtype == DType::kString) {
      std::vector<std::string> strings;
      while (!take("}")) {
        if (!strings.empty()) need(",");
        strings.push_back(string());
      }
      if (placed(start, [&] { return element_count(*dims); }) !=
          static_cast<int64_t>(strings.size())) {
        wrong(start, fmt::format("{} strings do not fill {}", strings.size(), to_string(declared)));
      }
      return Tensor::from_strings(*dims, std::move(strings));
    }
    std::vector<std::string_view> tokens;
    bool first = true;
    while (!take("}")) {
      if (!first) need(",");
      first = false;
      if (take("(")) {
        tokens.push_back(number_token());
        need(",");
        tokens.push_back(number_token());
        need(")");
      } else {
        tokens.push_back(number_token());
      }
    }
    if (declared.dtype == DType::kUndefined) {
      if (!tokens.empty() || !dims->empty()) wrong(start, "a tensor without a type is empty");
      return Tensor();
    }
    return placed(start, [&] { return text::parse_elements(declared.dtype, *dims, tokens); });
  }

  template <class T, class F>
  std::vector<T> items(const F& item) {
    std::vector<T> out;
    need("[");
    while (!take("]")) {
      if (!out.empty()) need(",");
      out.push_back(item());
    }
    return out;
  }
  float real() {
    float value = 0;
    skip();
    const size_t start = at_;
    if (!text::parse_float(number_token(), value)) wrong(start, "expected a float such as 1.0");
    return value;
  }
  Tensor marked_tensor() {
    if (!keyword("tensor")) wrong(at_, "expected 'tensor'");
    return tensor();
  }
  bool at_float() {
    const size_t start = at_;
    float ignored = 0;
    const bool yes = text::parse_float(number_token(), ignored);
    at_ = start;
    return yes;
  }

  Attribute attribute() {
    const char c = peek();
    if (c == '"') return string();
    if (keyword("tensor")) return tensor();
    if (keyword("type")) return type();
    if (keyword("ints")) return items<int64_t>([&] { return integer(); });
    if (keyword("floats")) return items<float>([&] { return real(); });
    if (keyword("strings")) return items<std::string>([&] { return string(); });
    if (keyword("tensors")) return items<Tensor>([&] { return marked_tensor(); });
    if (c != '[') {
      if (at_float()) return real();
      return integer();
    }
    const size_t start = at_;
    need("[");
    const char first = peek();
    if (first == ']') wrong(start, "an empty list needs its kind: ints[], floats[], ...");
    const bool tensors = word() == "tensor";
    const bool floats = !tensors && first != '"' && at_float();
    at_ = start;
    if (tensors) return items<Tensor>([&] { return marked_tensor(); });
    if (first == '"') return items<std::string>([&] { return string(); });
    if (floats) return items<float>([&] { return real(); });
    return items<int64_t>([&] { return integer(); });
  }
  Attributes attributes() {
    Attributes out;
    if (!take("{")) return out;
    while (!take("}")) {
      if (!out.empty()) need(",");
      skip();
      const size_t start = at_;
      std::string key = name();
      if (out.has(key)) wrong(start, fmt::format("attribute '{}' is given twice", key));
      need("=");
      out.set(std::move(key), attribute());
    }
    return out;
  }

  // --- nodes

  void op(std::string& domain, std::string& op_name) {
    op_name = name();
    if (take("::")) {
      domain = std::move(op_name);
      op_name = name();
    }
  }

  void values_until(const Graph& graph, std::string_view stops, std::vector<ValueId>& out) {
    bool first = true;
    while (stops.find(peek()) == std::string_view::npos) {
      if (!first) need(",");
      first = false;
      out.push_back(old_value(graph));
    }
  }

  void epilogue(const Graph& graph, Node& node) {
    while (take("|>")) {
      EpilogueOp step;
      op(step.domain, step.op);
      need("(");
      while (!take(")")) {
        if (!step.operands.empty()) need(",");
        if (word() == "_") {
          ++at_;
          step.operands.push_back(EpilogueOp::kFlow);
        } else if (take("$")) {
          skip();
          const size_t start = at_;
          const int64_t index = integer();
          if (index < 0 || index > INT32_MAX) wrong(start, "no such input");
          step.operands.push_back(static_cast<int32_t>(index));
        } else {
          const ValueId value = old_value(graph);
          if (value == kNoValue) {
            step.operands.push_back(EpilogueOp::kOmitted);
          } else {
            step.operands.push_back(static_cast<int32_t>(node.inputs.size()));
            node.inputs.push_back(value);
            ++node.epilogue_inputs;
          }
        }
      }
      if (step.operands.empty()) step.operands.push_back(EpilogueOp::kFlow);
      step.attributes = attributes();
      node.epilogue.push_back(std::move(step));
    }
  }

  // What follows the operands of every node.
  void tail(const Graph& graph, Node& node, std::unordered_set<std::string>& names, size_t start) {
    if (keyword("name")) {
      node.name = string();
    } else {
      for (const ValueId id : node.outputs) {
        if (id == kNoValue) continue;
        node.name = graph.value(id).name;
        break;
      }
    }
    if (node.name.empty()) wrong(start, "the node needs a name");
    if (!names.insert(node.name).second) {
      wrong(start, fmt::format("node '{}' is defined twice", node.name));
    }
    if (keyword("from")) {
      do {
        node.provenance.push_back(string());
      } while (take(","));
    }
  }

  void fold(Graph& graph, NodeId id, size_t start) {
    const Node& node = graph.node(id);
    for (const ValueId in : node.inputs) {
      if (in != kNoValue && !graph.value(in).is_constant()) {
        wrong(start, "a fold node reads constants only");
      }
    }
    if (!keyword("value")) wrong(at_, "expected 'value' and the results of the fold node");
    std::vector<Tensor> results(node.outputs.size());
    bool first = true;
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      if (!first) need(",");
      first = false;
      results[i] = tensor();
      const Type& declared = graph.value(node.outputs[i]).type;
      const Dims& dims = results[i].dims();
      if (declared.kind != Type::Kind::kUnknown &&
          declared != Type::tensor(results[i].dtype(), Shape(dims.begin(), dims.end()))) {
        wrong(start, "the result of the fold node is of another type");
      }
    }
    graph.fold_node(id, std::move(results));
  }

  void statement(Graph& graph, std::unordered_set<std::string>& names) {
    skip();
    const size_t start = at_;
    const bool folded = keyword("fold");
    Node node;
    if (at_value()) {
      do {
        node.outputs.push_back(take("-") ? kNoValue : new_value(graph, false));
      } while (take(","));
      need("=");
      if (!folded && keyword("constant")) {
        constant(graph, node, start);
        return;
      }
    }
    op(node.domain, node.op);
    need("(");
    std::vector<ValueId> captures;
    values_until(graph, "|;)", node.inputs);
    const size_t proper = node.inputs.size();
    if (take("|")) values_until(graph, ";)", node.inputs);
    node.epilogue_inputs = static_cast<uint32_t>(node.inputs.size() - proper);
    if (take(";")) values_until(graph, ")", captures);
    need(")");
    node.attributes = attributes();
    epilogue(graph, node);
    node.inputs.insert(node.inputs.end(), captures.begin(), captures.end());
    node.captures = static_cast<uint32_t>(captures.size());
    tail(graph, node, names, start);
    if (folded) {
      fold(graph, graph.add_node(std::move(node)), start);
      return;
    }
    if (keyword("with")) {
      need("{");
      while (!take("}")) node.blocks.push_back(parse_graph_at_cursor());
    }
    // A node without outputs keeps none: add_node() would not invent any.
    graph.add_node(std::move(node));
  }

  void constant(Graph& graph, const Node& node, size_t start) {
    if (node.outputs.size() != 1 || node.outputs[0] == kNoValue) {
      wrong(start, "a constant defines one value");
    }
    ValueDef& value = graph.value(node.outputs[0]);
    if (value.type.kind != Type::Kind::kUnknown || value.symbolic) {
      wrong(start, "a constant has its type after the word");
    }
    Tensor t = tensor();
    value.type = Type::tensor(t.dtype(), Shape(t.dims().begin(), t.dims().end()));
    value.constant = std::move(t);
  }

  bool fact(Graph& graph) {
    if (keyword("ir_version")) {
      graph.ir_version = integer();
    } else if (keyword("producer")) {
      graph.producer = string();
    } else if (keyword("doc")) {
      graph.doc = string();
    } else if (keyword("opset")) {
      std::string domain = string();
      graph.opset_imports.emplace_back(std::move(domain), integer());
    } else if (keyword("metadata")) {
      std::string key = string();
      graph.metadata.emplace_back(std::move(key), string());
    } else {
      return false;
    }
    return true;
  }

  std::unique_ptr<Graph> parse_graph_at_cursor() {
    skip();
    if (++depth_ > kMaxDepth) wrong(at_, fmt::format("blocks are nested over {} deep", kMaxDepth));
    if (!keyword("graph")) wrong(at_, "expected 'graph'");
    auto graph = std::make_unique<Graph>(name());
    need("(");
    while (!take(")")) {
      if (!graph->inputs().empty()) need(",");
      new_value(*graph, true);
    }
    need("{");
    while (fact(*graph)) {
    }
    std::unordered_set<std::string> node_names;
    while (!keyword("return")) {
      if (at_ >= text_.size()) wrong(at_, "expected 'return'");
      statement(*graph, node_names);
    }
    if (peek() != '}') {
      do {
        skip();
        const size_t start = at_;
        const ValueId id = old_value(*graph);
        if (id == kNoValue) wrong(start, "an output cannot be left out");
        graph->add_output(id);
      } while (take(","));
    }
    need("}");
    --depth_;
    return graph;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<Graph> parse_graph(std::string_view text) { return Parser(text).run(); }

}  // namespace planish::ir
