// What the verbs that look at a database share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {
struct CampaignRow;
class Database;
struct Leader;
}  // namespace coppice::store

namespace coppice::cli {

struct Invocation;
struct Streams;

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

// The same; kNotFound if there is none.
Result<std::vector<store::CampaignRow>> CampaignsToExport(
    const Invocation& invocation, Streams& streams, store::Database& database);

// The name of the one that --campaign names; none: all.
Result<std::optional<std::string>> ChosenName(const Invocation& invocation,
                                              Streams& streams,
                                              store::Database& database);

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

}  // namespace coppice::cli
