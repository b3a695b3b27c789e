#include "engine/interchange/trace_scores.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "store/records/evaluation.h"
#include "store/records/worth.h"

namespace coppice::engine {
namespace {

using eval::Trace;
using eval::TraceSet;
using eval::TraceStatus;

bool Passed(const Trace& trace) {
  return trace.evaluation && trace.evaluation->status == TraceStatus::kPassed;
}

std::string AuthorOf(const TraceSet& set, const Trace& trace) {
  const auto found = set.solutions.find(trace.solution.value_or(""));
  return found == set.solutions.end() ? "unknown" : found->second.value.author;
}

// A trace with an evaluation; its occasion is unset unless it is ours.
struct Judged {
  const Trace* trace = nullptr;
  std::optional<eval::Occasion> occasion;

  bool IsTimed() const {
    return Passed(*trace) && trace->evaluation->performance->latency_ms > 0.0;
  }
  // How many times as fast as our root, which was timed beside it; the root is
  // 1 by definition.  REQUIRES: it is timed.
  std::optional<double> OverRoot() const {
    if (!occasion) return std::nullopt;
    if (occasion->is_root) return 1.0;
    const eval::Performance& performance = *trace->evaluation->performance;
    if (performance.reference_latency_ms <= 0.0) return std::nullopt;
    return performance.reference_latency_ms / performance.latency_ms;
  }
};

// Judged traces by solution, by definition.
std::map<std::string, std::map<std::string, std::vector<Judged>>> JudgedIn(
    const TraceSet& set) {
  std::map<std::string, std::map<std::string, std::vector<Judged>>> judged;
  for (const Trace& trace : set.traces) {
    if (!trace.evaluation) continue;
    const auto occasion = eval::OccasionOf(*trace.evaluation);
    judged[trace.definition][trace.solution.value_or("")].push_back(
        {&trace, occasion.value_or(std::nullopt)});
  }
  return judged;
}

// The last trace by workload, by solution.
using ByWorkload = std::map<std::string, const Judged*>;
using BySolution = std::map<std::string, ByWorkload>;

BySolution LastOf(
    const std::map<std::string, std::vector<Judged>>& by_solution) {
  BySolution last;
  for (const auto& [solution, all] : by_solution) {
    for (const Judged& each : all) {
      if (each.occasion && !each.occasion->decides) continue;
      const Trace& trace = *each.trace;
      const Judged*& known = last[solution][trace.workload.uuid];
      if (known == nullptr ||
          trace.evaluation->timestamp >= known->trace->evaluation->timestamp) {
        known = &each;
      }
    }
  }
  return last;
}

// What a solution of ours counts for, by all its traces; none: some are not
// ours, or it does not pass.
std::optional<Speedup> CountsFor(const std::vector<Judged>& all) {
  // Traces by ordinal; an evaluation has one for each workload.
  std::map<std::pair<std::int64_t, std::string>, std::vector<Trace>> made;
  std::map<std::pair<std::int64_t, std::string>, bool> further;
  for (const auto& [trace, occasion] : all) {
    if (!occasion) return std::nullopt;
    if (occasion->is_root) return WorthOfRoot().speedup;
    // Only the last trace of a baseline counts.
    if (!occasion->baseline.empty() && !occasion->decides) continue;
    const std::pair key(occasion->ordinal, trace->evaluation->timestamp);
    made[key].push_back(*trace);
    further[key] = occasion->further;
  }
  std::vector<Evidence> findings;
  for (const auto& [key, traces] : made) {
    const auto evaluation = eval::EvaluationOf(traces);
    if (!evaluation) return std::nullopt;
    findings.push_back(
        {evaluation->verdict, evaluation->speedup, further.at(key)});
  }
  return WorthOf(findings).speedup;
}

// How many times as fast as the yardstick.  REQUIRES: both are timed.
double RatioTo(const Judged& yardstick, const Judged& judged) {
  const auto theirs = yardstick.OverRoot();
  const auto own = judged.OverRoot();
  if (theirs && own) return *own / *theirs;
  return yardstick.trace->evaluation->performance->latency_ms /
         judged.trace->evaluation->performance->latency_ms;
}

// The fastest passing baseline's trace by workload; empty if none.
ByWorkload Baseline(const TraceSet& set, const BySolution& solutions) {
  ByWorkload fastest;
  for (const auto& [solution, traces] : solutions) {
    for (const auto& [workload, judged] : traces) {
      if (!judged->IsTimed() || AuthorOf(set, *judged->trace) != "baseline") {
        continue;
      }
      const auto [known, added] = fastest.emplace(workload, judged);
      if (!added && RatioTo(*known->second, *judged) > 1.0) {
        known->second = judged;
      }
    }
  }
  return fastest;
}

std::set<std::string> WorkloadsOf(const BySolution& solutions) {
  std::set<std::string> workloads;
  for (const auto& [solution, traces] : solutions) {
    for (const auto& [workload, judged] : traces) workloads.insert(workload);
  }
  return workloads;
}

// Against a yardstick's; null: its own reference.
Ratio RatioOf(const std::string& workload, const Judged* judged,
              const Judged* yardstick) {
  Ratio ratio{workload};
  if (judged == nullptr || !judged->IsTimed()) return ratio;
  const eval::Performance& performance =
      *judged->trace->evaluation->performance;
  ratio.latency_ms = performance.latency_ms;
  ratio.ratio = yardstick == nullptr
                    ? performance.reference_latency_ms / performance.latency_ms
                    : RatioTo(*yardstick, *judged);
  return ratio;
}

// All solutions of one definition, in no order.
std::vector<Placing> PlacingsOf(const TraceSet& set,
                                const std::string& definition,
                                const BySolution& solutions) {
  const ByWorkload baseline = Baseline(set, solutions);
  std::set<std::string> workloads = WorkloadsOf(solutions);
  if (!baseline.empty()) {
    std::erase_if(workloads, [&](const std::string& workload) {
      return !baseline.contains(workload);
    });
  }
  std::vector<Placing> placings;
  for (const auto& [solution, traces] : solutions) {
    Placing placing{definition,
                    solution,
                    AuthorOf(set, *traces.begin()->second->trace),
                    baseline.empty() ? TraceYardstick::kReference
                                     : TraceYardstick::kBaseline,
                    {}};
    for (const std::string& workload : workloads) {
      const auto trace = traces.find(workload);
      const auto yardstick = baseline.find(workload);
      placing.ratios.push_back(
          RatioOf(workload, trace == traces.end() ? nullptr : trace->second,
                  yardstick == baseline.end() ? nullptr : yardstick->second));
    }
    placings.push_back(std::move(placing));
  }
  return placings;
}

bool IsBetter(const Placing& a, const Placing& b) {
  const auto merits = [](const Placing& placing) {
    return std::tuple(placing.Score(), placing.Passed(),
                      placing.GeometricMean());
  };
  if (merits(a) != merits(b)) return merits(a) > merits(b);
  return a.solution < b.solution;
}

// Every definition has all its workloads in each of its placings.
std::size_t CountWorkloads(const std::vector<const Placing*>& placings) {
  std::map<std::string, std::size_t> counts;
  for (const Placing* placing : placings) {
    counts[placing->definition] = placing->ratios.size();
  }
  std::size_t total = 0;
  for (const auto& [definition, count] : counts) total += count;
  return total;
}

double Share(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// A definition and a workload.
using Place = std::pair<std::string, std::string>;
std::map<Place, double> Greatest(const std::vector<const Placing*>& placings) {
  std::map<Place, double> greatest;
  for (const Placing* placing : placings) {
    for (const Ratio& ratio : placing->ratios) {
      double& known = greatest[{placing->definition, ratio.workload}];
      known = std::max(known, ratio.ratio);
    }
  }
  return greatest;
}

}  // namespace

TraceTally TallyOf(const TraceSet& set) {
  TraceTally tally;
  double sum_ms = 0.0;
  for (const Trace& trace : set.traces) {
    ++tally.traces;
    if (!trace.evaluation) {
      ++tally.unjudged;
      continue;
    }
    ++tally.by_status[static_cast<std::size_t>(trace.evaluation->status)];
    if (!Passed(trace)) continue;
    const double latency_ms = trace.evaluation->performance->latency_ms;
    tally.least_ms = std::min(tally.least_ms.value_or(latency_ms), latency_ms);
    tally.most_ms = std::max(tally.most_ms.value_or(latency_ms), latency_ms);
    sum_ms += latency_ms;
  }
  if (tally.Passed() > 0) {
    tally.mean_ms = sum_ms / static_cast<double>(tally.Passed());
  }
  std::set<std::string> authors;
  for (const auto& [name, filed] : set.solutions) {
    authors.insert(filed.value.author);
  }
  tally.authors = authors.size();
  return tally;
}

std::size_t Placing::Passed() const {
  return static_cast<std::size_t>(
      std::count_if(ratios.begin(), ratios.end(),
                    [](const Ratio& r) { return r.latency_ms > 0.0; }));
}

double Placing::Score() const {
  if (ratios.empty() || Passed() < ratios.size()) return 0.0;
  double sum = 0.0;
  for (const Ratio& ratio : ratios) sum += ratio.ratio;
  return sum / static_cast<double>(ratios.size());
}

double Placing::GeometricMean() const {
  double sum = 0.0;
  double count = 0.0;
  for (const Ratio& ratio : ratios) {
    if (ratio.ratio <= 0.0) continue;
    sum += std::log(ratio.ratio);
    count += 1.0;
  }
  return count > 0.0 ? std::exp(sum / count) : 0.0;
}

std::vector<Placing> Rank(const TraceSet& set) {
  const auto judged = JudgedIn(set);
  std::vector<Placing> ranked;
  for (const auto& [definition, by_solution] : judged) {
    std::vector<Placing> placings =
        PlacingsOf(set, definition, LastOf(by_solution));
    for (Placing& placing : placings) {
      placing.speedup = CountsFor(by_solution.at(placing.solution));
    }
    std::sort(placings.begin(), placings.end(), IsBetter);
    std::move(placings.begin(), placings.end(), std::back_inserter(ranked));
  }
  return ranked;
}

double SolScore(double latency_ms, const eval::QuotedTimes& bound) {
  const double over = latency_ms - bound.sol_ms;
  if (over <= 0.0) return 1.0;
  const double gap = bound.baseline_ms - bound.sol_ms;
  return gap > 0.0 ? 1.0 / (1.0 + over / gap) : 0.0;
}

std::vector<SolPlacing> RankBySol(const TraceSet& set) {
  std::vector<SolPlacing> ranked;
  for (const auto& [definition, by_solution] : JudgedIn(set)) {
    const auto bounds = set.bounds.find(definition);
    if (bounds == set.bounds.end()) continue;
    for (const auto& [solution, traces] : LastOf(by_solution)) {
      SolPlacing placing{
          .definition = definition,
          .solution = solution,
          .author = AuthorOf(set, *traces.begin()->second->trace),
          .workloads = bounds->second.size()};
      for (const auto& [workload, bound] : bounds->second) {
        const auto judged = traces.find(workload);
        if (judged == traces.end() || !judged->second->IsTimed()) continue;
        const auto& evaluation = *judged->second->trace->evaluation;
        if (evaluation.hardware.find("B200") == std::string::npos) continue;
        ++placing.passed;
        placing.score += SolScore(evaluation.performance->latency_ms, bound) /
                         static_cast<double>(placing.workloads);
      }
      if (placing.passed > 0) ranked.push_back(std::move(placing));
    }
  }
  std::ranges::sort(ranked, [](const SolPlacing& a, const SolPlacing& b) {
    return std::tuple(a.definition, b.score, a.solution) <
           std::tuple(b.definition, a.score, b.solution);
  });
  return ranked;
}

std::vector<const Placing*> Representatives(
    const std::vector<Placing>& placings) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<const Placing*> representatives;
  for (const Placing& placing : placings) {
    if (seen.emplace(placing.author, placing.definition).second) {
      representatives.push_back(&placing);
    }
  }
  return representatives;
}

std::vector<AuthorPlacing> RankAuthors(const std::vector<Placing>& placings) {
  std::map<std::string, AuthorPlacing> authors;
  for (const Placing* placing : Representatives(placings)) {
    AuthorPlacing& author = authors[placing->author];
    author.author = placing->author;
    ++author.definitions;
    if (placing->Score() > 0.0) ++author.solved;
    author.score += placing->Score();
  }
  std::vector<AuthorPlacing> ranked;
  for (auto& [name, author] : authors) {
    author.score /= static_cast<double>(author.definitions);
    ranked.push_back(std::move(author));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const AuthorPlacing& a, const AuthorPlacing& b) {
                     return a.score > b.score;
                   });
  return ranked;
}

