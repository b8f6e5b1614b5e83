// What this machine is: instruction sets that may be used, core model, caches; and what this
// process may take of it: cores and memory under the limits of its control group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace planish {

// Each flag also means that the operating system saves the registers it needs.
struct Isa {
  bool sse42 = false;
  bool avx = false;
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512vl = false;
  bool avx512vnni = false;
  bool avx512bf16 = false;
  bool avx512fp16 = false;
  bool avx_vnni = false;
  bool amx_tile = false;
  bool amx_int8 = false;
  bool amx_bf16 = false;
  bool neon = false;
  bool dotprod = false;  // Arm's 8-bit dot product
  bool i8mm = false;

  bool operator==(const Isa&) const = default;
};

// Names of the flags that are set, in the order above: {"sse4.2", "avx", ...}.
std::vector<std::string> isa_names(const Isa& isa);

struct CpuInfo {
  std::string architecture;  // "x86_64", "aarch64", ...
  std::string vendor;        // "AuthenticAMD", empty when unknown
  std::string model;         // "AMD EPYC 7B13", empty when unknown
  Isa isa;
  int logical_cores = 1;  // of the machine, online
  int64_t l1d_bytes = 0;  // of one core; 0 when unknown
  int64_t l2_bytes = 0;
  int64_t l3_bytes = 0;  // of one group of cores that share it
  int64_t line_bytes = 64;
};

// `root` stands before /proc and /sys, so that a test can show another machine. The instruction
// sets come from the processor itself.
CpuInfo read_cpu_info(const std::string& root = "");

struct ProcessLimits {
  int cores = 1;             // cores this process may run on at once, at least 1
  int affinity_cores = 1;    // from the affinity mask alone
  double quota_cores = 0;    // from the control group's CPU quota; 0: no quota
  int64_t memory_limit = 0;  // bytes, the control group's limit; 0: no limit
  int64_t memory_available =
      0;               // bytes free to take now: the lesser of the machine's and the group's
  std::string source;  // where the limits were read: "cgroup v2", "cgroup v1", "none"
};

// Reads afresh at every call: limits change while a container runs.
ProcessLimits read_process_limits(const std::string& root = "");

}  // namespace planish
