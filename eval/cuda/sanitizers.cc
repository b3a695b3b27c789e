#include "eval/cuda/sanitizers.h"

#include <algorithm>
#include <cstring>

#include "eval/cuda/runner/tool_call.h"
#include "eval/host/whole_file.h"

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

constexpr double kPollSeconds = 0.5;

// One tool at work.  It goes on for long when every thread of a kernel does the
// same wrong, so it is not waited for once it has said something.
Result<SanitizerOutput> Await(std::string_view tool, Sandboxed& process,
                              const Deadline& patience) {
  while (true) {
    const auto soon =
        std::min(patience.until, For(kPollSeconds, nullptr).until);
    const Waited waited = process.Wait({soon, patience.cancelled});
    if (waited == Waited::kCancelled) {
      return Fail(Errc::kCancelled, "evaluation: cancelled");
    }
    if (waited == Waited::kReady) {
      const std::optional<int> status = process.ExitStatus();
      return JudgeSanitizerOutput(tool, status, process.Output(),
                                  Findings(process.Output()));
    }
    const bool is_late = Clock::now() >= patience.until;
    if (is_late || !Findings(process.Output()).empty()) {
      // What it is about to say, too.
      if (!is_late) process.Wait(For(kPollSeconds, patience.cancelled));
      process.Kill();
      return JudgeSanitizerOutput(tool, std::nullopt, process.Output(),
                                  Findings(process.Output()));
    }
  }
}

}  // namespace

Result<WatchedProgram> ProgramOf(const RunnerOptions& options,
                                 const Rehearsal& rehearsal) {
  TRY(control, WriteControl(rehearsal.runner_program, rehearsal.shapes, 1));
  const fs::path& code = rehearsal.runner_program.code;
  TRY(file, OpenToRead(code));
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

Result<std::vector<SanitizerOutput>> Watch(
    const RunnerOptions& options, const fs::path& folder,
    std::span<const std::string_view> tools, const Rehearsal& rehearsal,
    double timeout_s) {
  TRY(watched_program, ProgramOf(options, rehearsal));
  SandboxedProgram& program = watched_program.program;
  program.binds.push_back({folder, "/sanitizer"});
  program.environment.emplace_back(kMostHazards);

  std::vector<Sandboxed> running;
  for (const std::string_view tool : tools) {
    program.arguments = SanitizerCommand("/sanitizer", tool);
    program.arguments.insert(program.arguments.end(),
                             {kRunnerInside, kRehearse});
    TRY(process, Sandboxed::Launch(program));
    running.push_back(std::move(process));
  }
  std::vector<SanitizerOutput> all;
  const Deadline patience = For(timeout_s, options.cancelled);
  for (std::size_t i = 0; i < running.size(); ++i) {
    TRY(watched, Await(tools[i], running[i], patience));
    all.push_back(std::move(watched));
  }
  return all;
}

}  // namespace coppice::eval::cuda
