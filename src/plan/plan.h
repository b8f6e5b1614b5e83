// A plan as plain structs: what the compiler makes, the file stores and the runtime runs.
// The file format is documented in docs/plan_format.md; writer, reader and verifier stand beside.
//
// A plan is a set of programs. Program 0 is main; control-flow steps call the others. A program has
// slots (what flows), int64 registers (sizes) and steps. Sizes: every dim of a slot is a constant
// or a register. Registers are filled by symbols (read off an input's dims at bind, or off a
// slot's dims or content after the step that makes it) and by size programs, a small checked
// bytecode that runs at bind or right after the defining step.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/attribute.h"
#include "base/dtype.h"
#include "base/tensor.h"

namespace planish::plan {

inline constexpr uint32_t kFormatVersion = 1;
inline constexpr uint32_t kNone = 0xffffffffu;  // no slot, register, program, ...

enum class SlotKind : uint8_t { kTensor, kSequence, kOptional, kMap };

enum class Storage : uint8_t {
  kInput,     // bound by the caller (main) or the calling step (other programs)
  kConstant,  // lies in the weights section
  kArena,     // dims known at bind: placed in the arena by lifetime
  kDynamic,   // sized by its step (or right before it), grow-only buffer; also every non-tensor
  kAlias,     // the bytes of another slot under other dims (reshape); lifetime counted there
};

// Physical order of a tensor's elements. Empty permutation: row-major by logical dims. Else the
// logical axes from outermost to innermost ({0,2,3,1}: NHWC of an NCHW tensor); block > 1 splits
// block_axis so that `block` of its elements lie innermost.
struct Layout {
  std::vector<uint8_t> permutation;
  uint32_t block = 1;
  uint32_t block_axis = 0;
  bool operator==(const Layout&) const = default;
  bool row_major() const { return permutation.empty() && block == 1; }
};

struct Dim {
  int64_t constant = 0;
  uint32_t reg = kNone;  // when set, rules over constant
  bool operator==(const Dim&) const = default;
};

struct Slot {
  std::string name;       // IR value name
  std::string onnx_name;  // the ONNX value it equals, empty when none
  SlotKind kind = SlotKind::kTensor;
  DType dtype = DType::kUndefined;
  bool ranked = true;  // false: rank known only at run time (kDynamic or kInput)
  std::vector<Dim> dims;
  Layout layout;
  Storage storage = Storage::kArena;
  uint32_t device = 0;        // index into Plan::providers: whose memory holds it
  uint32_t alias_of = kNone;  // kAlias
  uint64_t offset = 0;        // kConstant: into the weights section, 64-byte aligned
  uint64_t bytes = 0;         // kConstant
  // kConstant: where it came from ("initializer NAME", "fold VALUE", "pack KERNEL of SLOTNAME");
  // the recipes themselves stand in Plan::recipes.
  std::string recipe;
  // Lifetime in steps of its program, both inclusive; outputs of the program live to the end.
  uint32_t first_step = 0;
  uint32_t last_step = 0;
};

enum class SizeOp : uint8_t { kConst, kAdd, kSub, kMul, kFloorDiv, kCeilDiv, kMod, kMin, kMax };

struct SizeInstr {
  SizeOp op = SizeOp::kConst;
  uint32_t dst = 0, a = 0, b = 0;  // registers
  int64_t imm = 0;                 // kConst
};

// A register read off a slot: dims[index] or, with `content`, element `index` of an integer tensor.
struct Symbol {
  std::string name;
  uint32_t reg = 0;
  uint32_t slot = 0;
  uint32_t index = 0;
  bool content = false;
  uint32_t after_step = kNone;                // kNone: at bind
  int64_t min = 0, opt = 1, max = INT64_MAX;  // inclusive range; outside is an error at bind
};

struct SizeProgram {
  uint32_t after_step = kNone;  // kNone: at bind
  std::vector<SizeInstr> code;
};

struct Step {
  std::string kernel;            // stable name: "cpu.conv2d_f32", "reference", "control.if", ...
  uint32_t version = 1;          // of its arguments
  uint32_t provider = 0;         // index into Plan::providers
  std::vector<uint32_t> inputs;  // slots; kNone where omitted
  std::vector<uint32_t> outputs;
  std::vector<uint32_t> workspaces;  // arena slots of this step alone
  Attributes args;
  std::vector<uint32_t> programs;  // control flow: then, else / body
  std::string name;                // IR node name
  std::vector<std::string> provenance;
  double flops = 0, bytes = 0;  // at opt sizes, for reports
  // Workers must meet before this step. False only where each worker reads what it wrote itself.
  bool barrier = true;
};

struct Program {
  std::string name;
  std::vector<Slot> slots;
  std::vector<uint32_t> inputs, outputs;  // slots
  uint32_t registers = 0;
  std::vector<Symbol> symbols;
  std::vector<SizeProgram> sizes;  // in order of after_step, bind first
  std::vector<Step> steps;
};

// One input or output of the model as the user sees it.
struct Binding {
  std::string name;  // ONNX name
  std::string type;  // base/type.h text, symbols by name: "float32[N, 3, 224, 224]"
  // Integer inputs that reach index operands (Gather): values must lie in [0, bound). 0: no bound
  // known.
  int64_t bound = 0;
  // Outputs whose size only the run can tell: the type that the model's file declares, a claim that
  // a run may disprove. Empty: nothing is declared, or inference has settled it.
  std::string declared = {};
};

// Where a node went and why.
struct Placement {
  std::string node;
  std::string op;
  std::string provider;
  std::string kernel;
  std::string reason;  // why not an earlier provider; empty for the first choice
  bool fallback = false;
  std::vector<std::string> provenance;
};

struct DecisionRecord {
  uint64_t sequence = 0;
  std::string pass;
  bool fired = false;
  std::string node, what;
  std::vector<std::string> provenance;
};

// The comparison with the reference made by build.
struct Evidence {
  bool done = false;
  std::string how;  // "end-to-end, seed 1, N=1"
  uint64_t seed = 0;
  uint32_t outputs = 0;             // compared
  double max_abs = 0, max_rel = 0;  // max_rel: of the largest reference magnitude per output
  double tolerance = 0;             // on max_rel
};

struct GraphFacts {
  uint64_t nodes_before = 0, nodes_after = 0, rewrites = 0;
  uint64_t weight_bytes_before = 0, weight_bytes_after = 0;
};

struct Machine {
  std::string isa;    // "avx2", "portable", ...
  std::string model;  // CPU model name
  uint64_t l1d = 0, l2 = 0, l3 = 0;
};

// A range of the weights section: a view that must outlive the plan, or owned bytes.
struct Weight {
  uint64_t offset = 0;
  Tensor data;  // packed bytes as stored (dtype as in the slot, or uint8 for packs)
};

struct Plan {
  uint32_t format_version = kFormatVersion;
  std::string planish_version;
  Machine machine;
  uint64_t source_hash = 0;  // xxh3-64 of the .onnx (external data not included)
  std::string source_name;   // base name of the model, no path
  std::vector<std::pair<std::string, std::string>> options;   // build options that decide content
  std::vector<std::pair<std::string, std::string>> metadata;  // ONNX metadata_props
  std::vector<std::string> providers;                         // names, in priority order
  std::vector<Binding> inputs, outputs;
  std::vector<Program> programs;
  uint32_t threads = 1;
  std::vector<Placement> placements;
  std::vector<DecisionRecord> decisions;
  Evidence evidence;
  GraphFacts facts;
  std::string recipes;  // text form of the fold graph (ir printer), for refit and re-tuning
  uint64_t weights_bytes = 0;
  std::vector<Weight> weights;  // sorted by offset; after reading: one view per constant slot
};

}  // namespace planish::plan
