#include "eval/formats/kernelbench_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "eval/formats/json_cursor.h"
#include "store/records/evaluation.h"
#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

constexpr double kPerMillisecond = 1e-3;  // Seconds.
constexpr double kExcessiveSpeedup = 10.0;

constexpr std::string_view kLevel = "level";
constexpr std::string_view kProblemEnding = ".py";

// "19_ReLU" of "level1_19_ReLU".
std::string_view WithoutLevel(std::string_view task) {
  if (!task.starts_with(kLevel)) return task;
  const std::size_t end = task.find('_');
  if (end == std::string_view::npos ||
      !ParseCount(task.substr(kLevel.size(), end - kLevel.size()))) {
    return task;
  }
  return task.substr(end + 1);
}

std::string_view EndingOf(Language language) {
  switch (language) {
    case Language::kCpp:
      return ".cc";
    case Language::kCuda:
      return ".cu";
    case Language::kPython:
    case Language::kTriton:
    case Language::kTilelang:
      return ".py";
    case Language::kSim:
      break;
  }
  return ".txt";
}

// The key of their metadata under which they say that.
std::string ComplaintOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "";
    case Verdict::kCompileFailed:
      return "compilation_error";
    case Verdict::kCrashed:
      return "runtime_error";
    case Verdict::kWrongOutput:
      return "correctness_issue";
    case Verdict::kTimedOut:
    case Verdict::kRejected:
    case Verdict::kNoCandidate:
    case Verdict::kInconclusive:
      break;
  }
  return "other_error";
}

// They are not complete without it.
template <class Value>
Result<Value> Required(const Cursor& object, const std::string& key,
                       Result<std::optional<Value>> value) {
  if (value && !*value) return object.Wrong("\"" + key + "\" is missing");
  return value.transform([](const std::optional<Value>& has) { return *has; });
}

Result<double> NumberMember(const Cursor& object, const std::string& key) {
  return Required(object, key, object.OptionalNumber(key));
}

Result<bool> BoolMember(const Cursor& object, const std::string& key) {
  return Required(object, key, object.OptionalBool(key));
}

Result<KernelBenchTimes> ReadTimes(const Cursor& stats) {
  KernelBenchTimes times;
  TRY(mean, NumberMember(stats, "mean"));
  TRY(std, NumberMember(stats, "std"));
  TRY(min, NumberMember(stats, "min"));
  TRY(max, NumberMember(stats, "max"));
  if (!(mean > 0.0)) return stats.Wrong("its mean is no time");
  times.mean_s = mean * kPerMillisecond;
  times.std_s = std * kPerMillisecond;
  times.min_s = min * kPerMillisecond;
  times.max_s = max * kPerMillisecond;
  TRY(place, stats.Member("num_trials"));
  TRY_ASSIGN(times.trials, place.NonNegativeInteger());
  TRY_ASSIGN(times.hardware, stats.StringOrEmpty("hardware"));
  TRY_ASSIGN(times.device, stats.StringOrEmpty("device"));
  return times;
}

Json TimesJson(const KernelBenchTimes& times) {
  return {{"mean", times.mean_s / kPerMillisecond},
          {"std", times.std_s / kPerMillisecond},
          {"min", times.min_s / kPerMillisecond},
          {"max", times.max_s / kPerMillisecond},
          {"num_trials", times.trials},
          {"hardware", times.hardware},
          {"device", times.device}};
}

Result<KernelBenchResult> ReadResult(const Cursor& entry,
                                     std::int64_t problem) {
  KernelBenchResult result;
  result.problem = problem;
  if (const std::optional<Cursor> sample = entry.Find("sample_id")) {
    TRY_ASSIGN(result.sample, sample->NonNegativeInteger());
  }
  TRY_ASSIGN(result.compiled, BoolMember(entry, "compiled"));
  TRY_ASSIGN(result.correct, BoolMember(entry, "correctness"));
  TRY(runtime, entry.OptionalNumber("runtime"));
  if (result.correct && runtime.value_or(-1.0) > 0.0) {
    result.runtime_s = *runtime * kPerMillisecond;
  }
  const std::optional<Cursor> stats = entry.Find("runtime_stats");
  if (result.runtime_s && stats && stats->Find("mean")) {
    TRY_ASSIGN(result.times, ReadTimes(*stats));
  }
  return result;
}

