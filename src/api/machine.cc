#include "api/report.h"
#include "base/cpu.h"
#include "kernels/isa.h"
#include "kernels/probe/probe.h"

namespace planish::api {

Json machine(bool measure) {
  const CpuInfo cpu = read_cpu_info();
  const ProcessLimits limits = read_process_limits();
  Json report;
  report["cpu"] = cpu.model;
  report["architecture"] = cpu.architecture;
  report["isa"] = isa_names(cpu.isa);
  report["kernels"] = kernels::to_string(kernels::machine_isa());
  report["cores"] = limits.cores;
  report["logical_cores"] = cpu.logical_cores;
  report["caches"] = {{"l1d", cpu.l1d_bytes}, {"l2", cpu.l2_bytes}, {"l3", cpu.l3_bytes}};
  report["limits"] = {{"source", limits.source},
                      {"cpu_quota", limits.quota_cores},
                      {"affinity_cores", limits.affinity_cores},
                      {"memory_limit", limits.memory_limit},
                      {"memory_available", limits.memory_available}};
  if (measure) {
    const kernels::ProbeResult one = kernels::probe(1);
    const kernels::ProbeResult all = limits.cores > 1 ? kernels::probe(limits.cores) : one;
    report["peaks"] = {{"fp32_gflops_1_thread", one.fp32_gflops},
                       {"fp32_gflops", all.fp32_gflops},
                       {"memory_read_gbs_1_thread", one.read_gbs},
                       {"memory_read_gbs", all.read_gbs}};
  }
  return report;
}

}  // namespace planish::api
