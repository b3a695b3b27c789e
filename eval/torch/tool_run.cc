#include "eval/torch/tool_run.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/cuda/nsight.h"
#include "eval/cuda/sanitizer_output.h"
#include "eval/cuda/toolchain.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/same_task.h"
#include "eval/torch/address_sanitizer.h"
#include "eval/torch/bench.h"
#include "eval/torch/jit_compile.h"
#include "eval/torch/prewarmed_workers.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

constexpr char kSanitizerFolder[] = "/sanitizer";  // In the sandbox.
constexpr double kSlowdown = 2.0;                  // By a tool, of loading.
constexpr double kEndSeconds = 20.0;

struct NamedTool {
  std::string name;
  WatchTool tool;
};

// What came of a worker under a tool.
struct Ended {
  std::optional<int> status;  // None: it was stopped.
  std::string output;
  std::string trouble;  // Why the call was not made, or did not end well.
};

// "cpu:0" goes the way of a device, for tests.
bool IsHost(const std::string& device) { return device == "cpu"; }

WorkerOptions UnderTool(const WorkerOptions& worker, const WatchTool& tool) {
  WorkerOptions options = worker;
  options.tool = tool;
  options.memory_bytes = 0;  // Shadows take terabytes of addresses.
  options.limits.load_s = kSlowdown * worker.limits.load_s;
  options.limits.call_s = options.limits.load_s;  // Much is loaded in it.
  return options;
}

// The same call for any of them.
class Rehearsals {
 public:
  static Result<Rehearsals> Make(TorchBench& bench,
                                 const WorkerOptions& worker) {
    TRY_DONE(bench.problem().DrawOnHost(bench.AnySeed()));
    const Worker& drawn = bench.problem().worker();
    TRY(slots, InputSlots::Create(drawn.Tensors(), 1));
    TRY_DONE(slots.Fill(0, drawn));
    return Rehearsals(bench, worker, std::move(slots));
  }

  // In one process for each tool, which start at the same time.
  Result<std::vector<Ended>> Of(const Subject& subject,
                                const std::vector<NamedTool>& tools,
                                Rehearsed part) {
    std::vector<StandbyWorker> standing;
    for (const NamedTool& one : tools) {
      TRY(launched,
          LaunchOne(UnderTool(worker_, one.tool), WorkerRole::kWatched));
      standing.push_back(std::move(launched));
    }
    std::vector<Ended> all;
    for (StandbyWorker& one : standing) {
      TRY(ended, End(subject, one, part));
      all.push_back(std::move(ended));
      one.kernel_worker.reset();
    }
    return all;
  }

 private:
  Rehearsals(TorchBench& bench, const WorkerOptions& worker, InputSlots slots)
      : bench_(bench),
        worker_(worker),
        slots_(std::move(slots)),
        seed_(bench.NextSeed()) {}

  Result<Ended> End(const Subject& subject, StandbyWorker& one,
                    Rehearsed part) {
    const auto called = Call(subject, one, part);
    Ended ended;
    if (called) {
      ended.trouble = *called;
    } else if (called.error().code == Errc::kCancelled) {
      return tl::make_unexpected(called.error());
    } else {
      ended.trouble = called.error().what;
    }
    TRY_ASSIGN(ended.status, one.kernel_worker->Finish(kEndSeconds));
    ended.output = one.kernel_worker->Output();
    return ended;
  }

  // Why it did not end well; empty if it did.
  Result<std::string> Call(const Subject& subject, StandbyWorker& one,
                           Rehearsed part) {
    TRY_DONE(Await(worker_, one));
    if (!subject.built.empty()) {
      TRY(is_whole, CopyBuilt(subject.built, one.cache.path()));
      if (!is_whole) return std::string(kTooMuchBuilt);
    }
    KernelWorker& kernel_worker = *one.kernel_worker;
    TRY_DONE(kernel_worker.Show(slots_));
    Construction construction = bench_.construction();
    construction.entry = subject.candidate.entry_symbol;
    TRY(prepared, kernel_worker.Prepare(subject.candidate.source, construction,
                                        &bench_.state()));
    if (prepared.verdict != Verdict::kPassed) return prepared.log;
    TRY(called,
        kernel_worker.Ask({.kind = WorkerRequestKind::kRehearse,
                           .seed = seed_,
                           .argument = static_cast<std::uint64_t>(part)}));
    return called.verdict == Verdict::kPassed ? std::string() : called.log;
  }

  TorchBench& bench_;
  const WorkerOptions& worker_;
  InputSlots slots_;
  std::uint64_t seed_;
};

cuda::SanitizerOutput Judge(const NamedTool& tool, const Ended& ended) {
  cuda::SanitizerOutput watched = cuda::JudgeSanitizerOutput(
      tool.name, ended.status, ended.output,
      tool.name == cuda::kAddressSanitizer ? AddressFindings(ended.output)
                                           : cuda::Findings(ended.output));
  using enum cuda::SanitizerOutput::Outcome;
  if (ended.trouble.empty() || watched.outcome == kFound) return watched;
  watched.outcome = kNoWord;
  watched.report = ended.trouble;
  return watched;
}

