// What a candidate did.  An observation that is stored and learned from, never
// an error of ours: a kernel that does not compile is a result.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace coppice {

// DO NOT CHANGE THESE VALUES: they are stored.  Append, never renumber.
enum class Verdict : std::uint8_t {
  kPassed = 0,
  kCompileFailed = 1,
  kCrashed = 2,       // A signal, a refused system call, an early exit.
  kTimedOut = 3,      // Its compilation or a call outlived the wall clock.
  kWrongOutput = 4,   // Values beyond the tolerance, NaN, or never written.
  kRejected = 5,      // It broke a rule of evaluation (tampering, policy).
  kNoCandidate = 6,   // The agent's answer held no kernel to evaluate.
  kInconclusive = 7,  // The evaluator could not decide.  Never a pass.
};

inline constexpr std::array<std::string_view, 8> kVerdictNames = {
    "passed",       "compile_failed", "crashed",      "timed_out",
    "wrong_output", "rejected",       "no_candidate", "inconclusive"};

// How many there are of each, by its number.
using VerdictCounts = std::array<std::int64_t, kVerdictNames.size()>;

std::string_view Name(Verdict verdict);

std::optional<Verdict> ParseVerdict(std::string_view name);

}  // namespace coppice
