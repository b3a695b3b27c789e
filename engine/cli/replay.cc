// coppice replay: makes the decisions of a campaign again.
#include "engine/campaign/replay.h"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/policy_terms.h"
#include "engine/cli/lists.h"
#include "engine/cli/verbs.h"
#include "engine/compare/counterfactual.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/python_policy/policy_file.h"
#include "search/policy.h"
#include "store/database.h"
#include "store/records/model_call.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

std::string Parents(NodeId node, std::optional<NodeId> mate) {
  std::string text = std::to_string(Index(node));
  if (mate) text += " x " + std::to_string(Index(*mate));
  return text;
}

std::string Choice(NodeId node, std::optional<NodeId> mate,
                   const std::string& reason,
                   const std::vector<ModelPick>& picks) {
  std::string text = "node " + Parents(node, mate) + " (" + reason + ")";
  for (const ModelPick& pick : picks) {
    text += " with " + pick.model + " to " + std::string(Name(pick.role)) +
            " (" + pick.reason + ")";
  }
  return text;
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
      agreement.difference = "decision " + std::to_string(recorded.decision) +
                             " took " +
                             Choice(recorded.parent, recorded.mate,
                                    recorded.reason, recorded.picks) +
                             ", made again it takes " +
                             Choice(remade.again.node, remade.again.mate,
                                    remade.again.reason, remade.picks_again);
      return false;
    }
    ++agreement.decisions;
    return true;
  };
  TRY_DONE(
      engine::Replay(annals, row.spec.seed, search::MakeStoredPolicy, visit));
  return agreement;
}

Result<void> List(const store::CampaignRow& row, const store::Annals& annals,
                  Streams& streams) {
  Table table({Right("decision"), Right("seen"), Right("in flight"),
               Right("node"), "agrees", "reason"});
  const auto visit = [&](const engine::Remade& remade) {
    const store::DecisionRecord& recorded = remade.recorded;
    table.AddRow({std::to_string(recorded.decision),
                  std::to_string(recorded.nodes_seen),
                  std::to_string(remade.in_flight),
                  Parents(recorded.parent, recorded.mate),
                  remade.Agrees() ? "yes" : "no", recorded.reason});
    return true;
  };
  TRY_DONE(
      engine::Replay(annals, row.spec.seed, search::MakeStoredPolicy, visit));
  table.Print(streams);
  return {};
}

void PrintText(const std::vector<Agreement>& agreements, Streams& streams) {
  for (const Agreement& agreement : agreements) {
    streams.out << OneLine(agreement.campaign) << ": ";
    if (agreement.difference.empty()) {
      streams.out << "all " << agreement.decisions << " decisions agree\n";
    } else {
      streams.out << OneLine(agreement.difference) << "\n";
    }
  }
}

nlohmann::ordered_json AgreementJson(const Agreement& agreement) {
  return {{"campaign", agreement.campaign},
          {"agreeing", agreement.decisions},
          {"difference", TextOrNull(agreement.difference)}};
}

bool IsSummary(const Invocation& invocation) {
  return invocation.Has("check") || invocation.Has("json");
}

Result<std::vector<store::CampaignRow>> Wanted(const Invocation& invocation,
                                               Streams& streams,
                                               store::Database& database) {
  if (IsSummary(invocation)) {
    return ChosenCampaigns(invocation, streams, database);
  }
  TRY(row, ChooseCampaign(invocation, streams, database));
  return std::vector{std::move(row)};
}

std::string ShareText(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return std::to_string((200 * part + whole) / (2 * whole)) + " %";
}

engine::ChoiceCounts Sum(const std::array<engine::ChoiceCounts, 3>& kinds) {
  engine::ChoiceCounts sum;
  for (const engine::ChoiceCounts& each : kinds) {
    sum.decisions += each.decisions;
    sum.same_node += each.same_node;
    for (std::size_t i = 0; i < sum.instead.size(); ++i) {
      sum.instead[i] += each.instead[i];
    }
  }
  return sum;
}

using Json = nlohmann::ordered_json;

