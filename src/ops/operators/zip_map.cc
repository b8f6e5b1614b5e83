#include "ops/ml_rows.h"
#include "ops/shape_helpers.h"

namespace planish::ops {
namespace {

void infer_zip_map(InferContext& context) {
  const size_t ints = context.attributes().get_ints("classlabels_int64s").size();
  const size_t strings = context.attributes().get_strings("classlabels_strings").size();
  if ((ints == 0) == (strings == 0)) {
    context.fail("exactly one of classlabels_int64s and classlabels_strings must be given");
  }
  row_count(context);
  if (const Shape* x = context.input_shape(0)) {
    same_dim(context, x->back(), static_cast<int64_t>(std::max(ints, strings)),
             "the scores of a row and the labels");
  }
  context.set_output(0, Type::sequence(Type::map(ints != 0 ? DType::kInt64 : DType::kString,
                                                 Type::tensor(DType::kFloat32, {}))));
}

}  // namespace

PLANISH_OPERATOR(zip_map) {
  OpDef d;
  d.domain = kMlDomain;
  d.name = "ZipMap";
  d.inputs = {{"X", Arity::kRequired, type_bit(DType::kFloat32)}};
  d.outputs = {{"Z", Arity::kRequired}};
  d.attributes = {{"classlabels_int64s", AttrKind::kInts},
                  {"classlabels_strings", AttrKind::kStrings}};
  d.infer = &infer_zip_map;
  return d;
}

}  // namespace planish::ops
