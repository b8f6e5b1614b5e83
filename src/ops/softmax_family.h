// Softmax, LogSoftmax and Hardmax differ in name only here.
#pragma once

#include <string_view>

#include "ops/op.h"

namespace planish::ops {

OpDef softmax_operator(std::string_view name);

}  // namespace planish::ops
