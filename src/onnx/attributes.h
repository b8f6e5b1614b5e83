// AttributeProto to Attribute.
#pragma once

#include "base/attribute.h"
#include "onnx/constants.h"
#include "onnx/proto.h"
#include "onnx/types.h"

namespace planish::onnx {

// The kind of an attribute. Files of IR version 1 leave `type` out: the field that is set tells.
// kInvalidModel when `type` is none of ONNX's, or names another field than the one that is set.
AttributeProto::AttributeType attribute_type(const AttributeProto& attribute);

// Its value. Tensors are views as Constants makes them. kUnsupported for kinds that no operator
// outside Constant has (sparse tensors, lists of types); subgraphs are the importer's business.
Attribute to_attribute(const AttributeProto& attribute, Constants& constants, Symbols& symbols);

}  // namespace planish::onnx
