#include "engine/trace_scores.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

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

// The last trace by workload, by solution, by definition.
using ByWorkload = std::map<std::string, const Trace*>;
using BySolution = std::map<std::string, ByWorkload>;

std::map<std::string, BySolution> LastTraces(const TraceSet& set) {
  std::map<std::string, BySolution> last;
  for (const Trace& trace : set.traces) {
    if (!trace.evaluation || !eval::Decides(*trace.evaluation)) continue;
    const Trace*& known = last[trace.definition][trace.solution.value_or("")]
                              [trace.workload.uuid];
    if (known == nullptr ||
        trace.evaluation->timestamp >= known->evaluation->timestamp) {
      known = &trace;
    }
  }
  return last;
}

// Milliseconds by workload: the fastest passing baseline's; empty if none.
std::map<std::string, double> Baseline(const TraceSet& set,
                                       const BySolution& solutions) {
  std::map<std::string, double> least;
  for (const auto& [solution, traces] : solutions) {
    for (const auto& [workload, trace] : traces) {
      if (!Passed(*trace) || AuthorOf(set, *trace) != "baseline") continue;
      const double latency_ms = trace->evaluation->performance->latency_ms;
      const auto [known, added] = least.emplace(workload, latency_ms);
      if (!added) known->second = std::min(known->second, latency_ms);
    }
  }
  return least;
}

std::set<std::string> WorkloadsOf(const BySolution& solutions) {
  std::set<std::string> workloads;
  for (const auto& [solution, traces] : solutions) {
    for (const auto& [workload, trace] : traces) workloads.insert(workload);
  }
  return workloads;
}

// Of a trace, against a yardstick in milliseconds; none: its own reference's.
Ratio RatioOf(const std::string& workload, const Trace* trace,
              std::optional<double> yardstick_ms) {
  Ratio ratio{workload};
  if (trace == nullptr || !Passed(*trace)) return ratio;
  const eval::Performance& performance = *trace->evaluation->performance;
  if (performance.latency_ms <= 0.0) return ratio;  // It was not timed.
  ratio.latency_ms = performance.latency_ms;
  ratio.ratio = yardstick_ms.value_or(performance.reference_latency_ms) /
                performance.latency_ms;
  return ratio;
}

// All solutions of one definition, in no order.
std::vector<Placing> PlacingsOf(const TraceSet& set,
                                const std::string& definition,
                                const BySolution& solutions) {
  const std::map<std::string, double> baseline = Baseline(set, solutions);
  std::set<std::string> workloads = WorkloadsOf(solutions);
  if (!baseline.empty()) {
    std::erase_if(workloads, [&](const std::string& workload) {
      return !baseline.contains(workload);
    });
  }
  std::vector<Placing> placings;
  for (const auto& [solution, traces] : solutions) {
    Placing placing{
        definition,
        solution,
        AuthorOf(set, *traces.begin()->second),
        baseline.empty() ? Yardstick::kReference : Yardstick::kBaseline,
        {}};
    for (const std::string& workload : workloads) {
      const auto trace = traces.find(workload);
      const auto yardstick = baseline.find(workload);
      placing.ratios.push_back(RatioOf(
          workload, trace == traces.end() ? nullptr : trace->second,
          yardstick == baseline.end() ? std::optional<double>()
                                      : std::optional(yardstick->second)));
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

// Milliseconds, by definition and workload: of the fastest author.
using Place = std::pair<std::string, std::string>;
std::map<Place, double> Fastest(const std::vector<const Placing*>& placings) {
  std::map<Place, double> fastest;
  for (const Placing* placing : placings) {
    for (const Ratio& ratio : placing->ratios) {
      if (ratio.latency_ms <= 0.0) continue;
      const auto [known, added] = fastest.emplace(
          Place{placing->definition, ratio.workload}, ratio.latency_ms);
      if (!added) known->second = std::min(known->second, ratio.latency_ms);
    }
  }
  return fastest;
}

}  // namespace

Tally TallyOf(const TraceSet& set) {
  Tally tally;
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
  std::vector<Placing> ranked;
  for (const auto& [definition, solutions] : LastTraces(set)) {
    std::vector<Placing> placings = PlacingsOf(set, definition, solutions);
    std::sort(placings.begin(), placings.end(), IsBetter);
    std::move(placings.begin(), placings.end(), std::back_inserter(ranked));
  }
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
    std::vector<Point>& curve = curves[author];
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
  const std::map<Place, double> fastest = Fastest(chosen);
  std::map<std::string, std::vector<double>> nearness;
  for (const Placing* placing : chosen) {
    std::vector<double>& own = nearness[placing->author];
    for (const Ratio& ratio : placing->ratios) {
      if (ratio.latency_ms <= 0.0) continue;
      own.push_back(fastest.at({placing->definition, ratio.workload}) /
                    ratio.latency_ms);
    }
  }
  Curves curves;
  for (auto& [author, own] : nearness) {
    std::sort(own.begin(), own.end(), std::greater<>());
    std::vector<Point>& curve = curves[author];
    if (own.empty() || own.front() < 1.0) curve.push_back({1.0, 0.0});
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i + 1 < own.size() && own[i + 1] == own[i]) continue;
      curve.push_back({own[i], Share(i + 1, total)});
    }
  }
  return curves;
}

double FastAt(const std::vector<Point>& curve, double p) {
  double share = 0.0;
  for (const Point& point : curve) {
    if (point.p <= p) share = point.share;
  }
  return share;
}

double WinAt(const std::vector<Point>& curve, double p) {
  double share = 0.0;
  for (const Point& point : curve) {
    if (point.p >= p) share = point.share;
  }
  return share;
}

}  // namespace coppice::engine