Curves FastP(const std::vector<Placing>& placings) {
  const std::vector<const Placing*> chosen = Representatives(placings);
  const std::size_t total = CountWorkloads(chosen);
  std::map<std::string, std::vector<double>> ratios;
  for (const Placing* placing : chosen) {
    std::vector<double>& own = ratios[placing->author];
    for (const Ratio& ratio : placing->ratios) {
      if (ratio.ratio > 0.0) own.push_back(ratio.ratio);
    }
  }
  Curves curves;
  for (auto& [author, own] : ratios) {
    std::sort(own.begin(), own.end());
    std::vector<FastPStep>& curve = curves[author];
    curve.push_back({0.0, Share(own.size(), total)});
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i + 1 < own.size() && own[i + 1] == own[i]) continue;
      curve.push_back({own[i], Share(own.size() - i - 1, total)});
    }
  }
  return curves;
}

Curves WinAtP(const std::vector<Placing>& placings) {
  const std::vector<const Placing*> chosen = Representatives(placings);
  const std::size_t total = CountWorkloads(chosen);
  const std::map<Place, double> greatest = Greatest(chosen);
  std::map<std::string, std::vector<double>> nearness;
  for (const Placing* placing : chosen) {
    std::vector<double>& own = nearness[placing->author];
    for (const Ratio& ratio : placing->ratios) {
      if (ratio.ratio <= 0.0) continue;
      own.push_back(ratio.ratio /
                    greatest.at({placing->definition, ratio.workload}));
    }
  }
  Curves curves;
  for (auto& [author, own] : nearness) {
    std::sort(own.begin(), own.end(), std::greater<>());
    std::vector<FastPStep>& curve = curves[author];
    if (own.empty() || own.front() < 1.0) curve.push_back({1.0, 0.0});
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i + 1 < own.size() && own[i + 1] == own[i]) continue;
      curve.push_back({own[i], Share(i + 1, total)});
    }
  }
  return curves;
}

double FastAt(const std::vector<FastPStep>& curve, double p) {
  double share = 0.0;
  for (const FastPStep& point : curve) {
    if (point.p <= p) share = point.share;
  }
  return share;
}

double WinAt(const std::vector<FastPStep>& curve, double p) {
  double share = 0.0;
  for (const FastPStep& point : curve) {
    if (point.p >= p) share = point.share;
  }
  return share;
}

}  // namespace coppice::engine
