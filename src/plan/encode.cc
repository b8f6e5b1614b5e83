#include "plan/format.h"
#include "plan/plan_generated.h"
#include "plan/structure.h"

namespace planish::plan {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

template <class T>
using Vec = Offset<flatbuffers::Vector<T>>;

class Encoder {
  // Equal strings are stored once; the order of first use decides, so the bytes are reproducible.
  Offset<flatbuffers::String> str(const std::string& s) { return b_.CreateSharedString(s); }

  template <class List, class F>
  auto map(const List& list, F&& make) {
    std::vector<decltype(make(*list.begin()))> offsets;
    offsets.reserve(list.size());
    for (const auto& item : list) offsets.push_back(make(item));
    return b_.CreateVector(offsets);
  }
  Vec<Offset<flatbuffers::String>> strings(const std::vector<std::string>& list) {
    return map(list, [&](const std::string& s) { return str(s); });
  }

  Offset<fb::TensorData> tensor(const Tensor& t) {
    const auto dims = b_.CreateVector(t.dims());
    const auto text = strings(t.strings());
    b_.ForceVectorAlignment(static_cast<size_t>(t.bytes()), 1, 16);
    const auto bytes =
        b_.CreateVector(reinterpret_cast<const uint8_t*>(t.raw()), static_cast<size_t>(t.bytes()));
    return fb::CreateTensorData(b_, static_cast<uint8_t>(t.dtype()), dims, bytes, text);
  }

  Offset<fb::Attr> attribute(const std::string& name, const Attribute& a) {
    const auto key = str(name);
    Offset<flatbuffers::String> s;
    Vec<int64_t> ints;
    Vec<float> floats;
    Vec<Offset<flatbuffers::String>> text;
    Vec<Offset<fb::TensorData>> tensors;
    int64_t i = 0;
    float f = 0;
    if (const auto* v = std::get_if<int64_t>(&a)) i = *v;
    if (const auto* v = std::get_if<float>(&a)) f = *v;
    if (const auto* v = std::get_if<std::string>(&a)) s = str(*v);
    if (const auto* v = std::get_if<Type>(&a)) s = str(to_string(*v));
    if (const auto* v = std::get_if<Ints>(&a)) ints = b_.CreateVector(*v);
    if (const auto* v = std::get_if<Floats>(&a)) floats = b_.CreateVector(*v);
    if (const auto* v = std::get_if<Strings>(&a)) text = strings(*v);
    if (const auto* v = std::get_if<Tensor>(&a))
      tensors = map(std::span(v, 1), [&](const Tensor& t) { return tensor(t); });
    if (const auto* v = std::get_if<Tensors>(&a))
      tensors = map(*v, [&](const Tensor& t) { return tensor(t); });
    return fb::CreateAttr(b_, key, static_cast<uint8_t>(a.index()), i, f, s, ints, floats, text,
                          tensors);
  }

  Offset<fb::Slot> slot(const Slot& s) {
    std::vector<fb::Dim> dims;
    for (const auto& d : s.dims) dims.emplace_back(d.constant, d.reg);
    const auto name = str(s.name);
    const auto onnx_name = str(s.onnx_name);
    const auto recipe = str(s.recipe);
    const auto dim_list = b_.CreateVectorOfStructs(dims);
    const auto permutation = b_.CreateVector(s.layout.permutation);
    return fb::CreateSlot(
        b_, name, onnx_name, static_cast<uint8_t>(s.kind), static_cast<uint8_t>(s.dtype), s.ranked,
        dim_list, permutation, s.layout.block, s.layout.block_axis, static_cast<uint8_t>(s.storage),
        s.device, s.alias_of, s.offset, s.bytes, recipe, s.first_step, s.last_step);
  }

  Offset<fb::Step> step(const Step& s) {
    const auto kernel = str(s.kernel);
    const auto inputs = b_.CreateVector(s.inputs);
    const auto outputs = b_.CreateVector(s.outputs);
    const auto workspaces = b_.CreateVector(s.workspaces);
    const auto args =
        map(s.args, [&](const auto& entry) { return attribute(entry.first, entry.second); });
    const auto programs = b_.CreateVector(s.programs);
    const auto name = str(s.name);
    const auto provenance = strings(s.provenance);
    return fb::CreateStep(b_, kernel, s.version, s.provider, inputs, outputs, workspaces, args,
                          programs, name, provenance, s.flops, s.bytes, s.barrier);
  }

