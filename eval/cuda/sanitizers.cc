#include "eval/cuda/sanitizers.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "eval/cuda/runner/rehearsal.h"

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "compute-sanitizer";
constexpr int kFoundStatus = 86;
constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostQuoted = 500;
constexpr double kPollSeconds = 0.5;
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

Watched Judge(std::string_view tool, std::optional<int> status,
              const std::string& output) {
  Watched watched{.tool = std::string(tool), .report = Findings(output)};
  if (status == 0) {
    watched.outcome = Watched::Outcome::kClean;
  } else if (status == kFoundStatus || !watched.report.empty()) {
    watched.outcome = Watched::Outcome::kFound;
  } else {
    if (!status) watched.outcome = Watched::Outcome::kLate;
    watched.report = status ? "exit status " + std::to_string(*status)
                            : std::string("stopped");
    watched.report += "; " + output.substr(0, kMostQuoted);
  }
  return watched;
}

// One tool at work.  It goes on for long when every thread of a kernel does the
// same wrong, so it is not waited for once it has said something.
Result<Watched> Await(std::string_view tool, Sandboxed& process,
                      const Patience& patience) {
  while (true) {
    const auto soon =
        std::min(patience.until, For(kPollSeconds, nullptr).until);
    const Waited waited = process.Wait({soon, patience.cancelled});
    if (waited == Waited::kCancelled) {
      return Fail(Errc::kCancelled, "evaluation: cancelled");
    }
    if (waited == Waited::kReady) {
      const std::optional<int> status = process.ExitStatus();
      return Judge(tool, status, process.Output());
    }
    const bool is_late = Clock::now() >= patience.until;
    if (is_late || !Findings(process.Output()).empty()) {
      // What it is about to say, too.
      if (!is_late) process.Wait(For(kPollSeconds, patience.cancelled));
      process.Kill();
      return Judge(tool, std::nullopt, process.Output());
    }
  }
}

}  // namespace

std::optional<fs::path> FindSanitizers(const fs::path& toolkit) {
  std::vector<fs::path> places = {toolkit / kProgram, toolkit / "bin"};
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
    const fs::path found = fs::canonical(place / kProgram, error);
    // Beside it lies what it loads into the process that it watches; a script
    // that only leads there does not count.
    if (!error && fs::exists(found.parent_path() / "libsanitizer-public.so")) {
      return found.parent_path();
    }
  }
  return std::nullopt;
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

Result<WatchedProgram> ProgramOf(const RunnerOptions& options,
                                 const Rehearsal& rehearsal) {
  TRY(control, WriteControl(rehearsal.assignment, rehearsal.shapes, 1));
  const fs::path& code = rehearsal.assignment.code;
  UniqueFd file(open(code.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    return Fail(Errc::kIo, code.string() + ": " + std::strerror(errno));
  }
  auto& cells = reinterpret_cast<Control*>(control.data())->cells;
  SandboxedProgram program = SandboxOf(options);
  program.descriptors = {control.fd(), file.get()};
  for (std::size_t i = 0; i < rehearsal.inputs.size(); ++i) {
    program.descriptors.push_back(rehearsal.inputs[i].fd());
    if (rehearsal.shapes.inputs[i].scalar) {
      std::memcpy(&cells[i], rehearsal.inputs[i].data(), sizeof cells[i]);
    }
  }
  program.tmp_bytes = std::size_t{1} << 30;
  return WatchedProgram{std::move(program), std::move(control),
                        std::move(file)};
}

Result<std::vector<Watched>> Watch(const RunnerOptions& options,
                                   const fs::path& folder,
                                   std::span<const std::string_view> tools,
                                   const Rehearsal& rehearsal,
                                   double timeout_s) {
  TRY(watched_program, ProgramOf(options, rehearsal));
  SandboxedProgram& program = watched_program.program;
  program.binds.push_back({folder, "/sanitizer"});
  // A race of all threads would take all memory.
  program.environment.emplace_back("NV_COMPUTE_SANITIZER_MAX_RACECHECK_HAZARDS",
                                   "4096");

  std::vector<Sandboxed> running;
  for (const std::string_view tool : tools) {
    program.arguments = {std::string("/sanitizer/") + kProgram,
                         "--tool",
                         std::string(tool),
                         "--error-exitcode",
                         std::to_string(kFoundStatus),
                         "--print-limit",
                         "4",
                         "--show-backtrace",
                         "no",
                         "--report-api-errors",
                         "no",
                         kRunnerInside,
                         kRehearse};
    TRY(process, Sandboxed::Launch(program));
    running.push_back(std::move(process));
  }
  std::vector<Watched> all;
  const Patience patience = For(timeout_s, options.cancelled);
  for (std::size_t i = 0; i < running.size(); ++i) {
    TRY(watched, Await(tools[i], running[i], patience));
    all.push_back(std::move(watched));
  }
  return all;
}

}  // namespace coppice::eval::cuda
