// Patterns are RE2's, as ONNX says.
#include <re2/re2.h>

#include "reference/blocks.h"

namespace planish::reference {

namespace {

std::vector<Value> eval_regex_full_match(const Call& call) {
  const Tensor& x = call.tensor(0);
  if (x.dtype() != DType::kString) unsupported_type(call, x.dtype());
  const std::string& pattern = call.attributes.get_string("pattern");
  const RE2 regex(pattern, RE2::Quiet);
  if (!regex.ok())
    fail(ErrorCode::kInvalidModel, "RegexFullMatch: pattern \"{}\": {}", pattern, regex.error());
  Tensor out = call.make(DType::kBool, x.dims());
  const std::span<bool> matches = out.mutable_data<bool>();
  for (size_t i = 0; i < matches.size(); ++i) matches[i] = RE2::FullMatch(x.strings()[i], regex);
  return single(std::move(out));
}

}  // namespace

PLANISH_REFERENCE(regex_full_match) { return {"", "RegexFullMatch", &eval_regex_full_match}; }

}  // namespace planish::reference
