// Writing and opening .plan files.
//
// write(): to a temporary name beside `path`, flushed and renamed, so that a crash or Ctrl-C never
// leaves half a plan under the final name. Byte-identical for equal plans.
// open(): maps the file shared and read-only; checks header, structure (FlatBuffers verifier),
// checksums of every byte, zero padding and finally meaning (verify()). Throws kInvalidPlan with
// the reason, kIo when the file cannot be read. The result may be used by any number of threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "plan/plan.h"

namespace planish::plan {

void write(const Plan& plan, const std::string& path);
// The same bytes in memory.
std::vector<std::byte> serialize(const Plan& plan);

struct ReadOptions {
  bool checksums = true;  // off only for fuzzing the checks that come after
  unsigned threads = 1;   // of the checksum pass, which also brings the pages in
};

// Reads a plan from bytes; its weights are views into `bytes`, which must be 8-byte aligned and
// outlive the plan.
Plan read(std::span<const std::byte> bytes, const ReadOptions& options = {});

struct OpenPlan {
  MappedFile file;
  Plan plan;  // weights are views into file
};
std::unique_ptr<OpenPlan> open(const std::string& path, const ReadOptions& options = {});

// Whether the bytes begin like a plan file.
bool looks_like_plan(std::span<const std::byte> bytes);

// Checks everything the structure promises: slots, registers, order of definition, lifetimes,
// constants inside the weights, programs called once and forward. Throws kInvalidPlan naming
// program, step or slot. The compiler calls it on what it made, the reader on what it got.
void verify(const Plan& plan);

}  // namespace planish::plan
