// Rules that a person set for candidates (forbid and require), as facts that
// can be checked: in a plan by its technique, in a source by its text without
// comments.
//
//   technique    a label's name: "tile" is in "jam(j, 32) + tile(i, 8)"
//   pattern      a POSIX extended regular expression, line by line
//   header       what a line includes or imports: "mma.h", "triton"
//   constraint   "no-tensor-cores", "no-atomics", "no-threads" (forbidden
//   things
//                by the names that C++, OpenMP, CUDA, inline PTX, Python,
//                Triton and TileLang have for them; threads are those of a
//                CPU), "keep-loop:TEXT" (the text stands in it, spaces aside)
//
// They see texts, and what a library does inside is none: a call that uses
// tensor cores elsewhere is not seen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/candidate.h"
#include "store/records/directive.h"
#include "store/records/plan.h"
#include "store/records/result.h"

namespace coppice::engine {

// How the reason begins of a candidate that is none since it breaks one.
inline constexpr const char* kBrokeRule = "it breaks ";

// kUsage: a pattern that is none, or a constraint that nobody knows.
Result<void> CheckRule(const Directive& rule);

// "must not use the technique tile", as agents are told it.
std::string RuleText(const Directive& rule);

// "directive 7 of ana: must not use the technique tile"; none: all are kept.
// Rules on techniques are of plans, the others of candidates.
std::optional<std::string> WhyPlanBreaks(
    const std::vector<const Directive*>& rules, const Plan& plan);
std::optional<std::string> WhySourceBreaks(
    const std::vector<const Directive*>& rules, const Candidate& candidate);

// A source without its comments; strings stay.
std::string WithoutComments(std::string_view source, Language language);

}  // namespace coppice::engine
