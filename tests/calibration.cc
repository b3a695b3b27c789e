#include "tests/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search/landscapes/in_memory_campaign.h"

namespace coppice {
namespace {

using search::kPaperWindow;

constexpr std::array<int, search::kLevels> kPaperTasks = {14, 8, 8};

constexpr auto kAlone = search::Workforce::kAlone;
constexpr auto kTeam = search::Workforce::kTeam;
constexpr auto kBlind = search::Workforce::kWithoutFeedback;
constexpr std::array<PaperRow, 11> kPaper = {{
    {1, "sampling", "best_of_k", kBlind, 0, .908, .430, .571, .143, .81},
    {1, "reflexion", "reflexion", kAlone, 0, .860, .483, .929, .286, 1.24},
    {1, "stark", "stark", kTeam, kPaperWindow, .845, .506, 1.0, .714, 3.03},
    {2, "sampling", "best_of_k", kBlind, 0, .970, .440, .875, .500, 1.06},
    {2, "reflexion", "reflexion", kAlone, 0, .862, .534, 1.0, .750, .88},
    {2, "stark", "stark", kTeam, kPaperWindow, .907, .612, 1.0, 1.0, 2.69},
    {3, "sampling", "best_of_k", kBlind, 0, .849, .151, 1.0, .500, .87},
    {3, "reflexion", "reflexion", kAlone, 0, .789, .284, .625, .250, .79},
    {3, "stark", "stark", kTeam, kPaperWindow, .834, .355, 1.0, .875, 1.58},
    {3, "search", "stark", kAlone, 0, {}, {}, {}, .625, .89},
    {3, "multi_agent", "best_of_k:repairs=1", kTeam, 0, {}, {}, {}, .625, 1.11},
}};

constexpr double kLowestLog = -4.0;
constexpr double kHighestLog = 3.0;

constexpr double kTail = 0.005;
constexpr double kTailInStandardErrors = 2.576;  // Of a normal distribution.

class Sums {
 public:
  void Add(double number) {
    ++count_;
    sum_ += number;
    squares_ += number * number;
  }
  Moments Result() const {
    if (count_ == 0) return {};
    const double n = count_;
    const double mean = sum_ / n;
    return {mean, std::sqrt(std::max(0.0, squares_ / n - mean * mean))};
  }

 private:
  int count_ = 0;
  double sum_ = 0.0;
  double squares_ = 0.0;
};

// P(X = k) of n trials with chance p.
double Binomial(int n, int k, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) -
                  std::lgamma(n - k + 1.0)) *
         std::pow(p, k) * std::pow(1.0 - p, n - k);
}

bool IsLikelyShare(double simulated, double paper, int tasks) {
  const int found = static_cast<int>(std::lround(paper * tasks));
  double at_most = 0.0;
  double at_least = 0.0;
  for (int k = 0; k <= tasks; ++k) {
    const double chance = Binomial(tasks, k, simulated);
    if (k <= found) at_most += chance;
    if (k >= found) at_least += chance;
  }
  return at_most >= kTail && at_least >= kTail;
}

bool IsLikelyMean(const Moments& simulated, double paper, double tasks) {
  return std::abs(simulated.mean - paper) <=
         kTailInStandardErrors * simulated.sd / std::sqrt(tasks);
}

Comparison CompareShare(const char* name, double simulated,
                        std::optional<double> paper, int tasks) {
  return {name, simulated, paper,
          !paper || IsLikelyShare(simulated, *paper, tasks)};
}

Comparison CompareMean(const char* name, const Moments& simulated,
                       std::optional<double> paper, double tasks) {
  return {name, simulated.mean, paper,
          !paper || IsLikelyMean(simulated, *paper, tasks)};
}

struct PrintedRow {
  const char* table;
  int level;
  const char* agent;
  std::array<double, 4> percents;  // Of the table's columns; < 0: it has fewer.
};

// Tables 1 and 3 print no decimal of 50 %, table 2 none of 43 %.
constexpr PrintedRow kProblems[] = {
    {"1", 1, "sampling", {57.1, 14.3, 7.1, 7.1}},
    {"1", 1, "reflexion", {92.6, 28.6, 14.3, 35.7}},
    {"1", 1, "stark", {100, 71.4, 78.6, 78.6}},
    {"1", 2, "sampling", {87.5, 50, 37.5, 37.5}},
    {"1", 2, "reflexion", {100, 75, 62.5, 62.5}},
    {"1", 2, "stark", {100, 100, 87.5, 87.5}},
    {"1", 3, "sampling", {100, 50, 12.5, 12.5}},
    {"1", 3, "reflexion", {67.5, 25, 12.5, 12.5}},
    {"1", 3, "stark", {100, 87.5, 87.5, 87.5}},
    {"3", 3, "search", {-1, 67.5, 25, 25}},
    {"3", 3, "multi_agent", {-1, 67.5, 25, 25}},
};
constexpr const char* kProblemColumns[] = {"success", "fast_1 over eager",
                                           "fast_1 over compile",
                                           "fast_1 over max-autotune"};

