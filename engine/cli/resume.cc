// coppice resume: continues what a crash or Ctrl-C left.
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/budget.h"
#include "engine/campaign/outage_listener.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/start_campaign.h"
#include "engine/cli/verbs.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"

namespace coppice::cli {
namespace {

// Those of which somebody wants more, which nobody has heard yet: another
// limit, or a node judged again.
Result<std::set<CampaignId>> ExtendedByPeople(
    store::Database& database, const std::vector<store::CampaignRow>& rows) {
  std::set<CampaignId> extended;
  for (const store::CampaignRow& row : rows) {
    for (const auto kind : {DirectiveKind::kBudget, DirectiveKind::kJudge}) {
      TRY(wanted, store::CountPending(database, row.id, kind));
      if (wanted > 0) extended.insert(row.id);
    }
  }
  return extended;
}

// The one that is named; else those that are not finished; else, with another
// budget, the last.  None: there is nothing to do.
Result<std::vector<store::CampaignRow>> ToResume(const Invocation& invocation,
                                                 Streams& streams,
                                                 store::Database& database) {
  const std::string file = invocation.settings().db.string();
  store::Campaigns campaigns(database);
  TRY(rows, campaigns.List());
  if (rows.empty()) return tl::unexpected<Error>(NoCampaign(file));
  if (!invocation.arguments.empty()) {
    TRY(named,
        CampaignNamed(file, invocation.arguments.front(), std::move(rows)));
    return std::vector{std::move(named)};
  }
  const std::size_t all = rows.size();
  TRY(extended, ExtendedByPeople(database, rows));
  std::erase_if(rows, [&](const store::CampaignRow& row) {
    return row.state == store::CampaignState::kFinished &&
           !extended.contains(row.id);
  });
  if (!rows.empty() || !engine::SaysBudget(invocation.config)) return rows;
  TRY(last, campaigns.Last());
  if (all > 1) {
    streams.err << "campaign " << Printable(last.spec.name) << ", the last of "
                << all << "; coppice resume CAMPAIGN chooses\n";
  }
  return std::vector{std::move(last)};
}

Result<Exit> RunResume(const Invocation& invocation, Streams& streams) {
  TRY(factory, OpenFactory(invocation));
  const auto listener = Listen(*factory, streams);
  TRY(database, OpenToWrite(invocation, listener, store::Access::kReadWrite));
  TRY(rows, ToResume(invocation, streams, database));
  if (rows.empty()) {
    streams.err << invocation.settings().db.string()
                << ": nothing to resume, all its campaigns are finished; "
                   "--budget N extends one\n";
    return Exit::kDone;
  }
  std::vector<CampaignJob> jobs;
  for (const store::CampaignRow& row : rows) {
    TRY(task, factory->TaskOf(row.spec));
    jobs.push_back({.task = std::move(task),
                    .task_name = row.spec.task_name,
                    .campaign = row.spec.name,
                    .budget = engine::GivenBudget::kIsTheOne});
  }
  return RunCampaignJobs(invocation, streams, *factory, database, jobs);
}

}  // namespace

Verb ResumeVerb() {
  return {
      .name = "resume",
      .summary = "continue what a crash or Ctrl-C left, or extend a campaign",
      .arguments = "[CAMPAIGN]",
      .examples =
          "  coppice resume\n"
          "  coppice resume --db mine.db\n"
          "  coppice resume --budget 100   # in all; if none is unfinished, "
          "the "
          "last\n"
          "  coppice resume gemm_square --budget 100 --budget-s none\n",
      .options = CampaignOptions(),
      .settings = config::NamesWithout(config::kConstant),
      .first = {"budget", "db", "code-model", "parallel", "cap-usd"},
      .run = RunResume,
  };
}

}  // namespace coppice::cli
