// Nsight Compute's counters of one call of a candidate (ncu, NVIDIA): what it
// moved, how busy it kept the multiprocessors.  Nothing of it is timed or held
// against anybody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/records/profile.h"

namespace coppice::eval::cuda {

// The counters asked for, as ncu's option --metrics takes them.
inline constexpr char kNsightMetrics[] =
    "dram__bytes.sum,sm__throughput.avg.pct_of_peak_sustained_elapsed,"
    "sm__warps_active.avg.pct_of_peak_sustained_active,"
    "lts__t_sector_hit_rate.pct";

// By name, from what `ncu --csv --page raw --print-units base` prints, around
// which anybody may have printed.  Bytes are summed over the launches of a
// kernel, shares are means over them.  Our own kernels are left out; empty if
// there are none.
std::vector<KernelProfile> ParseNsight(std::string_view output);

// Enters those counters into the kernels of these names.
void AddCounters(const std::vector<KernelProfile>& counted,
                 std::vector<KernelProfile>& kernels);

}  // namespace coppice::eval::cuda
