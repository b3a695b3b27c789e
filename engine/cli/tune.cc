// coppice tune TASK FILE: tries configurations of a kernel whose source leaves
// numbers to be tuned; or measures all of them.
#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/tuning.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/output.h"
#include "engine/cli/tuning_table.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/kernel_file.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/row_sheet.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/interrupts.h"
#include "eval/judge/evaluator.h"
#include "store/records/speedup_text.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kTrials = 20;
constexpr std::uint64_t kMostMeasured = 100'000;

// What is tried, and by whom it is judged.
struct Bench {
  const Task& task;
  const Candidate& candidate;
  std::span<const TuningParameter> parameters;
  eval::Evaluator& evaluator;

  Candidate At(const Configuration& configuration) const {
    Candidate configured = candidate;
    configured.source = Configured(candidate.source, parameters, configuration);
    return configured;
  }
};

Result<std::vector<TuningParameter>> ParametersOf(const std::string& file,
                                                  const Candidate& candidate) {
  auto parameters = TuningParametersOf(candidate.source);
  if (!parameters) {
    return Fail(Errc::kUsage, file + ": " + parameters.error().what);
  }
  if (!parameters->empty()) return parameters;
  return Fail(Errc::kUsage,
              file +
                  ": leaves no number to be tuned; a line that does is "
                  "constexpr int TILE = 64;  //@ tune 32 64 128");
}

// Compiles what is to be judged soon, beside the judging.
class Ahead {
 public:
  Ahead(const Bench& bench, std::vector<Configuration> order)
      : bench_(bench), order_(std::move(order)) {
    const unsigned cores = std::max(2u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < std::min(cores / 2, 8u); ++i) {
      threads_.emplace_back(
          [this](const std::stop_token& stop) { Work(stop); });
    }
  }

  const std::vector<Configuration>& order() const { return order_; }

 private:
  void Work(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const std::size_t next = next_++;
      if (next >= order_.size()) return;
      bench_.evaluator.Prepare(bench_.task, bench_.At(order_[next]));
    }
  }

  const Bench& bench_;
  const std::vector<Configuration> order_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::jthread> threads_;
};

// One that is inconclusive is tried again, twice at most.
Result<bool> MeasureOne(const Bench& bench, const Configuration& configuration,
                        TuningTable& table) {
  for (int attempt = 0; attempt < 3; ++attempt) {
    TRY(evaluation, bench.evaluator.Evaluate(
                        bench.task, bench.At(configuration), Tier::kFast));
    TRY(is_in, table.Add(configuration, evaluation));
    if (is_in) return true;
  }
  return false;
}

Result<Exit> MeasureAll(const Bench& bench, const std::string& path,
                        const std::atomic<bool>& drain, Streams& streams) {
  const std::uint64_t count = CountConfigurations(bench.parameters);
  if (count > kMostMeasured) {
    return Fail(Errc::kUsage, "--all: there are " + std::to_string(count) +
                                  " configurations; at most " +
                                  std::to_string(kMostMeasured) +
                                  " are measured");
  }
  TRY(table, TuningTable::Open(path, bench.parameters));
  std::vector<Configuration> order;
  for (std::uint64_t number = 0; number < count; ++number) {
    Configuration configuration = ConfigurationAt(bench.parameters, number);
    if (!table.Has(configuration)) order.push_back(std::move(configuration));
  }
  const Ahead ahead(bench, std::move(order));
  std::int64_t left_out = 0;
  std::size_t done = 0;
  for (const Configuration& configuration : ahead.order()) {
    if (drain) {
      streams.err << path << ": " << table.Size() << " of " << count
                  << " configurations; the same command goes on\n";
      return Exit::kInterrupted;
    }
    TRY(is_in, MeasureOne(bench, configuration, table));
    if (!is_in) ++left_out;
    if (++done % 50 == 0) {
      streams.err << done << " of " << ahead.order().size()
                  << " configurations measured\n";
    }
  }
  streams.err << path << ": " << table.Size() << " of " << count
              << " configurations";
  if (left_out > 0) {
    streams.err << "; " << left_out
                << " are left out, since the machine did not let them be told";
  }
  streams.err << "\n";
  return Exit::kDone;
}

Json ValuesJson(std::span<const TuningParameter> parameters,
                const Configuration& configuration) {
  Json values = Json::object();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values[parameters[i].name] = parameters[i].choices[configuration[i]];
  }
  return values;
}

