// coppice report models: what came of each of several models of a role.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "store/write/model_picks.h"

namespace coppice::cli {
namespace {

std::string Gain(const std::optional<double>& gain) {
  return gain ? TimesText(*gain) : "-";
}

void PrintText(const std::vector<store::ModelScore>& scores, Streams& streams) {
  if (scores.empty()) {
    streams.out << "no role has several models; --code-model A,B gives it "
                   "two\n";
    return;
  }
  Table table({{"campaign"},
               {"role"},
               {"model"},
               {"chosen", Align::kRight},
               {"asked", Align::kRight},
               {"passed", Align::kRight},
               {"improved", Align::kRight},
               {"mean gain", Align::kRight},
               {"best gain", Align::kRight},
               {"cost", Align::kRight}});
  for (const store::ModelScore& score : scores) {
    table.AddRow({score.campaign, score.role, score.model,
                  std::to_string(score.chosen), std::to_string(score.asked),
                  std::to_string(score.passed), std::to_string(score.improved),
                  Gain(score.mean_gain), Gain(score.best_gain),
                  score.cost_usd ? DollarText(*score.cost_usd) : "-"});
  }
  table.Print(streams);
}

void PrintJson(const std::vector<store::ModelScore>& scores, Streams& streams) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const store::ModelScore& score : scores) {
    all.push_back({{"campaign", score.campaign},
                   {"role", score.role},
                   {"model", score.model},
                   {"chosen", score.chosen},
                   {"asked", score.asked},
                   {"passed", score.passed},
                   {"improved", score.improved},
                   {"mean_gain", OrNull(score.mean_gain)},
                   {"best_gain", OrNull(score.best_gain)},
                   {"cost_usd", OrNull(score.cost_usd)}});
  }
  PrintDocument(all, streams.out);
}

Result<Exit> RunModels(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  std::optional<std::string> campaign;  // None: all.
  if (invocation.Has("campaign")) {
    TRY(chosen, ChooseCampaign(invocation, streams, database));
    campaign = std::move(chosen.spec.name);
  }
  TRY(scores, store::ReadModelScores(database, campaign));
  if (invocation.Has("json")) {
    PrintJson(scores, streams);
  } else {
    PrintText(scores, streams);
  }
  return Exit::kDone;
}

}  // namespace

Verb ModelsAction() {
  return {
      .name = "report models",
      .summary = "what came of each of several models of a role",
      .arguments = "",
      .examples =
          "  coppice report models\n"
          "  coppice report models --campaign gemv.xei_hint.s1 --json\n",
      .options = {kCampaignOption, kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunModels,
  };
}

}  // namespace coppice::cli
