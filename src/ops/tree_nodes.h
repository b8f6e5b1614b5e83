// The nodes_* attributes of TreeEnsembleClassifier and TreeEnsembleRegressor.
#pragma once

#include <vector>

#include "ops/op.h"

namespace planish::ops {

inline std::vector<AttrSpec> tree_attributes(std::vector<AttrSpec> extra) {
  std::vector<AttrSpec> list = {{"base_values", AttrKind::kFloats},
                                {"base_values_as_tensor", AttrKind::kTensor},
                                {"nodes_falsenodeids", AttrKind::kInts},
                                {"nodes_featureids", AttrKind::kInts},
                                {"nodes_hitrates", AttrKind::kFloats},
                                {"nodes_hitrates_as_tensor", AttrKind::kTensor},
                                {"nodes_missing_value_tracks_true", AttrKind::kInts},
                                {"nodes_modes", AttrKind::kStrings},
                                {"nodes_nodeids", AttrKind::kInts},
                                {"nodes_treeids", AttrKind::kInts},
                                {"nodes_truenodeids", AttrKind::kInts},
                                {"nodes_values", AttrKind::kFloats},
                                {"nodes_values_as_tensor", AttrKind::kTensor},
                                {"post_transform", AttrKind::kString}};
  list.insert(list.end(), extra.begin(), extra.end());
  return list;
}

}  // namespace planish::ops