RowSheet SheetOf(const Bench& bench, const engine::Tuned& tuned) {
  RowSheet sheet{
      "trials",
      {ForPeople(""), ForPeople("configuration"), ForPrograms("configuration"),
       "verdict", ForPeople("speedup"), ForPrograms("")}};
  for (std::size_t i = 0; i < tuned.trials.size(); ++i) {
    const auto& [configuration, evaluation] = tuned.trials[i];
    const auto& speedup = evaluation.speedup;
    sheet.rows.push_back(
        {i == tuned.best ? "best" : "",
         ConfigurationText(bench.parameters, configuration),
         ValuesJson(bench.parameters, configuration), Name(evaluation.verdict),
         speedup ? SpeedupText(*speedup) : "",
         speedup ? Json::object({{"speedup", ComparisonJson(*speedup)}})
                 : Json::object()});
  }
  return sheet;
}

void Print(const Bench& bench, const engine::Tuned& tuned, Streams& streams) {
  PrintTable(SheetOf(bench, tuned), streams);
  streams.out << tuned.trials.size() << " of "
              << CountConfigurations(bench.parameters)
              << " configurations tried; "
              << (tuned.best == 0 ? "none is told apart from the author's as "
                                    "faster\n"
                                  : "the best is faster than the author's\n");
}

Result<Exit> Climb(const Bench& bench, const Invocation& invocation,
                   Streams& streams) {
  const auto judge = [&](const Candidate& candidate) {
    return bench.evaluator.Evaluate(bench.task, candidate, Tier::kFast);
  };
  TRY(first, judge(bench.candidate));
  if (!first.speedup) {
    streams.err << "as its author has it, it is " << Name(first.verdict) << "\n"
                << LogText(first.log);
    return Exit::kNoImprovement;
  }
  TRY(tuned, engine::Tune(bench.candidate, bench.parameters, std::move(first),
                          invocation.Count("trials").value_or(kTrials), judge));
  if (const auto path = invocation.Text("output")) {
    const Configuration& best = tuned.trials[tuned.best].configuration;
    TRY_DONE(WriteFile(*path, bench.At(best).source));
  }
  if (invocation.Has("json")) {
    PrintDocument({{"configurations", CountConfigurations(bench.parameters)},
                   {"best", tuned.best},
                   {"trials", RowsJson(SheetOf(bench, tuned))}},
                  streams.out);
  } else {
    Print(bench, tuned, streams);
  }
  return tuned.best > 0 ? Exit::kDone : Exit::kNoImprovement;
}

Result<Exit> RunTune(const Invocation& invocation, Streams& streams) {
  const auto all = invocation.Text("all");
  if (all) {
    TRY_DONE(invocation.MustNotHave({"trials", "output", "json"},
                                    "does not go with --all"));
  }
  TRY(factory, OpenFactory(invocation));
  TRY(task, factory->FindTask(invocation.arguments.at(0)));
  const std::string& file = invocation.arguments.at(1);
  TRY(candidate, ReadKernel(file, task, streams.in));
  TRY(parameters, ParametersOf(file, candidate));
  if (!all) engine::LeaveInterrupts();
  const auto listener = Listen(*factory, streams);
  TRY(evaluator, factory->EvaluatorFor(task));
  const Bench bench{task, candidate, parameters, *evaluator};
  if (all) return MeasureAll(bench, *all, factory->drain(), streams);
  return Climb(bench, invocation, streams);
}

}  // namespace

Verb TuneVerb() {
  return {
      .name = "tune",
      .summary = "try other values of the numbers that a kernel leaves open",
      .arguments = "TASK FILE",
      .examples =
          "  coppice tune gemm_square kernel.cc --output tuned.cc\n"
          "  coppice tune cuda_transpose kernel.cu --trials 50 --json\n"
          "  coppice tune cuda_transpose kernel.cu --all space.csv\n",
      .options = {{"trials", Takes::kCount, "N",
                   "beside the author's configuration, at most (20)"},
                  {"output", Takes::kText, "FILE",
                   "the source of the best configuration"},
                  {"all", Takes::kText, "FILE",
                   "instead: measure every configuration, into a table that "
                   "recorded:FILE searches; an unfinished one is gone on with"},
                  {"json", Takes::kNothing, "", "as JSON"}},
      .settings =
          config::NamesIn({config::Group::kThreads, config::Group::kTimeouts,
                           config::Group::kPython, config::Group::kDevices,
                           config::Group::kRules, config::Group::kDelegation,
                           config::Group::kData, config::Group::kCache}),
      .first = {"trials", "output", "all", "json"},
      .run = RunTune,
  };
}

}  // namespace coppice::cli
