#include "engine/documents/profile_json.h"

#include <nlohmann/json.hpp>

#include "engine/documents/or_null.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

Json KernelJson(const KernelProfile& kernel) {
  Json limit = nullptr;
  const auto number =
      static_cast<std::size_t>(kernel.limit.value_or(ResidencyLimit::kThreads));
  if (kernel.limit && number < kResidencyLimitNames.size()) {
    limit = kResidencyLimitNames[number];
  }
  return {{"name", kernel.name},
          {"calls", kernel.calls},
          {"total_s", OrNull(kernel.total_s)},
          {"registers", OrNull(kernel.registers)},
          {"shared_bytes", OrNull(kernel.shared_bytes)},
          {"local_bytes", OrNull(kernel.local_bytes)},
          {"occupancy", OrNull(kernel.occupancy)},
          {"limit", limit},
          {"dram_bytes", OrNull(kernel.dram_bytes)},
          {"busy", OrNull(kernel.busy)},
          {"achieved_occupancy", OrNull(kernel.achieved_occupancy)},
          {"l2_hits", OrNull(kernel.l2_hits)}};
}

}  // namespace

Json CountersJson(const Counters& counters) {
  return {{"instructions", OrNull(counters.instructions)},
          {"cycles", OrNull(counters.cycles)},
          {"cache_misses", OrNull(counters.cache_misses)},
          {"branch_misses", OrNull(counters.branch_misses)},
          {"page_faults", OrNull(counters.page_faults)}};
}

Json ProfileJson(const std::optional<Profile>& profile) {
  if (!profile) return nullptr;
  return {
      {"shape", profile->shape},
      {"runtime_s", profile->runtime_s},
      {"bound",
       BottleneckOf(*profile) == Bottleneck::kMemory ? "memory" : "arithmetic"},
      {"bytes", profile->bytes},
      {"flops", profile->flops},
      {"roof_bytes_per_s", profile->roof_bytes_per_s},
      {"roof_flops_per_s", profile->roof_flops_per_s},
      {"counters", CountersJson(profile->counters)},
      {"kernels", ArrayOf(profile->kernels, KernelJson)},
      {"note", profile->note}};
}

}  // namespace coppice::cli
