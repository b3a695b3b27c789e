// What a kernel asks of its machine and how much of it it gets: facts beside
// its time, and the same in words for those who are to improve it.
//
// Observed after it was timed, so that nothing of this is in its time; and no
// verdict rests on any of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice {

// The higher of two roofs over a time (Williams, Waterman, Patterson 2009).
enum class Bottleneck : std::uint8_t { kMemory, kArithmetic };

// What keeps further blocks of a kernel off a multiprocessor.
// DO NOT RENUMBER: stored.
enum class ResidencyLimit : std::uint8_t {
  kThreads = 0,
  kBlocks = 1,
  kRegisters = 2,
  kSharedMemory = 3,
};

inline constexpr std::array<std::string_view, 4> kResidencyLimitNames = {
    "threads", "blocks", "registers", "shared memory"};

// One kernel of a candidate for a GPU.  What is not known is not set.
struct KernelProfile {
  std::string name;
  std::int64_t calls = 0;              // In one call of the candidate.
  std::optional<double> total_s = {};  // Of all these, by the device's clock.
  std::optional<std::int64_t> registers = {};     // Per thread.
  std::optional<std::int64_t> shared_bytes = {};  // Per block.
  // Per thread: registers that were spilled, and arrays that fit none.
  std::optional<std::int64_t> local_bytes = {};
  // Warps that fit a multiprocessor at a time, of those that it can hold.
  std::optional<double> occupancy = {};
  std::optional<ResidencyLimit> limit = {};  // Of the occupancy.
  // Counted by the device, of all these calls; caches empty before each.
  std::optional<double> dram_bytes = {};          // Read and written.
  std::optional<double> busy = {};                // Of the multiprocessors.
  std::optional<double> achieved_occupancy = {};  // While any warp was there.
  std::optional<double> l2_hits = {};             // Of the accesses to it.
};

// What the processor counted in one call, of all threads, outside the system.
// What it does not count is not set.
struct Counters {
  std::optional<double> instructions = {};
  std::optional<double> cycles = {};
  std::optional<double> cache_misses = {};   // Of the last level.
  std::optional<double> branch_misses = {};  // Mispredicted.
  std::optional<double> page_faults = {};

  bool operator==(const Counters&) const = default;
};

// What a candidate did on one workload.
struct Profile {
  std::string shape;       // Of the workload: "M=33, N=17".
  double runtime_s = 0.0;  // Of a call: the median.
  // What no kernel can do without in a call.  0 operations: not stated.
  double bytes = 0.0;
  double flops = 0.0;
  // What this machine was measured to do at most.  0: not known.
  double roof_bytes_per_s = 0.0;
  double roof_flops_per_s = 0.0;
  Counters counters;
  std::vector<KernelProfile> kernels;  // In the order of their first launch.
  std::string note;                    // What else is to be said: a sentence.
};

// Seconds that the machine needs at least; 0 if no roof is known.
double FloorSeconds(const Profile& profile);

Bottleneck BottleneckOf(const Profile& profile);

// Whether it is so far below that it would be wrong to call it bound by the
// higher one.
bool IsFarBelowRooflines(const Profile& profile);

// A digest as it is stored with an evaluation: what limits the kernel, and
// after a blank line, if that is known, what its compiler made of it.
struct DigestParts {
  std::string_view limits;
  std::string_view code;
};
DigestParts PartsOf(std::string_view digest);

// Two to five plain sentences, rounded for reading; empty if no roof is known.
//
//   Memory bound at 43 % of the measured bandwidth (12.1 of 28.2 GB/s).  A call
//   must move at least 1.05 MB: 37.2 us at that speed; it takes 86.6 us.  ...
std::string Digest(const Profile& profile);

// The digest of the workload that takes longest, and a sentence on the others.
std::string Digest(const std::vector<Profile>& profiles);

}  // namespace coppice
