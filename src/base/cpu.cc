#include "base/cpu.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace planish {
namespace {

#if defined(__x86_64__) || defined(__i386__)

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d) == 0) return {};
  return r;
}

// Which register files the operating system saves on a task switch (XCR0).
uint64_t saved_state() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

Isa detect_isa() {
  const auto bit = [](unsigned word, int n) { return ((word >> n) & 1) != 0; };
  const Registers one = cpuid(1), seven = cpuid(7),
                  seven1 = seven.a >= 1 ? cpuid(7, 1) : Registers{};
  const uint64_t state = bit(one.c, 27) ? saved_state() : 0;  // bit 27: xgetbv may be used
  const bool ymm = (state & 0x6) == 0x6;
  const bool zmm = (state & 0xE6) == 0xE6;
  const bool tiles = (state & 0x60000) == 0x60000;
  Isa isa;
  isa.sse42 = bit(one.c, 20);
  isa.avx = ymm && bit(one.c, 28);
  isa.avx2 = ymm && bit(seven.b, 5);
  isa.fma = ymm && bit(one.c, 12);
  isa.f16c = ymm && bit(one.c, 29);
  isa.avx512f = zmm && bit(seven.b, 16);
  isa.avx512bw = isa.avx512f && bit(seven.b, 30);
  isa.avx512vl = isa.avx512f && bit(seven.b, 31);
  isa.avx512vnni = isa.avx512f && bit(seven.c, 11);
  isa.avx512bf16 = isa.avx512f && bit(seven1.a, 5);
  isa.avx512fp16 = isa.avx512f && bit(seven.d, 23);
  isa.avx_vnni = ymm && bit(seven1.a, 4);
  isa.amx_tile = tiles && bit(seven.d, 24);
  isa.amx_int8 = isa.amx_tile && bit(seven.d, 25);
  isa.amx_bf16 = isa.amx_tile && bit(seven.d, 22);
  return isa;
}

std::string cpuid_vendor() {
  const Registers r = cpuid(0);
  std::array<char, 12> text;
  std::memcpy(text.data(), &r.b, 4);
  std::memcpy(text.data() + 4, &r.d, 4);
  std::memcpy(text.data() + 8, &r.c, 4);
  return {text.data(), text.size()};
}

#elif defined(__aarch64__) && defined(__linux__)

Isa detect_isa() {
  const unsigned long one = getauxval(AT_HWCAP), two = getauxval(AT_HWCAP2);
  Isa isa;
  isa.neon = (one & (1ul << 1)) != 0;      // HWCAP_ASIMD
  isa.dotprod = (one & (1ul << 20)) != 0;  // HWCAP_ASIMDDP
  isa.i8mm = (two & (1ul << 13)) != 0;     // HWCAP2_I8MM
  return isa;
}
std::string cpuid_vendor() { return {}; }

#else

Isa detect_isa() { return {}; }
std::string cpuid_vendor() { return {}; }

