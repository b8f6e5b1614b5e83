// The one exception type of the library, and the status codes that cross thread barriers.
//
// Everything above the kernels throws planish::Error; the C API turns it into a status and a text.
// Kernels never throw: they return a Status (see style: no exception crosses a barrier).
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace planish {

enum class ErrorCode : int32_t {
  kUsage = 1,     // a wrong flag, name or combination of options
  kInvalidModel,  // the .onnx (or graph) breaks a rule of ONNX
  kInvalidPlan,   // the .plan is damaged, of another version, or lies
  kInvalidInput,  // an input does not fit the declared name, type or shape
  kUnsupported,   // a legal model asks for something that is not there
  kIo,            // a file cannot be opened, read or written
  kOutOfMemory,   // over --max-memory or the machine's own limit
  kData,          // a value makes an operator undefined: index out of range, division by zero
  kCancelled,     // the caller asked to stop
  kDeadline,      // ran past the deadline
  kMismatch,      // a check against a reference did not hold
  kInternal,      // a broken promise between two parts of Planish: always our bug
};

std::string_view to_string(ErrorCode code);

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {
    compose();
  }

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& node() const { return node_; }  // ONNX node name, empty when unknown
  const std::string& file() const { return file_; }  // path as the user gave it, empty when unknown

  // Adds the culprit on the way up; the innermost answer wins, so a second call changes nothing.
  Error& at_node(std::string_view node);
  Error& in_file(std::string_view file);

  // "file: node 'name': message".
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  void compose();

  ErrorCode code_;
  std::string message_, node_, file_, what_;
};

// fail(ErrorCode::kInvalidModel, "axis {} is outside [-{}, {})", axis, rank, rank);
template <class... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

// What a kernel or a step returns. Values are stored nowhere, so the order is free.
enum class Status : int32_t {
  kOk = 0,
  kIndexOutOfRange,
  kDivideByZero,
  kOutOfMemory,
  kCancelled,
  kDeadline,
  kFailed,  // an Error was caught; its text is in the context
};

std::string_view to_string(Status status);

}  // namespace planish
