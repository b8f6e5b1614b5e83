#include "base/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace planish {
namespace {

namespace fs = std::filesystem;

// A made-up machine under a temporary root.
class Machine : public testing::Test {
 protected:
  void SetUp() override {
    root_ = (fs::temp_directory_path() / ("planish_cpu_" + std::to_string(::getpid()))).string();
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& path, std::string_view text) {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(Machine, CpuModelAndCaches) {
  put("/proc/cpuinfo",
      "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n\nprocessor\t: 1\nmodel name\t: Other\n");
  const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index";
  const auto index = [&](int i, const char* level, const char* type, const char* size) {
    const std::string folder = cache + std::to_string(i);
    put(folder + "/level", level);
    put(folder + "/type", type);
    put(folder + "/size", size);
    put(folder + "/coherency_line_size", "128\n");
  };
  index(0, "1\n", "Data\n", "48K\n");
  index(1, "1\n", "Instruction\n", "32K\n");
  index(2, "2\n", "Unified\n", "2M\n");
  index(3, "3\n", "Unified\n", "32768K\n");
  const CpuInfo info = read_cpu_info(root_);
  EXPECT_EQ(info.model, "Some CPU @ 3 GHz");
  EXPECT_EQ(info.l1d_bytes, 48 << 10);
  EXPECT_EQ(info.l2_bytes, 2 << 20);
  EXPECT_EQ(info.l3_bytes, 32 << 20);
  EXPECT_EQ(info.line_bytes, 128);
}

TEST_F(Machine, NothingKnown) {
  const ProcessLimits limits = read_process_limits(root_);
  EXPECT_EQ(limits.source, "none");
  EXPECT_EQ(limits.memory_limit, 0);
  EXPECT_EQ(limits.quota_cores, 0);
  EXPECT_EQ(limits.cores, limits.affinity_cores);
  EXPECT_EQ(read_cpu_info(root_).l2_bytes, 0);
}

TEST_F(Machine, ControlGroupVersion2WithParents) {
  put("/proc/meminfo", "MemTotal: 100 kB\nMemAvailable:    8388608 kB\n");
  put("/proc/self/cgroup", "0::/a/b\n");
  put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  put("/sys/fs/cgroup/a/b/memory.max", "1073741824\n");
  put("/sys/fs/cgroup/a/memory.max", "max\n");
  put("/sys/fs/cgroup/a/b/memory.current", "300000000\n");
  put("/sys/fs/cgroup/a/b/memory.stat", "anon 5\ninactive_file 100000000\n");
  const ProcessLimits limits = read_process_limits(root_);
  EXPECT_EQ(limits.source, "cgroup v2");
  EXPECT_EQ(limits.quota_cores, 1.5);
  EXPECT_EQ(limits.cores, 1);
  EXPECT_EQ(limits.memory_limit, 1 << 30);
  EXPECT_EQ(limits.memory_available, (1 << 30) - 200000000);
}

TEST_F(Machine, ControlGroupVersion1InAContainer) {
  put("/proc/meminfo", "MemAvailable: 1024 kB\n");
  // The path is the host's; only the root of it is visible here.
  put("/proc/self/cgroup", "5:cpu,cpuacct:/docker/123\n3:memory:/docker/123\n0::/\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
  const ProcessLimits limits = read_process_limits(root_);
  EXPECT_EQ(limits.source, "cgroup v1");
  EXPECT_EQ(limits.quota_cores, 0.5);
  EXPECT_EQ(limits.cores, 1);
  EXPECT_EQ(limits.memory_limit, 512 << 20);
  EXPECT_EQ(limits.memory_available, 1 << 20);
}

TEST_F(Machine, NoLimitInVersion1IsAHugeNumber) {
  put("/proc/self/cgroup", "3:memory:/\n5:cpu:/\n");
  put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const ProcessLimits limits = read_process_limits(root_);
  EXPECT_EQ(limits.memory_limit, 0);
  EXPECT_EQ(limits.quota_cores, 0);
}

TEST(Cpu, ThisMachine) {
  const CpuInfo info = read_cpu_info();
  EXPECT_FALSE(info.architecture.empty());
  EXPECT_GE(info.logical_cores, 1);
#if defined(__x86_64__)
  // The compiler's own detection agrees.
  EXPECT_EQ(info.isa.avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(info.isa.fma, __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(info.isa.avx512f, __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(info.isa.avx512vnni, __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(info.vendor.size(), 12u);
#endif
  const ProcessLimits limits = read_process_limits();
  EXPECT_GE(limits.cores, 1);
  EXPECT_LE(limits.cores, limits.affinity_cores);
  EXPECT_GT(limits.memory_available, 0);
}

TEST(Cpu, AffinityIsHonoured) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(read_process_limits().affinity_cores, 1);
  EXPECT_EQ(read_process_limits().cores, 1);
  ::sched_setaffinity(0, sizeof(before), &before);
}

TEST(Cpu, NamesOfFlags) {
  Isa isa;
  isa.avx2 = isa.avx_vnni = true;
  EXPECT_THAT(isa_names(isa), testing::ElementsAre("avx2", "avx-vnni"));
}

}  // namespace
}  // namespace planish
