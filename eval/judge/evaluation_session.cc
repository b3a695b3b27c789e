#include "eval/judge/evaluation_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/judge/measurement.h"
#include "store/records/paired_rounds.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kPrintedLimit = 4096;  // In a log.
constexpr double kAgreement = 0.10;          // Of relative speeds.
constexpr int kMostSessions = 3;

// What one workload's rounds say, with what differs from process to process.
std::optional<Estimate> LogSpeed(const WorkloadResult& result) {
  auto estimate = TrimmedMean(LogRatios(result).front());
  const auto& between = result.between_processes;
  if (!estimate || !between) return estimate;
  return Sum({*estimate, {0.0, between->variance, between->freedom}});
}

// Each workload of it has a line, which the sessions before have, too.
std::string OfSession(int number, const std::string& log) {
  const std::string session = "session " + std::to_string(number + 1) + ": ";
  std::string text;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size() - 1) + 1;
    const std::string line = log.substr(at, end - at);
    if (at == 0 || line.starts_with("workload ")) text += session;
    text += line;
    at = end;
  }
  return text;
}

void Append(const std::vector<double>& more, std::vector<double>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void Record(const Measurement& measurement, const Workload& workload,
            const std::function<std::string()>& printed, WorkloadResult& result,
            EvaluationSession& session) {
  result = measurement.result();
  const Verdict verdict = result.verdict;
  const bool explains = verdict == session.verdict
                            ? verdict == Verdict::kPassed
                            : session.verdict == Verdict::kPassed;
  const std::string log = measurement.log();
  if (!explains || log.empty()) return;
  session.verdict = verdict;
  session.breach = result.breach;
  session.log += Prefix(workload) + log + "\n";
  if (verdict != Verdict::kPassed) session.log += Quote(printed());
}

Outcome OutcomeOf(const Measurement& measurement, const std::string& printed) {
  if (measurement.Passing()) return {};
  return {measurement.result().verdict,
          measurement.log() + "\n" + Quote(printed),
          measurement.result().breach};
}

std::string ShapeText(const Workload& workload) {
  std::string axes;
  for (const auto& [axis, value] : workload.axes) {
    axes += (axes.empty() ? "" : ", ") + axis + "=" + std::to_string(value);
  }
  return axes;
}

std::string Prefix(const Workload& workload) {
  return "workload " + workload.uuid + " (" + ShapeText(workload) + "): ";
}

std::string Abridge(const std::string& text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  const std::size_t half = most_bytes / 2;
  return text.substr(0, half) + "\n[cut]\n" + text.substr(text.size() - half);
}

std::string Quote(const std::string& printed) {
  if (printed.empty()) return "";
  return "it printed:\n" + Abridge(printed, kPrintedLimit) + "\n";
}

bool Agree(const EvaluationSession& a, const EvaluationSession& b) {
  for (std::size_t i = 0; i < a.workloads.size(); ++i) {
    const auto one = LogSpeed(a.workloads[i]);
    auto other = LogSpeed(b.workloads[i]);
    if (!one || !other) return false;
    other->mean = -other->mean;
    const Estimate apart = Sum({*one, *other});
    if (std::abs(apart.mean) >
        std::max(std::log(1.0 + kAgreement), HalfWidth(apart))) {
      return false;
    }
  }
  return true;
}

void Enter(const EvaluationSession& session, int number,
           Evaluation& evaluation) {
  evaluation.verdict = session.verdict;
  evaluation.breach = session.breach;
  evaluation.hint = session.hint;
  evaluation.check_s += session.check_s;
  evaluation.timing_s += session.timing_s;
  evaluation.log += number == 0 ? session.log : OfSession(number, session.log);
  // A session that fails ends early; what the others measured stays.
  evaluation.workloads.resize(
      std::max(evaluation.workloads.size(), session.workloads.size()));
  for (std::size_t i = 0; i < session.workloads.size(); ++i) {
    WorkloadResult& all = evaluation.workloads[i];
    const WorkloadResult& more = session.workloads[i];
    all.workload = more.workload;
    all.verdict = more.verdict;
    all.breach = more.breach;
    all.worst_error_ratio =
        std::max(all.worst_error_ratio, more.worst_error_ratio);
    all.max_absolute_error =
        std::max(all.max_absolute_error, more.max_absolute_error);
    all.max_relative_error =
        std::max(all.max_relative_error, more.max_relative_error);
    all.calls_verified += more.calls_verified;
    all.between_processes = more.between_processes;
    all.discarded_samples += more.discarded_samples;
    all.temperature_c = more.temperature_c;
    all.floor_s = more.floor_s;
    if (more.profile) all.profile = more.profile;
    Append(more.samples_s, all.samples_s);
    Append(more.root_samples_s, all.root_samples_s);
    Append(more.control_samples_s, all.control_samples_s);
    for (SampleReading reading : more.readings) {
      reading.session = number;
      all.readings.push_back(reading);
      if (!reading.cpu_s) continue;
      evaluation.device_s = evaluation.device_s.value_or(0.0) +
                            *reading.cpu_s * static_cast<double>(reading.calls);
    }
  }
  if (session.verdict == Verdict::kPassed) return;
  for (WorkloadResult& result : evaluation.workloads) {
    result.samples_s.clear();
    result.root_samples_s.clear();
    result.control_samples_s.clear();
    result.readings.clear();
  }
}

Result<void> RepeatUntilTwoAgree(
    EvaluationSession first,
    const std::function<Result<EvaluationSession>()>& run_again,
    Evaluation& evaluation) {
  std::vector<EvaluationSession> sessions;
  sessions.push_back(std::move(first));
  for (int number = 1; number < kMostSessions; ++number) {
    TRY(next, run_again());
    Enter(next, number, evaluation);
    if (next.verdict != Verdict::kPassed) return {};
    for (const EvaluationSession& before : sessions) {
      if (Agree(before, next)) return {};
    }
    sessions.push_back(std::move(next));
  }
  evaluation.log +=
      "no two of three sessions agree on how fast it is; the interval is as "
      "wide as they are apart\n";
  return {};
}

}  // namespace coppice::eval
