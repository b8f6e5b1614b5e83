#include "base/error.h"

namespace planish {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kInvalidModel:
      return "invalid model";
    case ErrorCode::kInvalidPlan:
      return "invalid plan";
    case ErrorCode::kInvalidInput:
      return "invalid input";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kIo:
      return "i/o";
    case ErrorCode::kOutOfMemory:
      return "out of memory";
    case ErrorCode::kData:
      return "data";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDeadline:
      return "deadline";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kIndexOutOfRange:
      return "index out of range";
    case Status::kDivideByZero:
      return "integer division by zero";
    case Status::kOutOfMemory:
      return "out of memory";
    case Status::kCancelled:
      return "cancelled";
    case Status::kDeadline:
      return "deadline passed";
    case Status::kFailed:
      return "failed";
  }
  return "unknown";
}

Error& Error::at_node(std::string_view node) {
  if (node_.empty()) {
    node_ = node;
    compose();
  }
  return *this;
}

Error& Error::in_file(std::string_view file) {
  if (file_.empty()) {
    file_ = file;
    compose();
  }
  return *this;
}

void Error::compose() {
  what_.clear();
  if (!file_.empty()) what_ += file_ + ": ";
  if (!node_.empty()) what_ += "node '" + node_ + "': ";
  what_ += message_;
}

}  // namespace planish
