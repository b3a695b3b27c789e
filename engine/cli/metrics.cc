#include "engine/cli/metrics.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "engine/cli/looking.h"
#include "engine/cli/or_null.h"
#include "engine/cli/report.h"
#include "engine/cli/table.h"

namespace coppice::cli {
namespace {

std::string ShareText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100.0 * share);
  return text;
}

std::string ShortText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

std::string NameOf(const store::BaselineSpeed& baseline) {
  return baseline.baseline + (baseline.quoted ? " (quoted)" : "");
}

FastP FastOver(const std::string& over, const std::vector<double>& speeds) {
  FastP fast{over, static_cast<std::int64_t>(speeds.size()), {}, 1.0};
  std::vector<double> solved = speeds;
  std::erase(solved, 0.0);
  fast.geometric_mean = GeometricMean(solved);
  for (std::size_t i = 0; i < kFastThresholds.size(); ++i) {
    const auto above = std::ranges::count_if(
        speeds, [&](double speed) { return speed > kFastThresholds[i]; });
    fast.shares[i] =
        static_cast<double>(above) / static_cast<double>(speeds.size());
  }
  return fast;
}

std::optional<double> Sum(const std::optional<double>& a,
                          const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

// The mean of what all have; entry i of every campaign is of one k.
std::vector<store::AtK> MeansAtK(const std::vector<Scored>& campaigns) {
  std::size_t common = campaigns.front().score.at_k.size();
  for (const Scored& campaign : campaigns) {
    common = std::min(common, campaign.score.at_k.size());
  }
  std::vector<store::AtK> means;
  for (std::size_t i = 0; i < common; ++i) {
    store::AtK mean{campaigns.front().score.at_k[i].k, 0.0, 0.0, 0.0, 0.0};
    for (const Scored& campaign : campaigns) {
      const store::AtK& one = campaign.score.at_k[i];
      mean.pass += one.pass;
      mean.speedup += one.speedup;
      mean.efficiency = Sum(mean.efficiency, one.efficiency);
      mean.perf = Sum(mean.perf, one.perf);
    }
    const auto count = static_cast<double>(campaigns.size());
    mean.pass /= count;
    mean.speedup /= count;
    if (mean.efficiency) *mean.efficiency /= count;
    if (mean.perf) *mean.perf /= count;
    means.push_back(mean);
  }
  return means;
}

// Adds a campaign to what is known of those before it.
void AddPerf(const std::vector<store::AtK>& at_k, double baseline_speedup,
             PerfAtK& perf) {
  if (perf.campaigns++ == 0) {
    for (const store::AtK& row : at_k) perf.at_k.emplace_back(row.k, 0.0);
  }
  perf.at_k.resize(std::min(perf.at_k.size(), at_k.size()));
  for (std::size_t i = 0; i < perf.at_k.size(); ++i) {
    perf.at_k[i].second += at_k[i].speedup / baseline_speedup;
  }
}

std::vector<PerfAtK> PerfOver(const std::vector<Scored>& campaigns) {
  std::map<std::string, PerfAtK> by_name;
  for (const Scored& campaign : campaigns) {
    for (const store::BaselineSpeed& baseline : campaign.baselines) {
      const std::string name = NameOf(baseline);
      PerfAtK& perf = by_name[name];
      perf.over = name;
      AddPerf(campaign.score.at_k, baseline.speedup, perf);
    }
  }
  std::vector<PerfAtK> all;
  for (auto& [name, perf] : by_name) {
    for (auto& [k, sum] : perf.at_k) sum /= static_cast<double>(perf.campaigns);
    all.push_back(std::move(perf));
  }
  return all;
}

void PrintPerf(const std::vector<PerfAtK>& perf, Streams& streams) {
  std::vector<Column> columns = {{"perf@k over"}, {"tasks", Align::kRight}};
  const PerfAtK& longest = *std::ranges::max_element(
      perf, {}, [](const PerfAtK& one) { return one.at_k.size(); });
  for (const auto& [k, mean] : longest.at_k) {
    columns.push_back({"k=" + std::to_string(k), Align::kRight});
  }
  Table table(std::move(columns));
  for (const PerfAtK& row : perf) {
    std::vector<std::string> cells = {row.over, std::to_string(row.campaigns)};
    for (const auto& [k, mean] : row.at_k) cells.push_back(TimesText(mean));
    cells.resize(longest.at_k.size() + 2);
    table.AddRow(std::move(cells));
  }
  table.Print(streams);
}

void PrintFast(const std::vector<FastP>& fast, Streams& streams) {
  std::vector<Column> columns = {
      {"over"}, {"tasks", Align::kRight}, {"speed", Align::kRight}};
  for (const double p : kFastThresholds) {
    columns.push_back({"fast_" + ShortText(p), Align::kRight});
  }
  Table table(std::move(columns));
  for (const FastP& row : fast) {
    std::vector<std::string> cells = {row.over, std::to_string(row.campaigns),
                                      TimesText(row.geometric_mean)};
    for (const double share : row.shares) cells.push_back(ShareText(share));
    table.AddRow(std::move(cells));
  }
  table.Print(streams);
}

void PrintAtK(const std::vector<store::AtK>& at_k, Streams& streams) {
  Table table({{"k", Align::kRight},
               {"pass@k", Align::kRight},
               {"speedup@k", Align::kRight},
               {"efficiency@k", Align::kRight},
               {"perf@k", Align::kRight}});
  for (const store::AtK& row : at_k) {
    table.AddRow({std::to_string(row.k), ShareText(row.pass),
                  TimesText(row.speedup),
                  row.efficiency ? ShareText(*row.efficiency) : "",
                  row.perf ? TimesText(*row.perf) : ""});
  }
  table.Print(streams);
}

}  // namespace