  Offset<fb::Program> program(const Program& p) {
    const auto name = str(p.name);
    const auto slots = map(p.slots, [&](const Slot& s) { return slot(s); });
    const auto inputs = b_.CreateVector(p.inputs);
    const auto outputs = b_.CreateVector(p.outputs);
    const auto symbols = map(p.symbols, [&](const Symbol& s) {
      return fb::CreateSymbol(b_, str(s.name), s.reg, s.slot, s.index, s.content, s.after_step,
                              s.min, s.opt, s.max);
    });
    const auto sizes = map(p.sizes, [&](const SizeProgram& s) {
      std::vector<fb::SizeInstr> code;
      for (const auto& i : s.code)
        code.emplace_back(static_cast<uint8_t>(i.op), i.dst, i.a, i.b, i.imm);
      return fb::CreateSizeProgram(b_, s.after_step, b_.CreateVectorOfStructs(code));
    });
    const auto steps = map(p.steps, [&](const Step& s) { return step(s); });
    return fb::CreateProgram(b_, name, slots, inputs, outputs, p.registers, symbols, sizes, steps);
  }

  FlatBufferBuilder b_{1 << 16};

 public:
  std::vector<std::byte> encode(const Plan& plan, std::span<const uint64_t> weight_hashes) {
    const auto pairs = [&](const auto& list) {
      return map(list,
                 [&](const auto& p) { return fb::CreatePair(b_, str(p.first), str(p.second)); });
    };
    const auto bindings = [&](const std::vector<Binding>& list) {
      return map(list, [&](const Binding& x) {
        return fb::CreateBinding(b_, str(x.name), str(x.type), x.bound, str(x.declared));
      });
    };

    const auto& m = plan.machine;
    const auto machine = fb::CreateMachine(b_, str(m.isa), str(m.model), m.l1d, m.l2, m.l3);
    const auto version = str(plan.planish_version);
    const auto source = str(plan.source_name);
    const auto options = pairs(plan.options);
    const auto metadata = pairs(plan.metadata);
    const auto providers = strings(plan.providers);
    const auto inputs = bindings(plan.inputs);
    const auto outputs = bindings(plan.outputs);
    const auto programs = map(plan.programs, [&](const Program& p) { return program(p); });
    const auto placements = map(plan.placements, [&](const Placement& p) {
      return fb::CreatePlacement(b_, str(p.node), str(p.op), str(p.provider), str(p.kernel),
                                 str(p.reason), p.fallback, strings(p.provenance));
    });
    const auto decisions = map(plan.decisions, [&](const DecisionRecord& d) {
      return fb::CreateDecision(b_, d.sequence, str(d.pass), d.fired, str(d.node), str(d.what),
                                strings(d.provenance));
    });
    const auto& e = plan.evidence;
    const auto evidence = fb::CreateEvidence(b_, e.done, str(e.how), e.seed, e.outputs, e.max_abs,
                                             e.max_rel, e.tolerance);
    const auto& f = plan.facts;
    const auto facts = fb::CreateFacts(b_, f.nodes_before, f.nodes_after, f.rewrites,
                                       f.weight_bytes_before, f.weight_bytes_after);
    const auto recipes = str(plan.recipes);
    const auto hashes = b_.CreateVector(weight_hashes.data(), weight_hashes.size());
    b_.Finish(fb::CreatePlan(b_, version, machine, plan.source_hash, source, options, metadata,
                             providers, inputs, outputs, programs, plan.threads, placements,
                             decisions, evidence, facts, recipes, plan.weights_bytes, kWeightChunk,
                             hashes));
    const auto* data = reinterpret_cast<const std::byte*>(b_.GetBufferPointer());
    return {data, data + b_.GetSize()};
  }
};

}  // namespace

std::vector<std::byte> encode_structure(const Plan& plan, std::span<const uint64_t> weight_hashes) {
  return Encoder().encode(plan, weight_hashes);
}

}  // namespace planish::plan
