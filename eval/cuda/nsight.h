// Nsight Compute's counters of one call of a candidate (ncu, NVIDIA): what it
// moved, how busy it kept the multiprocessors.  Nothing of it is timed or held
// against anybody.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/profile.h"
#include "store/records/result.h"

namespace coppice::eval::cuda {

struct Rehearsal;
struct RunnerOptions;

// The path of ncu itself, which lies beside what it loads into the process that
// it watches, not the script that leads there.  Empty: nowhere.
std::filesystem::path FindNsight(const std::filesystem::path& toolkit);

// What it loads besides: an installation of one version.
std::filesystem::path NsightFolder(const std::filesystem::path& program);

// Before the command that it is to watch.
std::vector<std::string> NsightCommand(const std::filesystem::path& program);

inline constexpr char kNoNsight[] =
    "Nsight Compute, which counts traffic, is not installed.";
inline constexpr char kLateNsight[] = "Nsight Compute did not end in time.";

struct Counted {
  std::vector<KernelProfile> kernels;
  std::string note;  // Why there are none: a sentence.
};

// In a process of its own, in the sandbox.  `program`: from FindNsight.
Result<Counted> Count(const RunnerOptions& options,
                      const std::filesystem::path& program,
                      const Rehearsal& rehearsal, double timeout_s);

// Reads all that was printed where ncu watched.
Counted CountedIn(std::string_view output);

// By symbol, from what `ncu --csv --page raw --print-units base` prints, around
// which anybody may have printed.  Bytes and times are summed over the launches
// of a kernel, shares are means over those that tell them.  Our own kernels are
// left out; empty if there are none.
std::vector<KernelProfile> ParseNsight(std::string_view output);

// Enters those counters into the kernels of these symbols' names.
void AddCounters(const std::vector<KernelProfile>& counted,
                 std::vector<KernelProfile>& kernels);

}  // namespace coppice::eval::cuda
