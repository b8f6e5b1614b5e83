// The contract between the executor and the steps of the providers.
//
// A provider registers step kernels by stable name. Loading a plan calls `check` of each step, then
// `make`; binding shapes calls prepare(); a run calls run() on every worker. Only prepare() may
// allocate or throw; run() is noexcept, allocates nothing and returns a Status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/value.h"
#include "plan/plan.h"

namespace planish::runtime {

// What a step sees of a slot at this moment. Pointers stay valid until the next prepare().
struct SlotView {
  std::byte* data = nullptr;  // null for non-tensors and strings
  DType dtype = DType::kUndefined;
  std::span<const int64_t> dims;  // logical
  const plan::Layout* layout = nullptr;
  Value* value = nullptr;  // non-tensors, string tensors; null otherwise
  int64_t bytes = 0;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

// Access to the step's slots within the frame of its program.
class StepContext {
 public:
  virtual ~StepContext() = default;
  virtual const plan::Step& step() const = 0;
  virtual bool has_input(size_t i) const = 0;
  virtual SlotView input(size_t i) const = 0;
  virtual SlotView output(size_t i) const = 0;
  virtual bool has_output(size_t i) const = 0;
  virtual SlotView workspace(size_t i) const = 0;
  // kDynamic outputs: give the slot its dims (grow-only buffer) and return the new view.
  virtual SlotView resize_output(size_t i, DType dtype, std::span<const int64_t> dims) = 0;
  // kDynamic outputs: take over a whole value (non-tensors, strings, tensors from a fallback).
  virtual void set_output(size_t i, Value value) = 0;
  virtual int workers() const = 0;
  // Keeps the text of a failed step; the step then returns Status::kFailed. Thread safe.
  virtual void report(const Error& error) noexcept = 0;
  // kCancelled or kDeadline when the run should end, else kOk. For steps that take long: the
  // executor asks between steps.
  virtual Status stopped() const noexcept = 0;
  // Bytes that the context may still take before it reaches its limit.
  virtual int64_t memory_left() const = 0;
};

class Step {
 public:
  virtual ~Step() = default;
  // Sizes or addresses of the slots may have changed. Throws Error on sizes it cannot take.
  virtual void prepare(StepContext& context) = 0;
  // Called by every worker of the team, worker in [0, workers). The executor puts a barrier in
  // front unless the plan says otherwise. Outputs that are kDynamic and sized by the data are made
  // in run() by worker 0 through `context` (such steps return true from dynamic()).
  virtual Status run(StepContext& context, int worker, int workers) noexcept = 0;
  virtual bool dynamic() const { return false; }
};

struct StepKernel {
  std::string_view name;
  uint32_t version = 1;
  // Throws kInvalidPlan when the step's slots or args break the kernel's constraints.
  void (*check)(const plan::Plan&, const plan::Program&, const plan::Step&) = nullptr;
  std::unique_ptr<Step> (*make)(const plan::Plan&,
                                const plan::Program&,
                                const plan::Step&) = nullptr;
};

// A provider's memory. The host's is the identity: pointers are host pointers.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::byte* allocate(size_t bytes, size_t alignment) = 0;  // throws kOutOfMemory
  virtual void free(std::byte* p) noexcept = 0;
  virtual void copy_in(std::byte* device, const std::byte* host, size_t bytes) = 0;
  virtual void copy_out(std::byte* host, const std::byte* device, size_t bytes) = 0;
  virtual bool host_visible() const = 0;
};

// A provider at run time. Queues belong to asynchronous providers: `wait` blocks until all
// that its steps have submitted is done (called by explicit "copy" and "wait" steps).
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  virtual Memory& memory() = 0;
  virtual Status wait() noexcept { return Status::kOk; }
};

class Registry {
 public:
  void add(StepKernel kernel);  // kInternal when the name is taken
  void add_device(std::unique_ptr<Device> device);
  const StepKernel* find(std::string_view name) const;
  Device* device(
      std::string_view name) const;  // null when unknown; "cpu" and "reference" share the host's

 private:
  std::map<std::string, StepKernel, std::less<>> kernels_;
  std::map<std::string, std::unique_ptr<Device>, std::less<>> devices_;
};

}  // namespace planish::runtime
