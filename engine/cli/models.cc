// coppice report models: what came of each of several models of a role.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/verbs.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "store/write/campaigns.h"
#include "store/write/model_picks.h"

namespace coppice::cli {
namespace {

RowSheet SheetOf(const std::vector<store::ModelScore>& scores) {
  RowSheet sheet{"models",
                 {"campaign", "role", "model", "chosen", "asked", "passed",
                  "improved", RowColumn("mean gain", "mean_gain", TimesText),
                  RowColumn("best gain", "best_gain", TimesText),
                  RowColumn("cost", "cost_usd", DollarText)},
                 {},
                 "",
                 "-"};
  for (const store::ModelScore& score : scores) {
    sheet.rows.push_back({score.campaign, score.role, score.model, score.chosen,
                          score.asked, score.passed, score.improved,
                          OrNull(score.mean_gain), OrNull(score.best_gain),
                          OrNull(score.cost_usd)});
  }
  return sheet;
}

Result<Exit> RunModels(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChosenName(invocation, streams, database));
  TRY(scores, store::ReadModelScores(database, campaign));
  if (scores.empty() && !invocation.Has("json")) {
    streams.out << "no role has several models; --code-model A,B gives it "
                   "two\n";
    return Exit::kDone;
  }
  PrintRows(invocation, SheetOf(scores), streams);
  return Exit::kDone;
}

}  // namespace

Verb ModelsAction() {
  return {
      .name = "report models",
      .summary = "what came of each of several models of a role",
      .examples =
          "  coppice report models\n"
          "  coppice report models --campaign gemv.xei_hint.s1 --json\n",
      .options = {kCampaignOption, kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunModels,
  };
}

}  // namespace coppice::cli
