#include "runtime/step.h"

namespace planish::runtime {

void Registry::add(StepKernel kernel) {
  const std::string name(kernel.name);
  if (!kernels_.emplace(name, kernel).second)
    fail(ErrorCode::kInternal, "step kernel '{}' is registered twice", name);
}

void Registry::add_device(std::unique_ptr<Device> device) {
  std::string name(device->name());
  if (!devices_.emplace(name, std::move(device)).second) {
    fail(ErrorCode::kInternal, "device '{}' is registered twice", name);
  }
}

const StepKernel* Registry::find(std::string_view name) const {
  const auto it = kernels_.find(name);
  return it == kernels_.end() ? nullptr : &it->second;
}

Device* Registry::device(std::string_view name) const {
  const auto it = devices_.find(name);
  return it == devices_.end() ? nullptr : it->second.get();
}

}  // namespace planish::runtime