Json ResultJson(const KernelBenchResult& result) {
  Json metadata = Json::object();
  if (result.times) {
    metadata["hardware"] = result.times->hardware;
    metadata["device"] = result.times->device;
  }
  if (result.is_excessive) metadata["excessive_speedup"] = true;
  if (!result.complaint.empty()) {
    metadata[result.complaint] = result.complaint_text;
  }
  return {{"sample_id", result.sample},
          {"compiled", result.compiled},
          {"correctness", result.correct},
          {"metadata", std::move(metadata)},
          {"runtime",
           result.runtime_s ? *result.runtime_s / kPerMillisecond : -1.0},
          {"runtime_stats",
           result.times ? TimesJson(*result.times) : Json::object()}};
}

// Writes as Python's json.dump(indent=4); logs need not be UTF-8.
std::string Indented(const Json& document) {
  return document.dump(4, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

std::string TaskName(std::int64_t level, const std::string& problem) {
  const std::size_t end =
      problem.ends_with(kProblemEnding) ? kProblemEnding.size() : 0;
  return std::string(kLevel) + std::to_string(level) + "_" +
         problem.substr(0, problem.size() - end);
}

std::string ProblemOf(const std::string& task) {
  return std::string(WithoutLevel(task)) + std::string(kProblemEnding);
}

std::optional<std::int64_t> ProblemNumber(const std::string& name) {
  const std::string_view problem = WithoutLevel(name);
  const std::size_t end = problem.find('_');
  if (end == std::string_view::npos) return std::nullopt;
  return ParseCount(problem.substr(0, end));
}

std::string KernelFileName(std::int64_t level, std::int64_t problem,
                           std::int64_t sample, Language language) {
  return "level_" + std::to_string(level) + "_problem_" +
         std::to_string(problem) + "_sample_" + std::to_string(sample) +
         "_kernel" + std::string(EndingOf(language));
}

std::optional<KernelFile> ParseKernelFileName(const std::string& name) {
  KernelFile file;
  std::string_view rest = name;
  const auto take = [&rest](std::string_view word, std::int64_t& number) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    const std::size_t end = rest.find('_');
    if (end == std::string_view::npos) return false;
    const std::optional<std::int64_t> parsed = ParseCount(rest.substr(0, end));
    if (!parsed) return false;
    number = *parsed;
    rest.remove_prefix(end);
    return true;
  };
  if (!take("level_", file.level) || !take("_problem_", file.problem) ||
      !take("_sample_", file.sample)) {
    return std::nullopt;
  }
  constexpr std::array<std::string_view, 3> kEndings = {
      "_kernel.py", "_kernel.cc", "_kernel.cu"};
  if (std::ranges::find(kEndings, rest) == kEndings.end()) return std::nullopt;
  return file;
}

// The device as torch names it.  What PyTorch ran on is in the place of a
// compiler's flags, without a driver.
std::string DeviceOf(const Environment& environment) {
  if (environment.flags.starts_with("cuda:")) return environment.flags;
  return environment.driver.empty() ? "cpu" : "cuda:0";
}

KernelBenchTimes TimesOf(const std::vector<double>& samples_s,
                         const Environment& environment) {
  const auto count = static_cast<double>(samples_s.size());
  KernelBenchTimes times;
  times.mean_s = Mean(samples_s);
  double squares = 0.0;
  for (const double sample : samples_s) {
    squares += (sample - times.mean_s) * (sample - times.mean_s);
  }
  times.std_s = std::sqrt(squares / count);
  times.min_s = *std::ranges::min_element(samples_s);
  times.max_s = *std::ranges::max_element(samples_s);
  times.trials = static_cast<std::int64_t>(samples_s.size());
  times.hardware = environment.hardware;
  times.device = DeviceOf(environment);
  return times;
}

KernelBenchResult ToKernelBench(std::int64_t problem, std::int64_t sample,
                                const Evaluation& evaluation) {
  KernelBenchResult result;
  result.problem = problem;
  result.sample = sample;
  const Verdict verdict = evaluation.verdict;
  result.compiled =
      verdict != Verdict::kCompileFailed && verdict != Verdict::kNoCandidate;
  result.correct = verdict == Verdict::kPassed;
  result.complaint = ComplaintOf(verdict);
  if (!result.correct) {
    result.complaint_text = std::string(Name(verdict)) + ": " + evaluation.log;
    return result;
  }
  result.runtime_s = evaluation.runtime_s;
  if (evaluation.workloads.size() == 1 &&
      !evaluation.workloads[0].samples_s.empty()) {
    result.times =
        TimesOf(evaluation.workloads[0].samples_s, evaluation.environment);
    result.runtime_s = result.times->mean_s;
  }
  return result;
}

void Restate(double root_s, double speedup, KernelBenchResult& result) {
  if (!result.correct) return;
  result.runtime_s = root_s / speedup;
  result.is_excessive = speedup > kExcessiveSpeedup;
  if (!result.times) return;
  KernelBenchTimes& times = *result.times;
  const double factor = *result.runtime_s / times.mean_s;
  for (double* each :
       {&times.mean_s, &times.std_s, &times.min_s, &times.max_s}) {
    *each *= factor;
  }
}

Result<std::vector<KernelBenchResult>> ParseEvalResults(
    const std::string& text, const std::string& file) {
  TRY(document, ParseJson(text, file));
  const Cursor root(document, file);
  TRY(problems, root.Members());
  std::vector<KernelBenchResult> results;
  for (const auto& [key, place] : problems) {
    const std::optional<std::int64_t> problem = ParseCount(key);
    if (!problem) return place.Wrong("expected the number of a problem");
    // Files of before there were samples hold the one entry itself.
    std::vector<Cursor> entries = {place};
    if (!place.Value().is_object() && !place.Value().is_null()) {
      TRY_ASSIGN(entries, place.Items());
    }
    for (const Cursor& entry : entries) {
      if (entry.Value().is_null()) continue;
      TRY(result, ReadResult(entry, *problem));
      results.push_back(std::move(result));
    }
  }
  return results;
}

std::string EvalResultsText(const std::vector<KernelBenchResult>& results) {
  std::map<std::int64_t, std::map<std::int64_t, Json>> sorted;
  for (const KernelBenchResult& result : results) {
    sorted[result.problem][result.sample] = ResultJson(result);
  }
  Json document = Json::object();
  for (const auto& [problem, samples] : sorted) {
    Json entries = Json::array();
    for (const auto& [sample, entry] : samples) entries.push_back(entry);
    document[std::to_string(problem)] = std::move(entries);
  }
  return Indented(document);
}

Result<std::vector<KernelBenchBaseline>> ParseBaselineTimes(
    const std::string& text, const std::string& file) {
  TRY(document, ParseJson(text, file));
  const Cursor root(document, file);
  TRY(levels, root.Members());
  std::vector<KernelBenchBaseline> baselines;
  for (const auto& [key, place] : levels) {
    const std::optional<std::int64_t> level =
        key.starts_with(kLevel) ? ParseCount(key.substr(kLevel.size()))
                                : std::nullopt;
    if (!level) return place.Wrong("expected a level, as \"level1\" is");
    TRY(problems, place.Members());
    for (const auto& [problem, stats] : problems) {
      KernelBenchBaseline baseline{*level, problem, std::nullopt};
      if (!stats.Value().is_null()) {
        TRY_ASSIGN(baseline.times, ReadTimes(stats));
      }
      baselines.push_back(std::move(baseline));
    }
  }
  return baselines;
}

std::string BaselineTimesText(
    const std::vector<KernelBenchBaseline>& baselines) {
  Json document = Json::object();
  for (const char* level : {"level1", "level2", "level3"}) {
    document[level] = Json::object();  // Theirs are always there.
  }
  std::vector<KernelBenchBaseline> sorted = baselines;
  std::ranges::sort(sorted, {}, [](const KernelBenchBaseline& baseline) {
    return std::tuple(baseline.level, ProblemNumber(baseline.problem),
                      baseline.problem);
  });
  for (const KernelBenchBaseline& baseline : sorted) {
    document["level" + std::to_string(baseline.level)][baseline.problem] =
        baseline.times ? TimesJson(*baseline.times) : Json();
  }
  return Indented(document);
}

}  // namespace coppice::eval