#endif

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Calls f with each line.
template <class F>
void for_lines(std::string_view text, F f) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    f(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

std::string read_or_empty(const std::string& path) {
  try {
    return read_text_file(path);
  } catch (const Error&) {
    return {};  // not there on this system or not readable here: unknown
  }
}

std::optional<int64_t> to_number(std::string_view text) {
  text = trimmed(text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "32K", "8192K", "16M".
int64_t parse_cache_size(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return 0;
  int64_t unit = 1;
  if (text.back() == 'K') unit = 1 << 10;
  if (text.back() == 'M') unit = 1 << 20;
  if (unit > 1) text.remove_suffix(1);
  return to_number(text).value_or(0) * unit;
}

void read_caches(const std::string& root, CpuInfo& info) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder =
        fmt::format("{}/sys/devices/system/cpu/cpu0/cache/index{}/", root, i);
    const std::string level = read_or_empty(folder + "level");
    if (level.empty()) break;
    const std::string type = read_or_empty(folder + "type");
    if (trimmed(type) == "Instruction") continue;
    const int64_t bytes = parse_cache_size(read_or_empty(folder + "size"));
    switch (to_number(level).value_or(0)) {
      case 1:
        info.l1d_bytes = bytes;
        break;
      case 2:
        info.l2_bytes = bytes;
        break;
      case 3:
        info.l3_bytes = bytes;
        break;
      default:
        break;
    }
    if (const auto line = to_number(read_or_empty(folder + "coherency_line_size"));
        line.value_or(0) > 0) {
      info.line_bytes = *line;
    }
  }
}

// --- limits -------------------------------------------------------------------------------------

void lower(int64_t& limit, int64_t value) {
  // Version 1 writes "no limit" as a number near 2^63.
  if (value > 0 && value < (int64_t{1} << 60) && (limit == 0 || value < limit)) limit = value;
}

void lower(double& limit, double value) {
  if (value > 0 && (limit == 0 || value < limit)) limit = value;
}

// Calls f for the group's own folder under `mount` and for each of its parents: a limit of any of
// them binds. In a container the path may lead outside of what is mounted; then only the root is
// left.
template <class F>
void for_ancestors(const std::string& mount, std::string_view group, F f) {
  while (true) {
    while (!group.empty() && group.back() == '/') group.remove_suffix(1);
    f(mount + std::string(group));
    if (group.empty()) return;
    const auto slash = group.rfind('/');
    group = slash == std::string_view::npos ? std::string_view{} : group.substr(0, slash);
  }
}

// Memory that may still be taken within one group: its limit less its use, file pages excluded
// (they are given back on demand).
void lower_by_usage(ProcessLimits& limits,
                    int64_t limit,
                    const std::string& usage_file,
                    const std::string& stat_file,
                    std::string_view inactive_key) {
  if (limit <= 0 || limit >= (int64_t{1} << 60)) return;
  int64_t used = to_number(read_or_empty(usage_file)).value_or(0);
  for_lines(read_or_empty(stat_file), [&](std::string_view line) {
    if (line.starts_with(inactive_key) && line.size() > inactive_key.size() &&
        line[inactive_key.size()] == ' ') {
      used -= to_number(line.substr(inactive_key.size())).value_or(0);
    }
  });
  const int64_t left = std::max<int64_t>(limit - std::max<int64_t>(used, 0), 0);
  if (limits.memory_available == 0 || left < limits.memory_available)
    limits.memory_available = left;
}

void read_group_v2(const std::string& root, std::string_view group, ProcessLimits& limits) {
  for_ancestors(root + "/sys/fs/cgroup", group, [&](const std::string& folder) {
    const std::string cpu = read_or_empty(folder + "/cpu.max");  // "max 100000" or "150000 100000"
    const auto space = cpu.find(' ');
    if (space != std::string::npos) {
      const auto quota = to_number(std::string_view(cpu).substr(0, space));
      const auto period = to_number(std::string_view(cpu).substr(space));
      if (quota && period && *quota > 0 && *period > 0) {
        lower(limits.quota_cores, static_cast<double>(*quota) / static_cast<double>(*period));
      }
    }
    if (const auto memory = to_number(read_or_empty(folder + "/memory.max"))) {
      lower(limits.memory_limit, *memory);
      lower_by_usage(limits, *memory, folder + "/memory.current", folder + "/memory.stat",
                     "inactive_file");
    }
  });
}

void read_group_v1(const std::string& root,
                   std::string_view controllers,
                   std::string_view group,
                   ProcessLimits& limits) {
  const auto has = [&](std::string_view name) {
    return fmt::format(",{},", controllers).find(fmt::format(",{},", name)) != std::string::npos;
  };
  if (has("cpu")) {
    for (const std::string& mount :
         {root + "/sys/fs/cgroup/" + std::string(controllers), root + "/sys/fs/cgroup/cpu"}) {
      for_ancestors(mount, group, [&](const std::string& folder) {
        const auto quota = to_number(read_or_empty(folder + "/cpu.cfs_quota_us"));
        const auto period = to_number(read_or_empty(folder + "/cpu.cfs_period_us"));
        if (quota && period && *quota > 0 && *period > 0) {
          lower(limits.quota_cores, static_cast<double>(*quota) / static_cast<double>(*period));
        }
      });
    }
  }
  if (has("memory")) {
    for_ancestors(root + "/sys/fs/cgroup/memory", group, [&](const std::string& folder) {
      if (const auto memory = to_number(read_or_empty(folder + "/memory.limit_in_bytes"))) {
        lower(limits.memory_limit, *memory);
        lower_by_usage(limits, *memory, folder + "/memory.usage_in_bytes", folder + "/memory.stat",
                       "total_inactive_file");
      }
    });
  }
}

int affinity_count() {
#ifdef __linux__
  // The mask may be wider than cpu_set_t on big machines: grow until the kernel is satisfied.
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(cpus));
    if (set == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(cpus));
    const bool ok = ::sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (ok) return count;
  }
