#include "engine/documents/open_history.h"

#include <algorithm>
#include <ostream>
#include <span>
#include <utility>

#include "engine/documents/continuing.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/table.h"
#include "engine/documents/verb.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/records/joined.h"
#include "store/records/nearest_name.h"
#include "store/records/parse_number.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

constexpr std::size_t kListed = 5;  // Of names that match.

Error UnknownCampaign(const std::string& file, const std::string& name,
                      const std::vector<store::CampaignRow>& rows) {
  std::vector<std::string> names;
  for (const store::CampaignRow& row : rows) names.push_back(row.spec.name);
  std::string what = file + ": no campaign '" + name + "'";
  if (const auto nearest = NearestName(name, names)) {
    what += "; did you mean '" + *nearest + "'?";
  } else {
    what += "; `coppice status` lists them";
  }
  return {Errc::kUsage, what};
}

}  // namespace

Error NoCampaign(const std::string& file) {
  return {Errc::kNotFound, file +
                               ": holds no campaign yet; begin one: coppice "
                               "run TASK --db " +
                               ShellWord(file)};
}

Result<store::CampaignRow> CampaignNamed(const std::string& file,
                                         const std::string& name,
                                         std::vector<store::CampaignRow> rows) {
  for (store::CampaignRow& row : rows) {
    if (row.spec.name == name) return std::move(row);
  }
  if (rows.empty()) return tl::unexpected<Error>(NoCampaign(file));
  std::vector<std::size_t> beginning;
  std::vector<std::size_t> containing;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t at = rows[i].spec.name.find(name);
    if (at == 0) beginning.push_back(i);
    if (at != std::string::npos) containing.push_back(i);
  }
  if (containing.empty()) {
    return tl::unexpected<Error>(UnknownCampaign(file, name, rows));
  }
  const auto& matching = beginning.size() == 1 ? beginning : containing;
  if (matching.size() == 1) return std::move(rows[matching.front()]);
  std::string what =
      file + ": '" + name + "' is a part of " +
      std::to_string(matching.size()) + " campaigns' names: " +
      Joined(std::span(matching).first(std::min(kListed, matching.size())),
             ", ", [&](std::size_t i) { return rows[i].spec.name; });
  if (matching.size() > kListed) what += ", ...";
  return Fail(Errc::kUsage, what);
}

Result<store::Database> OpenToLook(const Invocation& invocation) {
  return store::Database::Open(invocation.settings().db,
                               store::Access::kReadOnly);
}

Result<store::CampaignRow> ChooseCampaign(const Invocation& invocation,
                                          Streams& streams,
                                          store::Database& database) {
  const std::string file = invocation.settings().db.string();
  store::Campaigns campaigns(database);
  TRY(rows, campaigns.List());
  if (const auto wanted = invocation.Text("campaign")) {
    return CampaignNamed(file, *wanted, std::move(rows));
  }
  if (rows.empty()) return tl::unexpected<Error>(NoCampaign(file));
  if (rows.size() == 1) return std::move(rows.front());
  TRY(last, campaigns.Last());
  streams.err << "campaign " << Printable(last.spec.name) << ", the last of "
              << rows.size() << "; --campaign chooses\n";
  return last;
}

Result<std::vector<store::CampaignRow>> ChosenCampaigns(
    const Invocation& invocation, Streams& streams, store::Database& database) {
  if (!invocation.Has("campaign")) return store::Campaigns(database).List();
  TRY(row, ChooseCampaign(invocation, streams, database));
  return std::vector{std::move(row)};
}

Result<std::vector<store::CampaignRow>> CampaignsToExport(
    const Invocation& invocation, Streams& streams, store::Database& database) {
  TRY(rows, ChosenCampaigns(invocation, streams, database));
  if (!rows.empty()) return rows;
  return tl::unexpected<Error>(NoCampaign(invocation.settings().db.string()));
}

Result<std::optional<std::string>> ChosenName(const Invocation& invocation,
                                              Streams& streams,
                                              store::Database& database) {
  if (!invocation.Has("campaign")) return std::optional<std::string>();
  TRY(row, ChooseCampaign(invocation, streams, database));
  return std::optional(std::move(row.spec.name));
}

Result<store::Leader> Winner(store::Database& database,
                             const store::CampaignRow& campaign) {
  TRY(leaders, store::ReadLeaders(database, campaign.id, 1));
  if (leaders.empty()) return tl::unexpected<Error>(NothingPassed(campaign));
  return std::move(leaders.front());
}

Result<NodeId> ChooseNode(store::Database& database,
                          const store::CampaignRow& campaign,
                          const std::string& word) {
  if (word == "best") {
    TRY(winner, Winner(database, campaign));
    return winner.line.node;
  }
  const auto number = ParseNumber<std::int64_t>(word == "root" ? "0" : word);
  if (!number) {
    return Fail(Errc::kUsage, "'" + word +
                                  "' is no node: expected a number, root or "
                                  "best");
  }
  if (*number < 0 || *number >= campaign.nodes) {
    return Fail(Errc::kUsage, campaign.spec.name + ": no node " +
                                  std::to_string(*number) + "; it has " +
                                  std::to_string(campaign.nodes) +
                                  ", counted from 0");
  }
  return NodeId{*number};
}

Error NothingPassed(const store::CampaignRow& campaign) {
  return {Errc::kNotFound, campaign.spec.name + ": no node passed yet"};
}

Error NoSource(const store::CampaignRow& campaign, NodeId node) {
  return {Errc::kUsage, campaign.spec.name + ": " + NodeText(node) +
                            " has no source (no_candidate)"};
}

}  // namespace coppice::cli
