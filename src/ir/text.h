// The text form of a graph, and what printer and parser share.
//
//   graph main(%x: float32[N, 3, 224, 224] @ input, %f: bool[]) {
//     ir_version 8
//     producer "pytorch 2.1"
//     opset "" 17
//     metadata "author" "somebody"
//     %w = constant float32[2, 2] {1, -0, inf, 1e-45}
//     fold %v: float32[2, 2] = Neg(%w) name "neg" value float32[2, 2] {-1, 0, -inf, -1e-45}
//     %y: float32[N, 16, 112, 112] = Conv(%x, %w) {strides = [2, 2]} |> Relu() |> Add(_, %r)
//         name "conv1" from "Conv_0", "Relu_1"
//     %s: int64[4] ~ [N, 16, 112, 112] = Shape(%y)
//     %a, -, %c = ai.onnx.ml::Thing(%y, -, %s)
//     %z: float32[N] = If(%f; %y) with {
//       graph then(%y: float32[N, 16, 112, 112]) {
//         ...
//         return %t
//       }
//       graph else(...) { ... }
//     }
//     return %y, %z
//   }
//
// One node a line; blanks and line breaks mean nothing, `//` starts a comment.
//
// Names. `%name` is a value. A name is bare when it consists of letters, digits and `_ . / -`, does
//   not start with `-` and does not end with one; otherwise it stands in quotes, with the escapes
//   \" \\ \n \t and \xHH for any byte. Operators are `Op` or `domain::Op`.
// Types are those of base/type.h; left out when unknown. `@ name` after it is the ONNX value that
//   the value equals. `~ [...]` is its known content as size expressions, row-major.
// Lists of inputs and outputs: `-` is omitted, captures stand after `;`.
// Constants: `constant TYPE {elements}`. Elements are numbers, true/false, quoted strings or
//   `(re, im)`. Floats are in the shortest form that reads back to the same bits; where none does
//   (NaN other than the usual one, an odd bool), `0x` and the bits. `TYPE #hash` stands for
//   elements left out and cannot be read back.
// Attributes: `2` int, `2.0` float (always with a point, an exponent or a word), `"s"` string,
//   `tensor TYPE {...}`, `type TYPE`, `[...]` a list of one kind; an empty list is `ints[]`,
//   `floats[]`, `strings[]`, `tensors[]`.
// Epilogue: `|> Op(operands) {attributes}`; `_` is the flowing value, `Relu()` is short for
//   `Relu(_)`. `%r` is the next trailing input of the node, `$3` its input 3. Trailing inputs that
//   are not read once each and in order stand after the others: `Conv(%x, %w | %r) |> Add($2, _)`.
// `name` is left out when it equals the name of the first output. `from` lists provenance; `@` and
//   `from` are printed with PrintOptions::provenance.
// `fold` nodes come before the live ones; `value` lists their results, one per output that is
// there.
//
// The parser bounds nesting and never allocates more than a small multiple of the text. It reports
// kInvalidModel with line and column. It does not verify: call verify() for that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/tensor.h"

namespace planish::ir::text {

bool is_bare(std::string_view name);
std::string quoted(std::string_view bytes);
// Bare when possible.
std::string name(std::string_view name);

// The elements of a tensor (not strings), appended as "1, 2, 3".
void print_elements(std::string& out, const Tensor& tensor);
// The inverse: one token per element, for complex types two. Throws kInvalidModel without a place.
Tensor parse_elements(DType dtype, Dims dims, const std::vector<std::string_view>& tokens);

// A float attribute: like an element, but recognisable as a float.
std::string float_attribute(float value);
// Nothing when the token is not a float of this form.
bool parse_float(std::string_view token, float& value);

}  // namespace planish::ir::text
