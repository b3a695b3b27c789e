// Operations on a whole file: is it sound, copy it, what tree does it hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"

namespace coppice::store {

// Everything wrong with the file, a line each; empty: sound.  Checks SQLite's
// integrity and foreign keys, orphaned blobs and rows, every blob's hash, node
// numbering, and recomputes cached counters and the leaderboard.
Result<std::vector<std::string>> Diagnose(Database& database);

// A hash (64 hexadecimal digits) of the campaign's tree: nodes, parents,
// sources, plans, verdicts, decisions, windows; without times, measurements,
// uuids and calls.  With deterministic agents and evaluator it is the same
// however often the campaign was killed.
Result<std::string> Fingerprint(Database& database, CampaignId campaign);

// A consistent copy while others read and write.
Result<void> Backup(Database& database, const std::filesystem::path& to);

}  // namespace coppice::store
