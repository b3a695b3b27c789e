// What became of a candidate that somebody watched, in short.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "store/records/verdict.h"

namespace coppice {

// Which rule a candidate broke that was rejected, so that cheats can be told
// from faults.  DO NOT CHANGE THESE VALUES: they are stored.
enum class Breach : std::uint8_t {
  kNone = 0,          // It is not rejected.
  kWroteInput = 1,    // An input was changed.
  kWorkedLate = 2,    // It went on after it had answered, or was stopped.
  kForgedAnswer = 3,  // It spoke in the name of the process that holds it.
  kForgedTime = 4,    // Its clocks tell what cannot be.
  kTooFast = 5,       // Faster than the device can compute.
  kDelegated = 6,     // Others' code does what its task wants of its own.
  kHazard = 7,        // A sanitizer saw a race or a read of what nobody wrote.
  kTooMuch = 8,       // It asked for more compiling than it may have.
  kUnusable = 9,      // What it returned is no output that can be judged.
};

inline constexpr std::array<std::string_view, 10> kBreachNames = {
    "none",     "wrote_input", "worked_late", "forged_answer", "forged_time",
    "too_fast", "delegated",   "hazard",      "too_much",      "unusable"};

std::string_view Name(Breach breach);

struct Outcome {
  Verdict verdict = Verdict::kPassed;
  std::string log{};
  Breach breach = Breach::kNone;  // Of kRejected.
};

inline Outcome Rejected(Breach breach, std::string log) {
  return {Verdict::kRejected, std::move(log), breach};
}

}  // namespace coppice
