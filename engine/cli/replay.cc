// coppice replay: makes the decisions of a campaign again.
#include "engine/replay.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <vector>

#include "engine/cli/looking.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

std::string Choice(NodeId node, const std::string& reason) {
  return "node " + std::to_string(Index(node)) + " (" + reason + ")";
}

struct Agreement {
  std::string campaign;
  std::int64_t decisions = 0;
  std::string difference;  // The first; empty: all agree.
};

Result<Agreement> Check(const store::CampaignRow& row,
                        const store::Annals& annals) {
  Agreement agreement{row.spec.name, 0, ""};
  const auto visit = [&](const engine::Remade& remade) {
    if (!remade.Agrees()) {
      const store::DecisionRecord& recorded = remade.recorded;
      agreement.difference =
          "decision " + std::to_string(recorded.decision) + " took " +
          Choice(recorded.parent, recorded.reason) + ", made again it takes " +
          Choice(remade.again.node, remade.again.reason);
      return false;
    }
    ++agreement.decisions;
    return true;
  };
  TRY_DONE(engine::Replay(annals, row.spec.seed, search::MakePolicy, visit));
  return agreement;
}

Result<void> List(const store::CampaignRow& row, const store::Annals& annals,
                  Streams& streams) {
  Table table({{"decision", Align::kRight},
               {"seen", Align::kRight},
               {"in flight", Align::kRight},
               {"node", Align::kRight},
               {"agrees"},
               {"reason"}});
  const auto visit = [&](const engine::Remade& remade) {
    const store::DecisionRecord& recorded = remade.recorded;
    table.AddRow({std::to_string(recorded.decision),
                  std::to_string(recorded.nodes_seen),
                  std::to_string(remade.in_flight),
                  std::to_string(Index(recorded.parent)),
                  remade.Agrees() ? "yes" : "no", recorded.reason});
    return true;
  };
  TRY_DONE(engine::Replay(annals, row.spec.seed, search::MakePolicy, visit));
  table.Print(streams);
  return {};
}

void PrintText(const std::vector<Agreement>& agreements, Streams& streams) {
  for (const Agreement& agreement : agreements) {
    streams.out << agreement.campaign << ": ";
    if (agreement.difference.empty()) {
      streams.out << "all " << agreement.decisions << " decisions agree\n";
    } else {
      streams.out << agreement.difference << "\n";
    }
  }
}

void PrintJson(const std::vector<Agreement>& agreements, Streams& streams) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Agreement& agreement : agreements) {
    nlohmann::ordered_json one = {{"campaign", agreement.campaign},
                                  {"agreeing", agreement.decisions},
                                  {"difference", nullptr}};
    if (!agreement.difference.empty()) {
      one["difference"] = agreement.difference;
    }
    all.push_back(std::move(one));
  }
  using Handler = nlohmann::ordered_json::error_handler_t;
  streams.out << all.dump(2, ' ', false, Handler::replace) << "\n";
}

bool IsSummary(const Invocation& invocation) {
  return invocation.Has("check") || invocation.Has("json");
}

Result<std::vector<store::CampaignRow>> Wanted(const Invocation& invocation,
                                               store::Database& database) {
  if (!invocation.Has("campaign") && IsSummary(invocation)) {
    return store::Campaigns(database).List();
  }
  TRY(row, ChooseCampaign(invocation, database));
  return std::vector{std::move(row)};
}

Result<Exit> RunReplay(const Invocation& given, Streams& streams) {
  Invocation invocation = given;
  if (!given.arguments.empty()) {
    invocation.config.settings.db = given.arguments.front();
  }
  TRY(database, OpenToLook(invocation));
  TRY(rows, Wanted(invocation, database));
  std::vector<Agreement> agreements;
  for (const store::CampaignRow& row : rows) {
    TRY(annals, store::ReadAnnals(database, row.id));
    if (!IsSummary(invocation)) {
      TRY_DONE(List(row, annals, streams));
      continue;
    }
    TRY(agreement, Check(row, annals));
    agreements.push_back(std::move(agreement));
  }
  if (invocation.Has("json")) {
    PrintJson(agreements, streams);
  } else {
    PrintText(agreements, streams);
  }
  for (const Agreement& agreement : agreements) {
    if (!agreement.difference.empty()) return Exit::kFailure;
  }
  return Exit::kDone;
}

}  // namespace

Verb ReplayVerb() {
  return {
      .name = "replay",
      .summary = "make every decision again, from what its policy saw",
      .arguments = "[FILE]",
      .examples =
          "  coppice replay mine.db --check\n"
          "  coppice replay --campaign gemv.stark.s1\n",
      .options = {{"check", Takes::kNothing, "",
                   "only say whether all agree, and fail if not"},
                  kCampaignOption,
                  kJsonOption},
      .settings = {"db"},
      .run = RunReplay,
  };
}

}  // namespace coppice::cli
