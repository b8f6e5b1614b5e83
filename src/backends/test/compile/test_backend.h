// Compile side of the test provider: takes only the operators it is told to take, and can refuse in
// the middle of lowering.
#pragma once

#include <set>
#include <string>

#include "backends/backend.h"

namespace planish::backends::test {

struct TestBackendOptions {
  std::set<std::string> operators;   // names it supports, float32 only
  std::set<std::string> fail_lower;  // node names at which lower() throws kUnsupported
  std::set<std::string> fail_run;    // node names whose step fails at run time
};

std::unique_ptr<Backend> make_backend(TestBackendOptions options);

}  // namespace planish::backends::test
