// coppice best: what wins, how sure that is, and how it got there.
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "config/keys.h"
#include "engine/campaign/rival.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/records/evaluation.h"
#include "store/records/joined.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Won {
  store::CampaignRow campaign;
  store::Leader leader;
  std::vector<store::Ancestor> lineage;  // Ends with the winner.
  std::optional<engine::Rival> rival;
  std::int64_t made_again = 0;  // Rounds of the winner's.

  const Speedup& speedup() const { return *leader.line.speedup; }
};

Result<Won> FindWon(store::Database& database, store::CampaignRow campaign) {
  TRY(leaders, store::ReadLeaders(database, campaign.id, 2));
  if (leaders.empty()) return tl::unexpected<Error>(NothingPassed(campaign));
  Won won;
  TRY_ASSIGN(won.lineage, store::ReadLineage(database, campaign.id,
                                             leaders.front().line.node));
  won.leader = leaders.front();
  won.rival = engine::RivalOf(leaders);
  TRY(evaluations,
      store::ReadEvaluations(database, campaign.id, won.leader.line.node));
  won.made_again = MadeAgain(evaluations);
  won.campaign = std::move(campaign);
  return won;
}

// How sure it is that the winner beats the root.
std::string Certainty(const Won& won) {
  if (won.leader.line.node == kRootNode) return ": nothing beats the root";
  std::string text = won.leader.is_confirmed ? ", confirmed" : "";
  if (won.speedup().Sign() <= 0) {
    text += "; cannot tell that it is faster than the root";
  }
  return text;
}

RowSheet LineageSheet(const Won& won) {
  RowSheet sheet{"lineage",
                 {"node", "verdict", ForPrograms("runtime_s"),
                  ForPeople(Right(kSpeedupTitle)), ForPeople("technique"),
                  ForPrograms("technique"), ForPeople("plan"),
                  ForPrograms("advice"), ForPrograms("")}};
  for (const auto& [line, advice] : won.lineage) {
    sheet.rows.push_back(
        {Index(line.node), Name(line.verdict), OrNull(line.runtime_s),
         line.speedup ? SpeedupText(*line.speedup) : "-",
         line.technique.empty() ? "-" : line.technique, line.technique,
         line.parent ? advice : "the source that it started from", advice,
         SpeedupJson(line.speedup)});
  }
  return sheet;
}

void PrintWinner(const Won& won, Streams& streams) {
  const store::NodeLine& line = won.leader.line;
  const store::CampaignSpec& spec = won.campaign.spec;
  streams.out << OneLine(spec.name) << ": node " << Index(line.node) << " of "
              << OneLine(spec.task_name)
              << (line.parent ? ", by its speedup " +
                                    TimeBySpeedup(*won.campaign.root_runtime_s,
                                                  won.speedup())
                              : ", the root")
              << "\n"
              << "speedup " << SpeedupText(won.speedup(), kInterval)
              << Certainty(won) << "\n";
  if (won.rival) {
    streams.out << "against the next, node " << Index(won.rival->node) << ": "
                << Describe(won.rival->winner_over) << "\n";
  }
  if (won.made_again > 0) {
    streams.out << BusyText(won.made_again, "its rounds") << "\n";
  }
  streams.out << "\n";
  PrintTable(LineageSheet(won), streams);
}

// "tile > unroll", of what the root became.
std::string PathText(const Won& won) {
  const std::span lineage(won.lineage);
  return Joined(lineage.subspan(std::min<std::size_t>(1, lineage.size())),
                " > ", [](const store::Ancestor& step) {
                  const std::string& technique = step.line.technique;
                  return technique.empty() ? "?" : technique;
                });
}

Json ToJson(const Won& won) {
  Json json = {{"node", Index(won.leader.line.node)},
               {"runtime_s", *won.leader.line.runtime_s},
               {"root_runtime_s", *won.campaign.root_runtime_s}};
  json.update(SpeedupJson(won.speedup()));
  json["faster"] = won.speedup().Sign() > 0;
  json["confirmed"] = won.leader.is_confirmed;
  json["next"] = NextJson(won.rival);
  json["discarded_samples"] = won.made_again;
  json["lineage"] = RowsJson(LineageSheet(won));
  return json;
}

RowSheet SheetOf(const std::vector<Won>& winners) {
  RowSheet sheet{"winners",
                 {"campaign", "task", ForPeople(Right("root")),
                  ForPeople(Right(kSpeedupTitle)), ForPeople(Right("node")),
                  ForPeople("lineage"), ForPrograms("")}};
  for (const Won& won : winners) {
    sheet.rows.push_back({won.campaign.spec.name, won.campaign.spec.task_name,
                          engine::DurationText(*won.campaign.root_runtime_s),
                          SpeedupText(won.speedup()),
                          WinnerText(won.leader.line.node, won.rival),
                          PathText(won), ToJson(won)});
  }
  return sheet;
}

void PrintWinners(const std::vector<Won>& winners, Streams& streams) {
  PrintTable(SheetOf(winners), streams);
  bool is_any_near = false;
  std::int64_t made_again = 0;
  for (const Won& won : winners) {
    is_any_near |= won.rival && !won.rival->IsToldApart();
    made_again += won.made_again;
  }
  if (is_any_near) streams.out << kWinnerNote;
  if (made_again > 0) {
    streams.out << BusyText(made_again, "the winners' rounds") << "\n";
  }
  streams.err
      << "--campaign NAME shows how sure one is, and how it got there\n";
}

// The chosen campaign's, or those of all campaigns that have one.
Result<std::vector<Won>> FindWinners(const Invocation& invocation,
                                     Streams& streams,
                                     store::Database& database) {
  TRY(rows, store::Campaigns(database).List());
  std::vector<Won> winners;
  if (invocation.Has("campaign") || rows.size() <= 1) {
    TRY(campaign, ChooseCampaign(invocation, streams, database));
    TRY_ASSIGN(winners.emplace_back(), FindWon(database, std::move(campaign)));
    return winners;
  }
  for (store::CampaignRow& row : rows) {
    auto winner = FindWon(database, std::move(row));
    if (winner) {
      winners.push_back(std::move(*winner));
    } else if (winner.error().code != Errc::kNotFound) {
      return tl::unexpected<Error>(std::move(winner).error());
    }
  }
  return winners;
}

Result<Exit> RunBest(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(winners, FindWinners(invocation, streams, database));
  if (invocation.Has("json")) {
    PrintDocument(RowsJson(SheetOf(winners)), streams.out);
  } else if (winners.empty()) {
    TRY(rows, store::Campaigns(database).List());
    return Fail(Errc::kNotFound, invocation.settings().db.string() +
                                     ": in none of its " +
                                     std::to_string(rows.size()) +
                                     " campaigns a node passed yet");
  } else if (winners.size() == 1) {
    PrintWinner(winners.front(), streams);
  } else {
    PrintWinners(winners, streams);
  }
  return Exit::kDone;
}

}  // namespace

Verb BestVerb() {
  return {
      .name = "best",
      .summary = "what wins, how sure that is, and how it got there",
      .examples =
          "  coppice best\n"
          "  coppice best --campaign gemv.stark.s1 --json\n"
          "  coppice show best --source > fast.cc\n",
      .options = {kCampaignOption, kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunBest,
  };
}

}  // namespace coppice::cli
