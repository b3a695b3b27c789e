// coppice best: what wins, how sure that is, and how it got there.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/document.h"
#include "engine/cli/looking.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"
#include "engine/display.h"
#include "engine/speedup.h"
#include "store/history.h"

namespace coppice::cli {
namespace {

struct Winner {
  store::CampaignRow campaign;
  std::vector<store::Ancestor> lineage;  // Ends with the winner.
  Evaluation evaluation;                 // The last that passed.
  bool confirmed = false;                // It is of the full tier.
  // The leader after it, and how much slower: whether it is, may be open.
  std::optional<NodeId> rival;
  engine::Comparison over_rival;

  NodeId node() const { return lineage.back().line.node; }
  double speedup() const {
    return *evaluation.root_runtime_s / *evaluation.runtime_s;
  }
};

Result<Winner> FindWinner(store::Database& database,
                          store::CampaignRow campaign) {
  TRY(leaders, store::ReadLeaders(database, campaign.id));
  if (leaders.empty()) return tl::unexpected<Error>(NothingPassed(campaign));
  TRY(lineage, store::ReadLineage(database, campaign.id, leaders.front()));
  TRY(evaluation, Measurement(database, campaign, leaders.front()));
  Winner winner;
  winner.lineage = std::move(lineage);
  winner.evaluation = std::move(evaluation);
  winner.confirmed = winner.evaluation.tier == Tier::kFull;
  if (leaders.size() > 1) {
    winner.rival = leaders[1];
    TRY(other, Measurement(database, campaign, leaders[1]));
    winner.over_rival = engine::Compare(winner.evaluation, other);
  }
  winner.campaign = std::move(campaign);
  return winner;
}

std::string Certainty(const Winner& winner) {
  std::string text;
  if (const auto interval = engine::SpeedupInterval(winner.evaluation)) {
    text = "95 % interval " + TimesText(interval->low) + " to " +
           TimesText(interval->high);
  }
  if (winner.confirmed) text += text.empty() ? "confirmed" : ", confirmed";
  return text.empty() ? "" : " (" + text + ")";
}

void PrintLineage(const std::vector<store::Ancestor>& lineage,
                  Streams& streams) {
  Table table({{"node", Align::kRight},
               {"verdict"},
               {"runtime", Align::kRight},
               {"speedup", Align::kRight},
               {"technique"},
               {"plan"}});
  for (const auto& [line, advice] : lineage) {
    table.AddRow({std::to_string(Index(line.node)),
                  std::string(Name(line.verdict)),
                  line.runtime_s ? engine::DurationText(*line.runtime_s) : "-",
                  line.speedup ? TimesText(*line.speedup) : "-",
                  line.technique.empty() ? "-" : line.technique,
                  line.parent ? advice : "the source that it started from"});
  }
  table.Print(streams);
}

void PrintWinner(const Winner& winner, Streams& streams) {
  const Evaluation& evaluation = winner.evaluation;
  const store::CampaignSpec& spec = winner.campaign.spec;
  streams.out << OneLine(spec.name) << ": node " << Index(winner.node())
              << " of " << OneLine(spec.task_name) << " runs in "
              << engine::DurationText(*evaluation.runtime_s) << ", the root in "
              << engine::DurationText(*evaluation.root_runtime_s) << "\n"
              << "speedup " << TimesText(winner.speedup()) << Certainty(winner)
              << "\n";
  if (winner.rival) {
    streams.out << "against the next, node " << Index(*winner.rival) << ": "
                << engine::Describe(winner.over_rival) << "\n";
  }
  streams.out << "\n";
  PrintLineage(winner.lineage, streams);
}

void PrintWinners(const std::vector<Winner>& winners, Streams& streams) {
  Table table({{"campaign"},
               {"task"},
               {"root", Align::kRight},
               {"best", Align::kRight},
               {"speedup", Align::kRight},
               {"node", Align::kRight},
               {"lineage"}});
  for (const Winner& winner : winners) {
    std::string path;
    for (const auto& [line, advice] : winner.lineage) {
      if (!line.parent) continue;
      path += (path.empty() ? "" : " > ") +
              (line.technique.empty() ? "?" : line.technique);
    }
    table.AddRow({winner.campaign.spec.name, winner.campaign.spec.task_name,
                  engine::DurationText(*winner.evaluation.root_runtime_s),
                  engine::DurationText(*winner.evaluation.runtime_s),
                  TimesText(winner.speedup()),
                  std::to_string(Index(winner.node())), path});
  }
  table.Print(streams);
}

nlohmann::ordered_json ToJson(const Winner& winner) {
  nlohmann::ordered_json lineage = nlohmann::ordered_json::array();
  for (const auto& [line, advice] : winner.lineage) {
    nlohmann::ordered_json step = {
        {"node", Index(line.node)},    {"verdict", Name(line.verdict)},
        {"runtime_s", nullptr},        {"speedup", nullptr},
        {"technique", line.technique}, {"advice", advice}};
    if (line.runtime_s) step["runtime_s"] = *line.runtime_s;
    if (line.speedup) step["speedup"] = *line.speedup;
    lineage.push_back(std::move(step));
  }
  nlohmann::ordered_json json = {
      {"campaign", winner.campaign.spec.name},
      {"task", winner.campaign.spec.task_name},
      {"node", Index(winner.node())},
      {"runtime_s", *winner.evaluation.runtime_s},
      {"root_runtime_s", *winner.evaluation.root_runtime_s},
      {"speedup", winner.speedup()},
      {"speedup_low", nullptr},
      {"speedup_high", nullptr},
      {"confirmed", winner.confirmed},
      {"next", nullptr},
      {"lineage", lineage}};
  if (const auto interval = engine::SpeedupInterval(winner.evaluation)) {
    json["speedup_low"] = interval->low;
    json["speedup_high"] = interval->high;
  }
  if (winner.rival) {
    json["next"] = ComparisonJson(winner.over_rival);
    json["next"]["node"] = Index(*winner.rival);
  }
  return json;
}

// The chosen campaign's, or those of all campaigns that have one.
Result<std::vector<Winner>> FindWinners(const Invocation& invocation,
                                        Streams& streams,
                                        store::Database& database) {
  TRY(rows, store::Campaigns(database).List());
  std::vector<Winner> winners;
  if (invocation.Has("campaign") || rows.size() <= 1) {
    TRY(campaign, ChooseCampaign(invocation, streams, database));
    TRY(winner, FindWinner(database, std::move(campaign)));
    winners.push_back(std::move(winner));
    return winners;
  }
  for (store::CampaignRow& row : rows) {
    auto winner = FindWinner(database, std::move(row));
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
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Winner& winner : winners) all.push_back(ToJson(winner));
    PrintDocument(all, streams.out);
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
      .arguments = "",
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