#endif
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

std::vector<std::string> isa_names(const Isa& isa) {
  const std::pair<const char*, bool> all[] = {{"sse4.2", isa.sse42},
                                              {"avx", isa.avx},
                                              {"avx2", isa.avx2},
                                              {"fma", isa.fma},
                                              {"f16c", isa.f16c},
                                              {"avx512f", isa.avx512f},
                                              {"avx512bw", isa.avx512bw},
                                              {"avx512vl", isa.avx512vl},
                                              {"avx512vnni", isa.avx512vnni},
                                              {"avx512bf16", isa.avx512bf16},
                                              {"avx512fp16", isa.avx512fp16},
                                              {"avx-vnni", isa.avx_vnni},
                                              {"amx-tile", isa.amx_tile},
                                              {"amx-int8", isa.amx_int8},
                                              {"amx-bf16", isa.amx_bf16},
                                              {"neon", isa.neon},
                                              {"dotprod", isa.dotprod},
                                              {"i8mm", isa.i8mm}};
  std::vector<std::string> names;
  for (const auto& [name, present] : all) {
    if (present) names.emplace_back(name);
  }
  return names;
}

CpuInfo read_cpu_info(const std::string& root) {
  CpuInfo info;
#if defined(__x86_64__)
  info.architecture = "x86_64";
#elif defined(__aarch64__)
  info.architecture = "aarch64";
#else
  info.architecture = "unknown";
#endif
  info.isa = detect_isa();
  info.vendor = cpuid_vendor();
  info.logical_cores = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  for_lines(read_or_empty(root + "/proc/cpuinfo"), [&](std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !info.model.empty()) return;
    if (trimmed(line.substr(0, colon)) == "model name")
      info.model = trimmed(line.substr(colon + 1));
  });
  read_caches(root, info);
  return info;
}

ProcessLimits read_process_limits(const std::string& root) {
  ProcessLimits limits;
  limits.source = "none";
  for_lines(read_or_empty(root + "/proc/meminfo"), [&](std::string_view line) {
    constexpr std::string_view kKey = "MemAvailable:";
    if (!line.starts_with(kKey) || !line.ends_with(" kB")) return;
    const auto kilobytes = to_number(line.substr(kKey.size(), line.size() - kKey.size() - 3));
    limits.memory_available = kilobytes.value_or(0) * 1024;
  });
  // Lines "id:controllers:path"; version 2 is the line "0::path". Both may be mounted at once.
  for_lines(read_or_empty(root + "/proc/self/cgroup"), [&](std::string_view line) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    const ProcessLimits before = limits;
    if (controllers.empty()) {
      read_group_v2(root, path, limits);
    } else {
      read_group_v1(root, controllers, path, limits);
    }
    if (limits.quota_cores != before.quota_cores || limits.memory_limit != before.memory_limit) {
      limits.source = controllers.empty() ? "cgroup v2" : "cgroup v1";
    }
  });
  limits.affinity_cores = std::max(1, affinity_count());
  limits.cores = limits.affinity_cores;
  if (limits.quota_cores > 0) {
    // A quota of 1.5 cores serves two threads poorly: both stop when it is used up. Rounded down.
    limits.cores = std::max(1, std::min(limits.cores, static_cast<int>(limits.quota_cores)));
  }
  return limits;
}

}  // namespace planish
