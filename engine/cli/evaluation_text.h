// What is said of an evaluation wherever one is shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/task.h"

namespace coppice {
struct Evaluation;
struct Hint;
struct Speedup;
enum class Tier : std::uint8_t;
struct WorkloadResult;
}  // namespace coppice

namespace coppice::cli {

std::string_view TierName(Tier tier);  // "fast"

std::string AxesText(const Workload& workload);  // "M=128 N=7"

// "1.09x (0.81-1.46)", by the rounds of that workload alone; "-" where it was
// not timed.
std::string WorkloadSpeedup(const Evaluation& evaluation,
                            const WorkloadResult& workload);

// "1.01x (95 % interval 0.97-1.05) by paired rounds; cannot be told from the
// root".  It is another number than the quotient of medians.
std::string MeasuredText(const Speedup& speedup, Protocol protocol);

// "ran about 1.80x as fast as the root (1.60-2.00), though it was wrong; no
// speed, for it may skip work".
std::string HintLine(const Hint& hint);

// As a terminal may show it, to the end of its last line; empty if it is.
std::string LogText(std::string_view log);

// Rounds that something else on the machine disturbed.
std::int64_t MadeAgain(const Evaluation& evaluation);
std::int64_t MadeAgain(const std::vector<Evaluation>& evaluations);

// "busy machine: 14 of its rounds were made again".
std::string BusyText(std::int64_t made_again, std::string_view of);

}  // namespace coppice::cli
