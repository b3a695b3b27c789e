// What campaigns tried and what came of it, and the lessons that are kept of
// that: with a campaign, those of others that it began with; and the file's
// own, which are for campaigns to come.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/lesson.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;
class Database;
struct CampaignRow;

// One for each plan that a campaign had realised, by node: the view `evidence`,
// with logs as `failure` and without traits of the task.  One that passed
// though its parent was refuted since is left out: over what it gained nobody
// knows.  `file` is what the user calls it by.
Result<std::vector<Lesson>> ReadEvidence(Database& database,
                                         const CampaignRow& campaign,
                                         const std::string& file);

// Those that the campaign began with, the nearest first.
Result<std::vector<Lesson>> ReadLessons(Database& database,
                                        CampaignId campaign);
// The file's own, in the order in which they came.
Result<std::vector<Lesson>> ReadOwnLessons(Database& database);

// Adds to the file's own what it does not have of the same campaign and node;
// what it has is brought up to date.  How many were added.
Result<std::int64_t> KeepLessons(Database& database,
                                 std::span<const Lesson> lessons, double now_s);

// A person's line, with an operation and a technique or "": its number.
Result<std::int64_t> AddNote(Database& database, const std::string& note,
                             const std::string& operation,
                             const std::string& technique, double now_s);
// What is not set stays.  kNotFound: the file has no such line of a person's.
struct NoteChange {
  std::optional<std::string> note, operation, technique;
};
Result<void> EditNote(Database& database, std::int64_t id,
                      const NoteChange& change);
// The lesson, a person's or one kept of a campaign, is shown to nobody from now
// on.
Result<void> RemoveLesson(Database& database, std::int64_t id);

// Private to this folder.  REQUIRES: the caller is inside Connection::Write.
void InsertLessons(Connection& connection, std::optional<CampaignId> campaign,
                   std::span<const Lesson> lessons, double now_s);

}  // namespace coppice::store
