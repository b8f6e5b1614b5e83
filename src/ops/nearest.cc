// Suggestions for an operator that is not known: a typing mistake, a name of another framework, or
// another domain.
#include <algorithm>
#include <array>
#include <cctype>

#include "ops/op.h"

namespace planish::ops {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Levenshtein distance, one row at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

struct Alias {
  std::string_view theirs;  // lower case
  std::string_view ours;
};
constexpr auto kAliases = std::to_array<Alias>({
    {"activation", "Relu"},
    {"avgpool", "AveragePool"},
    {"avgpool2d", "AveragePool"},
    {"batchmatmul", "MatMul"},
    {"batchnorm", "BatchNormalization"},
    {"batchnorm2d", "BatchNormalization"},
    {"broadcastto", "Expand"},
    {"concatenate", "Concat"},
    {"conv1d", "Conv"},
    {"conv2d", "Conv"},
    {"conv3d", "Conv"},
    {"convolution", "Conv"},
    {"deconvolution", "ConvTranspose"},
    {"dense", "Gemm"},
    {"divide", "Div"},
    {"fullyconnected", "Gemm"},
    {"groupnorm", "GroupNormalization"},
    {"hardswish", "HardSwish"},
    {"index", "Gather"},
    {"instancenorm", "InstanceNormalization"},
    {"interpolate", "Resize"},
    {"layernorm", "LayerNormalization"},
    {"linear", "Gemm"},
    {"maxpool2d", "MaxPool"},
    {"multiply", "Mul"},
    {"permute", "Transpose"},
    {"power", "Pow"},
    {"rmsnorm", "RMSNormalization"},
    {"select", "Where"},
    {"silu", "Swish"},
    {"squaredifference", "Sub"},
    {"subtract", "Sub"},
    {"upsample2d", "Resize"},
    {"view", "Reshape"},
});

}  // namespace

std::vector<std::string> nearest(std::string_view domain, std::string_view name, size_t count) {
  // A model controls the name: a long one resembles nothing.
  constexpr size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  const std::string wanted = lower(name);
  struct Candidate {
    size_t distance;
    std::string shown;
  };
  std::vector<Candidate> candidates;
  for (const OpDef& def : all()) {
    const std::string known = lower(def.name);
    size_t distance = edit_distance(wanted, known);
    // One inside the other ("LayerNorm" in "LayerNormalization") counts as near.
    const bool inside =
        wanted.size() >= 3 && known.size() >= 3 &&
        (known.find(wanted) != std::string::npos || wanted.find(known) != std::string::npos);
    if (inside) distance = std::min<size_t>(distance, 2);
    for (const Alias& alias : kAliases) {
      if (alias.theirs == wanted && alias.ours == def.name) distance = 0;
    }
    if (distance > std::max<size_t>(2, wanted.size() / 2)) continue;
    std::string shown(def.name);
    if (def.domain != domain) {
      shown =
          fmt::format("{} of domain '{}'", def.name, def.domain.empty() ? "ai.onnx" : def.domain);
      ++distance;
    }
    candidates.push_back({distance, std::move(shown)});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  std::vector<std::string> names;
  for (Candidate& c : candidates) {
    if (names.size() == count) break;
    names.push_back(std::move(c.shown));
  }
  return names;
}

const OpDef& definition(const ir::Node& node) {
  if (const OpDef* def = find(node.domain, node.op)) return *def;
  std::string hint;
  for (const std::string& name : nearest(node.domain, node.op)) {
    hint += (hint.empty() ? "; nearest: " : ", ") + name;
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("operator '{}' of domain '{}' is not known{}", node.op,
                          node.domain.empty() ? "ai.onnx" : node.domain, hint))
      .at_node(node.name);
}

}  // namespace planish::ops
