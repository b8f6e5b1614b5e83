// ai.onnx.ml ZipMap: each row of scores becomes a map from class label to score.
#include "reference/work.h"

namespace planish::reference {
namespace {

std::vector<Value> eval_zip_map(const Call& call) {
  const Tensor& x = call.tensor(0);
  const Ints& ints = call.attributes.get_ints("classlabels_int64s");
  const Strings& strings = call.attributes.get_strings("classlabels_strings");
  if (ints.empty() == strings.empty()) {
    fail(ErrorCode::kInvalidModel,
         "{}: exactly one of classlabels_int64s and classlabels_strings must be given", call.op);
  }
  const auto labels = static_cast<int64_t>(std::max(ints.size(), strings.size()));
  if ((x.rank() != 1 && x.rank() != 2) || x.dim(x.rank() - 1) != labels) {
    fail(ErrorCode::kInvalidInput, "{}: the input is [{}]; expected rows of {} scores", call.op,
         dims_to_string(x.dims()), labels);
  }
  const int64_t rows = x.rank() == 2 ? x.dim(0) : 1;
  const std::vector<double> scores = to_doubles(x);
  Sequence maps;
  for (int64_t i = 0; i < rows; ++i) {
    MapValue map;
    map.keys = ints.empty() ? Tensor::from_strings({labels}, strings)
                            : Tensor::of<int64_t>({labels}, std::span<const int64_t>(ints));
    map.values = from_doubles(
        DType::kFloat32, {labels},
        std::span(scores).subspan(static_cast<size_t>(i * labels), static_cast<size_t>(labels)));
    maps.emplace_back(std::move(map));
  }
  return results(std::move(maps));
}

}  // namespace

PLANISH_REFERENCE(zip_map) { return {"ai.onnx.ml", "ZipMap", &eval_zip_map}; }

}  // namespace planish::reference
