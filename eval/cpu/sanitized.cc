#include "eval/cpu/sanitized.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "eval/cpu/bench.h"
#include "eval/cpu/channel.h"
#include "eval/cpu/task_bench.h"
#include "eval/host/waiting.h"
#include "eval/host/whole_file.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/measurement.h"
#include "eval/sandbox/compiler.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"

namespace coppice::eval {
namespace {

constexpr int kSanitizedCalls = 2;  // In the full tier.

// Calls under the sanitizers may take this many times as long.
constexpr double kSanitizerSlowdown = 3.0;

std::size_t BytesOf(const CpuBench& bench) {
  return bench.plan().input_stride + bench.plan().output_stride;
}

}  // namespace

std::string SanitizerRunTime(std::string_view object) {
  std::string names;
  for (const std::string_view library : {"libasan.so.", "libubsan.so."}) {
    const std::size_t at = object.find(library);
    if (at == object.npos) continue;
    const std::size_t end =
        object.find_first_not_of("0123456789", at + library.size());
    names += (names.empty() ? "" : ":");
    names += object.substr(at, end - at);
  }
  return names;
}

std::string WithoutWarnings(const std::string& printed) {
  std::istringstream lines(printed);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("WARNING: reading executable name failed") == line.npos) {
      kept += line + "\n";
    }
  }
  return kept;
}

Result<void> Sanitize(const CpuTaskBench& task_bench, const Compiler& compiler,
                      const Candidate& candidate, Evaluation& evaluation) {
  auto start = Clock::now();
  TRY(compiled, compiler.Compile(candidate.source, candidate.entry_symbol,
                                 Purposed::kSanitizers, candidate.libraries));
  const auto begun = std::exchange(start, Clock::now());
  evaluation.compile_s += Seconds(start - begun);
  if (compiled.verdict != Verdict::kPassed) {
    evaluation.log += std::string(kNotSanitized) +
                      "it cannot be compiled for the sanitizers\n";
    return {};
  }
  CpuBench& bench = **std::ranges::min_element(
      task_bench.workloads, {},
      [](const auto& each) { return BytesOf(*each); });
  CpuRunnerOptions options = task_bench.options->session;
  options.cpu_limit_s = kCandidateCpuSeconds;
  options.timeout_s *= kSanitizerSlowdown;
  options.libraries = Libraries::kAll;
  options.memory_bytes = 0;  // Their shadow takes terabytes of addresses.
  options.environment = {
      {"LD_PRELOAD", SanitizerRunTime(ReadWhole(compiled.object).value_or(""))},
      {"ASAN_OPTIONS", "detect_leaks=0:max_allocation_size_mb=4096"}};
  CpuChannel channel(bench,
                     {.program = {compiled.object, candidate.entry_symbol},
                      .session = std::move(options)});
  Measurement measurement(
      channel, {.workload = bench.workload().uuid, .seed = bench.Secret()});
  TRY_DONE(measurement.Load());
  TRY_DONE(measurement.Check({.plain = kSanitizedCalls}));
  evaluation.check_s += Seconds(Clock::now() - start);
  const Verdict verdict = measurement.result().verdict;
  if (verdict == Verdict::kTimedOut) {
    evaluation.log +=
        std::string(kNotSanitized) + "it takes too long under the sanitizers\n";
  } else if (verdict != Verdict::kPassed) {
    evaluation.verdict = verdict;
    evaluation.breach = measurement.result().breach;
    evaluation.log = Prefix(bench.workload()) +
                     "under the sanitizers: " + measurement.log() + "\n" +
                     Quote(WithoutWarnings(channel.Output()));
    for (WorkloadResult& result : evaluation.workloads) {
      if (result.workload == bench.workload().uuid) {
        result = measurement.result();
      }
    }
  }
  return {};
}

}  // namespace coppice::eval
