// A model behind the C interface: the command line loads and runs as any application does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/type.h"
#include "base/value.h"
#include "plan/plan.h"
#include "planish/planish.h"

namespace planish::cli {

struct ModelOptions {
  int threads = 0;
  bool optimise = true;
  int64_t max_memory = 0;
  std::string provider = "cpu";
  bool strict = false;
};

class Model {
 public:
  // Throws Error with the text of the C interface.
  explicit Model(const std::string& path, const ModelOptions& options = {});
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::vector<plan::Binding>& inputs() const { return inputs_; }
  const std::vector<plan::Binding>& outputs() const { return outputs_; }
  int threads() const;
  std::vector<std::string> notes() const;

  // Inputs are viewed during the call; outputs are views that the next run invalidates.
  std::vector<Value> run(const std::vector<Value>& inputs);
  // Remarks about the last run.
  std::vector<std::string> run_notes() const;

 private:
  planish_plan* plan_ = nullptr;
  planish_context* context_ = nullptr;
  std::vector<plan::Binding> inputs_, outputs_;
};

// Index of the input called `name`; kUsage lists what there is.
size_t input_index(const Model& model, const std::string& name);

}  // namespace planish::cli