std::string NotSanitized(const std::string& why) {
  return std::string(kNotSanitized) + why + "\n";
}

// Nothing, with a line that says why, where there are none.
std::vector<NamedTool> FindTools(const std::string& device,
                                 std::string& missing) {
  std::vector<NamedTool> tools;
  if (IsHost(device)) {
    if (auto tool = FindAddressSanitizer()) {
      tools.push_back({std::string(cuda::kAddressSanitizer), *tool});
    } else {
      missing = NotSanitized("g++ has no libasan; install it");
    }
    return tools;
  }
  const auto folder = cuda::FindSanitizers(cuda::FindToolkit());
  if (!folder) {
    missing = NotSanitized(
        "compute-sanitizer is not found; it comes with the CUDA toolkit");
    return tools;
  }
  for (const std::string_view name : cuda::kSanitizers) {
    tools.push_back({std::string(name),
                     {.command = cuda::SanitizerCommand(kSanitizerFolder, name),
                      // Torch keeps memory, and cuts tensors out of it, whose
                      // bounds no tool knows of.
                      .environment = {cuda::kMostHazards,
                                      {"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"}},
                      .binds = {{*folder, kSanitizerFolder}}}});
  }
  return tools;
}

Result<std::vector<cuda::SanitizerOutput>> LookAt(
    Rehearsals& rehearsals, const Subject& subject,
    const std::vector<NamedTool>& tools) {
  TRY(ended, rehearsals.Of(subject, tools, Rehearsed::kAll));
  std::vector<cuda::SanitizerOutput> all;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    all.push_back(Judge(tools[i], ended[i]));
  }
  return all;
}

// "memcheck, racecheck", those that are left.
std::string NamesOf(const std::vector<cuda::SanitizerOutput>& all) {
  std::string names;
  for (const cuda::SanitizerOutput& one : all) {
    names += (names.empty() ? "" : ", ") + one.tool;
  }
  return names;
}

}  // namespace

bool HasOwnCode(const std::string& source, const std::string& device) {
  std::vector<std::string_view> signs = {"cpp_extension", "load_solution"};
  if (!IsHost(device)) {
    signs.insert(signs.end(), {"triton", "_compile_kernel"});
  }
  return std::ranges::any_of(signs, [&](std::string_view sign) {
    return source.find(sign) != source.npos;
  });
}

Result<Outcome> Sanitize(TorchBench& bench, const WorkerOptions& worker,
                         const Subject& subject) {
  Outcome conclusion;
  if (!HasOwnCode(subject.candidate.source, worker.device)) {
    conclusion.log = NotSanitized("it has no compiled code of its own");
    return conclusion;
  }
  const std::vector<NamedTool> tools = FindTools(worker.device, conclusion.log);
  if (tools.empty()) return conclusion;
  TRY(rehearsals, Rehearsals::Make(bench, worker));
  TRY(all, LookAt(rehearsals, subject, tools));
  std::vector<NamedTool> doubtful;
  for (const std::string_view name : cuda::Doubtful(all, {})) {
    doubtful.push_back(*std::ranges::find(tools, name, &NamedTool::name));
  }
  std::vector<cuda::SanitizerOutput> of_root;
  if (!doubtful.empty()) {
    const Candidate root{Language::kPython, SourceOf(bench.task().root),
                         bench.task().root.entry_symbol};
    TRY_ASSIGN(of_root, LookAt(rehearsals, {root, {}}, doubtful));
  }
  all = cuda::OfUse(std::move(all), of_root);
  conclusion = cuda::Conclude(all);
  if (all.empty()) {
    conclusion.log = NotSanitized("no tool is of use here");
  } else if (conclusion.verdict == Verdict::kPassed) {
    conclusion.log = std::string(kSanitized) + NamesOf(all) +
                     (all.size() == 1 ? " finds" : " find") + " nothing\n";
  }
  for (const cuda::SanitizerOutput& one : of_root) {
    if (one.outcome != cuda::SanitizerOutput::Outcome::kClean) {
      conclusion.log += cuda::WithoutUse(one);
    }
  }
  return conclusion;
}

Result<cuda::Counted> CountKernels(TorchBench& bench,
                                   const WorkerOptions& worker,
                                   const Subject& subject) {
  const fs::path program = cuda::FindNsight(cuda::FindToolkit());
  if (program.empty()) return cuda::Counted{{}, cuda::kNoNsight};
  const fs::path folder = cuda::NsightFolder(program);
  WatchTool tool{.command = cuda::NsightCommand(program),
                 .environment = {},
                 .binds = {{folder, folder.string()}}};
  tool.command.insert(tool.command.end(), {"--profile-from-start", "off"});
  TRY(rehearsals, Rehearsals::Make(bench, worker));
  TRY(all,
      rehearsals.Of(subject, {{"ncu", std::move(tool)}}, Rehearsed::kLastCall));
  const Ended& ended = all.front();
  cuda::Counted counted = cuda::CountedIn(ended.output);
  if (counted.kernels.empty() && !ended.status) {
    counted.note = cuda::kLateNsight;
  }
  return counted;
}

}  // namespace coppice::eval::torch
