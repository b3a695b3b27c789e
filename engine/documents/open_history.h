// What the verbs that look at a database share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/documents/verb.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/records/ids.h"
#include "store/records/speedup_text.h"
#include "store/records/verdict.h"
#include "store/write/campaigns.h"

namespace coppice {
struct Hint;
struct Speedup;
}  // namespace coppice
namespace coppice::engine {
struct Rival;
}
namespace coppice::store {
struct CampaignRow;
class Database;
struct Leader;
}  // namespace coppice::store

namespace coppice::cli {

inline constexpr Option kJsonOption{"json", Takes::kNothing, "", "as JSON"};
inline constexpr Option kCampaignOption{
    "campaign", Takes::kText, "CAMPAIGN",
    "or a part of its name; by default the one that ran last"};

// Opens settings.db for reading; nothing is created or changed.
Result<store::Database> OpenToLook(const Invocation& invocation);

// What is wrong with a file in which there is nothing to choose, and what to
// do.
Error NoCampaign(const std::string& file);

// The campaign of that name; else the only one whose name begins with it, else
// the only one whose name contains it.  kUsage names those that match, or the
// nearest if none does.
Result<store::CampaignRow> CampaignNamed(const std::string& file,
                                         const std::string& name,
                                         std::vector<store::CampaignRow> rows);

// The campaign that --campaign names; without it, the only one there is, or of
// several the one that was worked on last, which a line on stderr says.
Result<store::CampaignRow> ChooseCampaign(const Invocation& invocation,
                                          Streams& streams,
                                          store::Database& database);

// The campaign that --campaign names, or all there are; the file may have none.
Result<std::vector<store::CampaignRow>> ChosenCampaigns(
    const Invocation& invocation, Streams& streams, store::Database& database);

// The name of the one that --campaign names; none: all.
Result<std::optional<std::string>> ChosenName(const Invocation& invocation,
                                              Streams& streams,
                                              store::Database& database);

// What a setting of the campaign is; empty: it has none of that name.
std::string SettingOf(const store::CampaignSpec& spec, std::string_view key);

// A node by its number, or "root" or "best".
Result<NodeId> ChooseNode(store::Database& database,
                          const store::CampaignRow& campaign,
                          const std::string& word);

// The leader that wins.  The root if nothing beat it; kNotFound if not even
// that was measured.
Result<store::Leader> Winner(store::Database& database,
                             const store::CampaignRow& campaign);

Error NothingPassed(const store::CampaignRow& campaign);
Error NoSource(const store::CampaignRow& campaign, NodeId node);

// {"ratio": 1.31, "low": 1.28, "high": 1.34, "told_apart": true}
nlohmann::ordered_json ComparisonJson(const Speedup& comparison);

// The same with its "node"; null: nobody comes next.
nlohmann::ordered_json NextJson(const std::optional<engine::Rival>& rival);

// {"speedup": 1.31, "speedup_low": 1.28, "speedup_high": 1.34}, null where it
// is not known.
nlohmann::ordered_json SpeedupJson(const std::optional<Speedup>& speedup);

// {"passed": 3, "crashed": 1, ...}: all verdicts.
nlohmann::ordered_json VerdictsJson(const VerdictCounts& verdicts);

// {"factor": 1.8, "low": 1.6, "high": 2.0, "samples": 15}; null: there is none.
nlohmann::ordered_json HintJson(const std::optional<Hint>& hint);

// The title of a column of SpeedupText.
inline constexpr const char* kSpeedupTitle = "speedup (95 %)";

std::string NodeText(NodeId node);  // "node 7"

// "7", or "7 ~" if the next one cannot be told apart from it; and what to say
// below a table that has such.
std::string WinnerText(NodeId winner,
                       const std::optional<engine::Rival>& rival);
inline constexpr std::string_view kWinnerNote =
    "~: the next best cannot be told apart from it\n";

// "194 us where the root took 10.3 ms": nobody measured it; it is the root's
// time over the speedup.
std::string TimeBySpeedup(double root_runtime_s, const Speedup& speedup);

// "8.31x": a factor that comes without an interval.
std::string TimesText(double factor);

// "$0.2500".
std::string DollarText(double usd);

}  // namespace coppice::cli
