// What sanitizers say of a process that they watch, whoever started it:
// NVIDIA's compute-sanitizer by four tools of its own, and g++'s for addresses.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/records/outcome.h"

namespace coppice::eval::cuda {

inline constexpr std::string_view kSanitizers[] = {"memcheck", "racecheck",
                                                   "initcheck", "synccheck"};
inline constexpr std::string_view kAddressSanitizer = "AddressSanitizer";

// The folder of compute-sanitizer: in the toolkit, or wherever PATH has it.
std::optional<std::filesystem::path> FindSanitizers(
    const std::filesystem::path& toolkit);

// Before the command that it is to watch: compute-sanitizer as one of
// kSanitizers.  `folder` is where it finds itself.
std::vector<std::string> SanitizerCommand(const std::string& folder,
                                          std::string_view tool);

// A variable of its environment.  It limits the hazards, since a race of all
// threads would take all memory.
inline const std::pair<std::string, std::string> kMostHazards = {
    "NV_COMPUTE_SANITIZER_MAX_RACECHECK_HAZARDS", "4096"};

// What came of one tool.
struct SanitizerOutput {
  std::string tool;
  enum class Outcome {
    kClean,
    kFound,   // `report` says what.
    kNoWord,  // It could not tell; `report` says why.
    kLate,    // Nor in the time that it had.
  } outcome = Outcome::kNoWord;
  std::string report;
};

// The exit status by which a tool is to say that it has found something.
inline constexpr int kFoundStatus = 86;

// How a tool's process has ended, and all that was printed in it, of which
// `report` is what it found.  No status: it was stopped.
SanitizerOutput JudgeSanitizerOutput(std::string_view tool,
                                     std::optional<int> status,
                                     const std::string& output,
                                     std::string report);

// What a tool's output says that an agent can use: its findings without banner,
// addresses of the host and summary, cut to a few lines.
std::string Findings(std::string_view output);

// Tools that do not find a candidate clean, and have not been asked about the
// root.  Valid as long as `of_candidate`.
std::vector<std::string_view> Doubtful(
    const std::vector<SanitizerOutput>& of_candidate,
    const std::vector<SanitizerOutput>& of_root);

// Without what was said by a tool that does not find the root clean either.
std::vector<SanitizerOutput> OfUse(std::vector<SanitizerOutput> of_candidate,
                                   const std::vector<SanitizerOutput>& of_root);

// A line on a tool that does not find the root clean.
std::string WithoutUse(const SanitizerOutput& of_root);

// What findings of all tools make of a candidate.
Outcome Conclude(const std::vector<SanitizerOutput>& all);

}  // namespace coppice::eval::cuda
