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
#include "engine/documents/table.h"
#include "engine/python_policy/policy_file.h"

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
  PrintDocument(all, streams.out);
}

bool IsSummary(const Invocation& invocation) {
  return invocation.Has("check") || invocation.Has("json");
}

// The one that is named, or all.
Result<std::vector<store::CampaignRow>> CampaignsOf(
    const Invocation& invocation, Streams& streams, store::Database& database) {
  if (!invocation.Has("campaign")) return store::Campaigns(database).List();
  TRY(row, ChooseCampaign(invocation, streams, database));
  return std::vector{std::move(row)};
}

Result<std::vector<store::CampaignRow>> Wanted(const Invocation& invocation,
                                               Streams& streams,
                                               store::Database& database) {
  if (IsSummary(invocation)) return CampaignsOf(invocation, streams, database);
  TRY(row, ChooseCampaign(invocation, streams, database));
  return std::vector{std::move(row)};
}

std::string ShareText(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return std::to_string((200 * part + whole) / (2 * whole)) + " %";
}

// The cells of one kind of node, or of all nodes.
std::vector<std::string> Cells(const engine::Choices& choices) {
  std::vector<std::string> cells = {
      std::to_string(choices.decisions), std::to_string(choices.same_node),
      ShareText(choices.same_node, choices.decisions)};
  for (const std::int64_t chosen : choices.instead) {
    cells.push_back(std::to_string(chosen));
  }
  return cells;
}

engine::Choices Sum(const std::array<engine::Choices, 3>& kinds) {
  engine::Choices sum;
  for (const engine::Choices& each : kinds) {
    sum.decisions += each.decisions;
    sum.same_node += each.same_node;
    for (std::size_t i = 0; i < sum.instead.size(); ++i) {
      sum.instead[i] += each.instead[i];
    }
  }
  return sum;
}

void PrintText(const engine::Counterfactual& counterfactual,
               const std::string& policy, Streams& streams) {
  streams.out << "what " << policy
              << " would have chosen, from what was seen then\n\n";
  Table table({"decided by", "for a node", Right("decisions"),
               Right("same node"), Right("agrees"), Right("takes root"),
               Right("passing"), Right("failing")});
  for (const auto& [decided_by, kinds] : counterfactual) {
    for (std::size_t kind = 0; kind <= kinds.size(); ++kind) {
      const bool is_sum = kind == kinds.size();
      std::vector<std::string> row =
          Cells(is_sum ? Sum(kinds) : kinds.at(kind));
      row.insert(
          row.begin(),
          {kind == 0 ? decided_by : "",
           is_sum ? "any" : std::string(engine::kNodeKindNames.at(kind))});
      table.AddRow(std::move(row));
    }
  }
  table.Print(streams);
}

void PrintJson(const engine::Counterfactual& counterfactual,
               const std::string& policy, Streams& streams) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [decided_by, kinds] : counterfactual) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const engine::Choices& choices = kinds.at(kind);
      nlohmann::ordered_json instead;
      for (std::size_t i = 0; i < choices.instead.size(); ++i) {
        instead[std::string(engine::kNodeKindNames.at(i))] =
            choices.instead.at(i);
      }
      rows.push_back({{"decided_by", decided_by},
                      {"kind", engine::kNodeKindNames.at(kind)},
                      {"decisions", choices.decisions},
                      {"same_node", choices.same_node},
                      {"instead", std::move(instead)}});
    }
  }
  const nlohmann::ordered_json document = {{"policy", policy},
                                           {"decisions", std::move(rows)}};
  PrintDocument(document, streams.out);
}

Result<Exit> ReplayAs(const std::string& policy, const Invocation& invocation,
                      Streams& streams) {
  engine::LendPolicy(policy, invocation.settings());
  const auto make = [&] { return search::MakePolicy(policy); };
  TRY_DONE(make().map([](const auto&) {}));
  TRY(database, OpenToLook(invocation));
  TRY(rows, CampaignsOf(invocation, streams, database));
  engine::Counterfactual counterfactual;
  for (const store::CampaignRow& row : rows) {
    TRY(annals, store::ReadAnnals(database, row.id));
    TRY_DONE(engine::Reconsider(annals, row.spec.seed, make, counterfactual));
  }
  if (invocation.Has("json")) {
    PrintJson(counterfactual, policy, streams);
  } else {
    PrintText(counterfactual, policy, streams);
  }
  return Exit::kDone;
}

Result<Exit> RunReplay(const Invocation& given, Streams& streams) {
  Invocation invocation = given;
  if (!given.arguments.empty()) {
    invocation.config.settings.db = given.arguments.front();
  }
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
          "  coppice replay --campaign gemv.stark.s1\n"
          "  coppice replay mine.db --policy greedy   what it would choose\n",
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
