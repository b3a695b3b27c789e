// Simulated tasks, to try the engine and its policies on without a model or a
// device.  A landscape plays both parts: the agents that plan, edit and repair
// a source, and the evaluator that judges it.  Text in, text out, so it fits
// the seams of real agents and evaluators; the text is simulated_source.h's.
//
// "basic": four basins (layouts).  In each, every technique's gain in log speed
// rises with diminishing returns to its best level and falls beyond it:
//
//   ln speedup = offset + sum over techniques t of
//                gain_t * (1 - (level_t / best_t - 1)^2)
//
// The basin with the highest ceiling, 3.9 x, starts at 0.64 x, and a new layout
// keeps half of every level only; who never leaves the first basin ends below
// 1.8 x.  Some 0.55 of the edits are sound and 0.87 compile, near the rates in
// STARK's tables; the rest are bugs, of which a repair mends half, and one in
// 25 can never be mended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/random.h"
#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice::search {

struct Proposal {
  std::string advice;     // Holds "set NAME to N"; Realise reads that.
  std::string technique;  // NAME.
  // The whole source, the lines to change between comment lines that hold
  // `<<<IMPROVE BEGIN>>>` and `<<<IMPROVE END>>>`.
  std::string annotated_source;
};

struct LandscapeOutcome {
  Verdict verdict = Verdict::kInconclusive;
  std::optional<double> runtime_s;  // Set if it passed.
  std::string log;                  // What an agent may learn from a failure.
};

// Either way, of a runtime.
inline constexpr double kRuntimeNoise = 0.01;

// Whether the noise of measurement is in a runtime.
enum class Noise : std::uint8_t { kMeasured, kNone };

class Landscape {
 public:
  // The slowest honest start: layout 0, no technique, 10 ms.
  std::string RootSource() const;

  // Error kCorrupt if the source does not parse.
  Result<Proposal> ProposePlan(std::string_view source,
                               RandomStream& stream) const;

  // To set one of the settings that differ as the mate has it.  If none differs
  // it does as ProposePlan.
  Result<Proposal> ProposeCross(std::string_view source, std::string_view mate,
                                RandomStream& stream) const;

  // Changes only the lines that the proposal marked.  None, as an agent's
  // answer without a kernel: now and then by chance, and always if the source
  // does not parse or the advice holds no "set NAME to N".
  std::optional<std::string> Realise(std::string_view source,
                                     std::string_view advice,
                                     RandomStream& stream) const;

  // Tries to mend the bug; may return the source as it was.  None as above.
  std::optional<std::string> Repair(std::string_view source,
                                    RandomStream& stream) const;

  // A pure function of the text: the noise of measurement, 1 % either way, is
  // a hash of the settings.
  LandscapeOutcome Judge(std::string_view source,
                         Noise noise = Noise::kMeasured) const;

 private:
  friend Result<Landscape> MakeLandscape(std::string_view name);
  explicit Landscape(std::string_view name) : name_(name) {}

  std::string_view name_;
};

// Error kUsage, with the names, if there is none of this name.
Result<Landscape> MakeLandscape(std::string_view name);

}  // namespace coppice::search