Metrics MetricsOf(const std::vector<Scored>& campaigns) {
  Metrics metrics;
  if (campaigns.empty()) return metrics;
  store::Score all;
  std::vector<double> over_root;
  std::map<std::string, std::vector<double>> over;
  for (const Scored& campaign : campaigns) {
    all.trials += campaign.score.trials;
    all.compiled += campaign.score.compiled;
    all.correct += campaign.score.correct;
    metrics.efficiency_is_bound |= campaign.efficiency_is_bound;
    const double speedup = campaign.score.best_speedup.value_or(0.0);
    over_root.push_back(speedup);
    for (const store::BaselineSpeed& baseline : campaign.baselines) {
      over[NameOf(baseline)].push_back(speedup / baseline.speedup);
    }
  }
  if (all.trials > 0) {
    const auto trials = static_cast<double>(all.trials);
    metrics.compile_rate = static_cast<double>(all.compiled) / trials;
    metrics.correct_rate = static_cast<double>(all.correct) / trials;
  }
  const auto solved = std::ranges::count_if(
      campaigns, [](const Scored& one) { return one.score.correct > 0; });
  metrics.success =
      static_cast<double>(solved) / static_cast<double>(campaigns.size());
  metrics.fast.push_back(FastOver("root", over_root));
  for (const auto& [name, speeds] : over) {
    metrics.fast.push_back(FastOver(name, speeds));
  }
  metrics.at_k = MeansAtK(campaigns);
  metrics.perf = PerfOver(campaigns);
  return metrics;
}

void PrintMetrics(const Metrics& metrics, Streams& streams) {
  streams.out << "\ncompile rate " << ShareText(metrics.compile_rate)
              << ", correct rate " << ShareText(metrics.correct_rate)
              << " of all candidates; success on " << ShareText(metrics.success)
              << " of the tasks\n\n";
  PrintFast(metrics.fast, streams);
  if (metrics.at_k.empty()) return;
  streams.out << "\n";
  PrintAtK(metrics.at_k, streams);
  const bool efficient = std::ranges::any_of(
      metrics.at_k, [](const store::AtK& row) { return bool(row.efficiency); });
  if (metrics.efficiency_is_bound && efficient) {
    streams.out << "efficiency@k is a lower bound: of tasks in PyTorch only "
                   "writing the outputs counts\n";
  }
  if (metrics.perf.empty()) return;
  streams.out << "\n";
  PrintPerf(metrics.perf, streams);
}

nlohmann::ordered_json MetricsJson(const Metrics& metrics) {
  nlohmann::ordered_json fast = nlohmann::ordered_json::array();
  for (const FastP& row : metrics.fast) {
    nlohmann::ordered_json shares;
    for (std::size_t i = 0; i < kFastThresholds.size(); ++i) {
      shares[ShortText(kFastThresholds[i])] = row.shares[i];
    }
    fast.push_back({{"over", row.over},
                    {"tasks", row.campaigns},
                    {"geometric_mean_speed", row.geometric_mean},
                    {"fast_p", shares}});
  }
  nlohmann::ordered_json at_k = nlohmann::ordered_json::array();
  for (const store::AtK& row : metrics.at_k) {
    at_k.push_back({{"k", row.k},
                    {"pass_at_k", row.pass},
                    {"speedup_at_k", row.speedup},
                    {"efficiency_at_k", OrNull(row.efficiency)},
                    {"perf_at_k", OrNull(row.perf)}});
  }
  nlohmann::ordered_json perf = nlohmann::ordered_json::array();
  for (const PerfAtK& row : metrics.perf) {
    nlohmann::ordered_json means;
    for (const auto& [k, mean] : row.at_k) means[std::to_string(k)] = mean;
    perf.push_back(
        {{"over", row.over}, {"tasks", row.campaigns}, {"perf_at_k", means}});
  }
  return {{"compile_rate", metrics.compile_rate},
          {"correct_rate", metrics.correct_rate},
          {"success", metrics.success},
          {"fast", fast},
          {"at_k", at_k},
          {"efficiency_is_lower_bound", metrics.efficiency_is_bound},
          {"perf_at_k_over", perf}};
}

}  // namespace coppice::cli
