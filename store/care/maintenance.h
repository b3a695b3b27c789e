// Operations on a whole file: is it sound, copy it, what tree does it hold.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"

namespace coppice::store {

// Everything wrong with the file, a line each; empty: sound.  Checks SQLite's
// integrity and foreign keys, that tables and views are ours, the seals of all
// rows (store/seals.h), orphaned blobs and rows, every blob's hash, node
// numbering, and recomputes cached counters and what nodes count for.
Result<std::vector<std::string>> Diagnose(Database& database);

// Whether the process with the leases of `owner` lives.
using IsAlive = std::function<Result<bool>(const std::string& owner)>;

// Ends, as of unknown outcome, what processes that have died since had sent,
// and takes their attempts away from them, as who adopts these would.  A line
// for each attempt.
Result<std::vector<std::string>> EndOrphans(Database& database, double now_s,
                                            const IsAlive& is_alive);

// Mends what Diagnose finds where the rest of the file tells what is right:
// makes indexes anew, ends calls that nobody else will, and recounts counters,
// expenses, sums and what nodes count for.  As long as rows differ from their
// seals, it does only what makes these hold.  One transaction; a line each of
// what was wrong, which the campaigns' events tell, too, unless all is as if it
// had never been.
Result<std::vector<std::string>> Repair(Database& database, double now_s,
                                        const IsAlive& is_alive);

// Takes all rows as they are: those that differ from their seals are sealed
// anew.  A line each, which the events of all campaigns tell, too.
Result<std::vector<std::string>> Reseal(Database& database, double now_s);

// A hash (64 hexadecimal digits) of the campaign's tree.  With deterministic
// agents and evaluator it is the same however often the campaign was killed.
//
// It is the SHA-256 of "coppice tree 1" and three lists, each value with its
// type and preceded by its length:
//   nodes by number: parent, verdict, language, entry symbol, hash of the
//     source, decision, lines changed, and the plan it realises (technique,
//     advice, anchors, grounded, hash of the annotated source);
//   attempts by decision: parent, policy, stage, language, entry symbol, hash
//     of the source, lines changed, why there is no candidate, its own plan;
//   windows by decision and role, each of the role's last call: how many nodes
//     were cut; position, node and kinship of those shown.
// Not in it: times, measurements, logs, uuids, calls, leases, reasons in words,
// settings and names.
Result<std::string> Fingerprint(Database& database, CampaignId campaign);

// A consistent copy while others read and write.  `to` must not exist; it
// appears under its name when it is whole.
Result<void> Backup(Database& database, const std::filesystem::path& to);

// Rewrites the file without its free pages and clustered anew, and empties the
// log.  Needs as much free disk again;
// kBusy while another process is in a transaction.
Result<void> Compact(Database& database);

}  // namespace coppice::store