constexpr PrintedRow kAttempts[] = {
    {"2", 1, "sampling", {90.8, 43, -1, -1}},
    {"2", 1, "reflexion", {86.0, 48.3, -1, -1}},
    {"2", 1, "stark", {84.5, 50.6, -1, -1}},
    {"2", 2, "sampling", {97.0, 44.0, -1, -1}},
    {"2", 2, "reflexion", {86.2, 53.4, -1, -1}},
    {"2", 2, "stark", {90.7, 61.2, -1, -1}},
    {"2", 3, "sampling", {84.9, 15.1, -1, -1}},
    {"2", 3, "reflexion", {78.9, 28.4, -1, -1}},
    {"2", 3, "stark", {83.4, 35.5, -1, -1}},
};
constexpr const char* kAttemptColumns[] = {"compiled", "correct", "", ""};

// Rounded either way at a half.
bool IsShareOf(int whole, const PrintedShare& share) {
  const double half = 0.5 * std::pow(10.0, -share.decimals) + 1e-9;
  const double part = std::round(share.percent / 100.0 * whole);
  return std::abs(100.0 * part / whole - share.percent) <= half;
}

void AddImpossible(const PrintedRow& row, const char* const* columns,
                   bool is_of_attempts, std::vector<PrintedShare>& all) {
  const int problems = PaperTasks(row.level);
  for (std::size_t i = 0; i < row.percents.size(); ++i) {
    const double percent = row.percents[i];
    if (percent < 0.0) continue;
    const bool is_round = percent == 43.0;
    const PrintedShare share = {row.table,     row.level, row.agent,
                                columns[i],    percent,   is_round ? 0 : 1,
                                is_of_attempts};
    const int whole = is_of_attempts ? problems * kPaperAttempts : problems;
    if (!IsShareOf(whole, share)) all.push_back(share);
  }
}

}  // namespace

std::vector<PrintedShare> ImpossibleShares() {
  std::vector<PrintedShare> all;
  for (const PrintedRow& row : kProblems) {
    AddImpossible(row, kProblemColumns, false, all);
  }
  for (const PrintedRow& row : kAttempts) {
    AddImpossible(row, kAttemptColumns, true, all);
  }
  return all;
}

const std::array<PaperRow, 11>& PaperRows() { return kPaper; }

int PaperTasks(int level) {
  return kPaperTasks.at(static_cast<std::size_t>(level - 1));
}

Tally TallyOf(search::Family family, const PaperRow& row, int campaigns) {
  const auto policy = *search::MakePolicy(row.policy);
  const search::TaskLaw law(family, row.level);
  constexpr std::array<std::int64_t, 1> kEnd = {kPaperAttempts};
  constexpr double kAttempts = kPaperAttempts;
  Sums compiled;
  Sums correct;
  Sums speed;
  int successes = 0;
  int fast = 0;
  for (int seed = 1; seed <= campaigns; ++seed) {
    const search::InMemoryOutcome outcome =
        RunInMemory(*policy, law, static_cast<std::uint64_t>(seed),
                    {row.workforce, kPaperAttempts, kEnd, row.window});
    compiled.Add(static_cast<double>(outcome.compiled) / kAttempts);
    correct.Add(static_cast<double>(outcome.correct) / kAttempts);
    fast += outcome.fast_1 ? 1 : 0;
    if (!outcome.incumbents[0]) continue;
    ++successes;
    speed.Add(std::exp(
        std::clamp(outcome.incumbents[0]->measured, kLowestLog, kHighestLog)));
  }
  const double n = campaigns;
  return {compiled.Result(), correct.Result(), successes / n, fast / n,
          speed.Result()};
}

std::array<Comparison, 5> Compare(const PaperRow& row, const Tally& tally) {
  const int tasks = PaperTasks(row.level);
  const double successful =
      std::max(1.0, tasks * row.success.value_or(tally.success));
  return {CompareMean("compiled", tally.compiled, row.compiled, tasks),
          CompareMean("correct", tally.correct, row.correct, tasks),
          CompareShare("success", tally.success, row.success, tasks),
          CompareShare("fast_1", tally.fast_1, row.fast_1, tasks),
          CompareMean("speed", tally.speed, row.speed, successful)};
}

}  // namespace coppice