void AddRow(const std::string& decided_by, std::string_view kind,
            const engine::ChoiceCounts& choices, RowSheet& sheet) {
  Json instead;
  for (std::size_t i = 0; i < choices.instead.size(); ++i) {
    instead[std::string(engine::kNodeKindNames.at(i))] = choices.instead.at(i);
  }
  std::vector<Json> row = {decided_by, kind, choices.decisions,
                           choices.same_node,
                           ShareText(choices.same_node, choices.decisions)};
  row.insert(row.end(), choices.instead.begin(), choices.instead.end());
  row.push_back(std::move(instead));
  sheet.rows.push_back(std::move(row));
}

enum class Reader { kPeople, kProgram };

// A row for each kind of node.  People get one for all kinds, too, and are told
// once who decided.
RowSheet SheetOf(const engine::Counterfactual& counterfactual, Reader reader) {
  RowSheet sheet{
      "decisions",
      {RowColumn("decided by", "decided_by"), RowColumn("for a node", "kind"),
       "decisions", RowColumn("same node", "same_node"),
       ForPeople(Right("agrees")), ForPeople("takes root"),
       ForPeople("passing"), ForPeople("failing"), ForPrograms("instead")}};
  const bool is_for_people = reader == Reader::kPeople;
  for (const auto& [decided_by, kinds] : counterfactual) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      AddRow(is_for_people && kind > 0 ? "" : decided_by,
             engine::kNodeKindNames.at(kind), kinds.at(kind), sheet);
    }
    if (is_for_people) AddRow("", "any", Sum(kinds), sheet);
  }
  return sheet;
}

Result<Exit> ReplayAs(const std::string& policy, const Invocation& invocation,
                      Streams& streams) {
  engine::LendPolicy(policy, invocation.settings());
  const auto make = [&] { return search::MakePolicy(policy); };
  TRY_DONE(make().map([](const auto&) {}));
  TRY(database, OpenToLook(invocation));
  TRY(rows, ChosenCampaigns(invocation, streams, database));
  engine::Counterfactual counterfactual;
  for (const store::CampaignRow& row : rows) {
    TRY(annals, store::ReadAnnals(database, row.id));
    TRY_DONE(engine::Reconsider(annals, row.spec.seed, make, counterfactual));
  }
  if (invocation.Has("json")) {
    PrintDocument(
        {{"policy", policy},
         {"decisions", RowsJson(SheetOf(counterfactual, Reader::kProgram))}},
        streams.out);
  } else {
    streams.out << "what " << policy
                << " would have chosen, from what was seen then\n\n";
    PrintTable(SheetOf(counterfactual, Reader::kPeople), streams);
  }
  return Exit::kDone;
}

Result<Exit> RunReplay(const Invocation& invocation, Streams& streams) {
  if (const auto policy = invocation.Text("policy")) {
    if (!invocation.Has("check")) {
      return ReplayAs(*policy, invocation, streams);
    }
    for (const std::string& word : SplitList(*policy)) {
      if (!engine::IsPythonPolicy(word)) {
        return Fail(Errc::kUsage,
                    "--check or --policy, not both: only those who decided can "
                    "decide the same");
      }
      engine::LendPolicy(word, invocation.settings());
    }
  }
  TRY(database, OpenToLook(invocation));
  TRY(rows, Wanted(invocation, streams, database));
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
    PrintDocument(ArrayOf(agreements, AgreementJson), streams.out);
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
          "  coppice replay --campaign gemv.stark.s1\n"
          "  coppice replay mine.db --policy greedy   # what it would choose\n",
      .options = {{"check", Takes::kNothing, "",
                   "only say whether all agree, and fail if not"},
                  {"policy", Takes::kText, "POLICY",
                   "say what this one would have chosen instead; with --check, "
                   "where those in Python are that decided"},
                  kCampaignOption,
                  kJsonOption},
      .settings =
          config::NamesIn({config::Group::kDatabase, config::Group::kPolicy,
                           config::Group::kData}),
      .run = RunReplay,
  };
}

}  // namespace coppice::cli
