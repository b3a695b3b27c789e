#include "eval/cuda/sanitizer_output.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

constexpr char kSanitizerProgram[] = "compute-sanitizer";
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostQuoted = 500;
constexpr std::string_view kSpoken = "========= ";

// A line that says nothing about the code, but perhaps about the tool.
bool IsNoise(std::string_view line) {
  for (const char* start : {"Error: ", "Warning: "}) {
    if (line.starts_with(start))
      return line.find(" Race ") == std::string_view::npos;
  }
  for (const char* start :
       {"COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY",
        "LEAK SUMMARY", "Program hit", "Target application", "Maximum number",
        "Internal"}) {
    if (line.starts_with(start)) return true;
  }
  for (const char* part : {"Host Frame", "host backtrace", "Host backtrace",
                           "Device Frame", "print-limit"}) {
    if (line.find(part) != std::string_view::npos) return true;
  }
  return line.find_first_not_of(' ') == std::string_view::npos;
}

}  // namespace

std::optional<fs::path> FindSanitizers(const fs::path& toolkit) {
  std::vector<fs::path> places = {toolkit / kSanitizerProgram, toolkit / "bin"};
  if (const char* path = std::getenv("PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      places.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  for (const fs::path& place : places) {
    std::error_code error;
    const fs::path found = fs::canonical(place / kSanitizerProgram, error);
    // Beside it lies what it loads into the process that it watches; a script
    // that only leads there does not count.
    if (!error && fs::exists(found.parent_path() / "libsanitizer-public.so")) {
      return found.parent_path();
    }
  }
  return std::nullopt;
}

std::vector<std::string> SanitizerCommand(const std::string& folder,
                                          std::string_view tool) {
  return {folder + "/" + kSanitizerProgram,
          "--tool",
          std::string(tool),
          "--error-exitcode",
          std::to_string(kFoundStatus),
          "--print-limit",
          "4",
          "--show-backtrace",
          "no",
          "--report-api-errors",
          "no"};
}

std::string Findings(std::string_view output) {
  std::string text;
  std::size_t lines = 0;
  while (!output.empty() && lines < kMostLines) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!line.starts_with(kSpoken)) continue;
    line.remove_prefix(kSpoken.size());
    if (IsNoise(line)) continue;
    text += std::string(line) + "\n";
    ++lines;
  }
  return text;
}

SanitizerOutput JudgeSanitizerOutput(std::string_view tool,
                                     std::optional<int> status,
                                     const std::string& output,
                                     std::string report) {
  SanitizerOutput watched{.tool = std::string(tool),
                          .report = std::move(report)};
  if (status == 0) {
    watched.outcome = SanitizerOutput::Outcome::kClean;
  } else if (status == kFoundStatus || !watched.report.empty()) {
    watched.outcome = SanitizerOutput::Outcome::kFound;
  } else {
    if (!status) watched.outcome = SanitizerOutput::Outcome::kLate;
    watched.report = status ? "exit status " + std::to_string(*status)
                            : std::string("stopped");
    watched.report += "; " + output.substr(0, kMostQuoted);
  }
  return watched;
}

std::string WithoutUse(const SanitizerOutput& of_root) {
  return "not looked at by " + of_root.tool +
         ", which is of no use on the root: " + of_root.report + "\n";
}

Outcome Conclude(const std::vector<SanitizerOutput>& all) {
  Outcome report;
  for (const SanitizerOutput& watched : all) {
    using enum SanitizerOutput::Outcome;
    if (watched.outcome == kClean) continue;
    const bool found = watched.outcome == kFound;
    if (report.verdict == Verdict::kPassed ||
        (found && report.verdict == Verdict::kInconclusive)) {
      report.verdict =
          !found ? Verdict::kInconclusive
          : watched.tool == "memcheck" || watched.tool == kAddressSanitizer
              ? Verdict::kCrashed
              : Verdict::kRejected;
      report.breach = report.verdict == Verdict::kRejected ? Breach::kHazard
                                                           : Breach::kNone;
    }
    report.log += watched.tool + ": " + watched.report;
    if (!report.log.ends_with('\n')) report.log += '\n';
  }
  return report;
}

std::vector<std::string_view> Doubtful(
    const std::vector<SanitizerOutput>& of_candidate,
    const std::vector<SanitizerOutput>& of_root) {
  std::vector<std::string_view> tools;
  for (const SanitizerOutput& said : of_candidate) {
    if (said.outcome != SanitizerOutput::Outcome::kClean &&
        std::ranges::find(of_root, said.tool, &SanitizerOutput::tool) ==
            of_root.end()) {
      tools.push_back(said.tool);
    }
  }
  return tools;
}

std::vector<SanitizerOutput> OfUse(
    std::vector<SanitizerOutput> of_candidate,
    const std::vector<SanitizerOutput>& of_root) {
  std::erase_if(of_candidate, [&](const SanitizerOutput& watched) {
    const auto said =
        std::ranges::find(of_root, watched.tool, &SanitizerOutput::tool);
    return said != of_root.end() &&
           said->outcome != SanitizerOutput::Outcome::kClean;
  });
  return of_candidate;
}

}  // namespace coppice::eval::cuda
