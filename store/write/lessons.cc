#include "store/write/lessons.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "store/connection.h"
#include "store/records/technique.h"
#include "store/write/campaigns.h"
#include "store/write/evaluations.h"

namespace coppice::store {
namespace {

constexpr std::string_view kColumns =
    "SELECT lesson_id, origin_file, origin_campaign, origin_uuid, origin_node,"
    " task, task_digest, operation, words, types, log_elements, language,"
    " hardware, bound, technique, verdict, rule, effect, effect_low,"
    " effect_high, failure, note, nearness, program, speedup, best"
    " FROM lesson";

bool IsPositive(const std::optional<double>& value) {
  return !value || (*value > 0.0 && std::isfinite(*value));
}

// What an honest program writes.  A file from elsewhere may have anything, and
// these are reckoned with, and used to find their way.
bool IsSound(const Lesson& lesson) {
  const auto& effect = lesson.effect;
  const bool has_origin =
      lesson.uuid && lesson.node && *lesson.node >= NodeId{0};
  const bool has_interval =
      !effect || !effect->interval ||
      (IsPositive(effect->interval->low) && IsPositive(effect->interval->high));
  return (lesson.IsNote() || has_origin) &&
         static_cast<std::size_t>(lesson.verdict) < kVerdictNames.size() &&
         (!effect || IsPositive(effect->ratio)) && has_interval &&
         IsPositive(lesson.speedup) && IsPositive(lesson.best) &&
         std::isfinite(lesson.nearness) &&
         std::isfinite(lesson.task.log_elements.value_or(0.0));
}

tl::unexpected<Error> FailAt(Connection& connection, const std::string& what) {
  return connection.FailHere(
      Errc::kCorrupt, "damaged: " + what + "; `coppice db doctor` tells more");
}

Lesson LessonAt(const Statement& row) {
  Lesson lesson;
  lesson.id = row.Int(0);
  lesson.file = row.Text(1);
  lesson.campaign = row.Text(2);
  if (!row.IsNull(3)) lesson.uuid = row.Uuid(3);
  lesson.node = row.OptionalAs<NodeId>(4);
  lesson.task = {row.Text(5), row.Text(6), row.Text(7),
                 row.Text(8), row.Text(9), row.OptionalReal(10)};
  if (!row.IsNull(11)) lesson.task.language = row.As<Language>(11);
  lesson.hardware = row.Text(12);
  lesson.bound = row.Text(13);
  lesson.technique = row.Text(14);
  if (!row.IsNull(15)) lesson.verdict = row.As<Verdict>(15);
  lesson.rule = row.Text(16);
  lesson.effect = SpeedupAt(row, 17);
  lesson.failure = row.Text(20);
  lesson.note = row.Text(21);
  lesson.nearness = row.Real(22);
  lesson.program = row.Text(23);
  lesson.speedup = row.OptionalReal(24);
  lesson.best = row.OptionalReal(25);
  return lesson;
}

template <class... Values>
Result<std::vector<Lesson>> ReadWhere(Database& database,
                                      const std::string& condition,
                                      const Values&... values) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Lesson>> {
    auto lessons = connection.Rows(
        std::string(kColumns) + " WHERE " + condition + " ORDER BY lesson_id",
        LessonAt, values...);
    const auto strange = std::ranges::find_if_not(lessons, IsSound);
    if (strange == lessons.end()) return lessons;
    return FailAt(connection, "lesson " + std::to_string(strange->id) +
                                  " says what none can say");
  });
}

// NULL for what a person's line does not have.
template <class Value>
std::optional<Value> Unless(bool is_note, const Value& value) {
  return is_note ? std::nullopt : std::optional(value);
}

// What its nodes are made of, and how fast they are.
struct Standings {
  std::vector<std::string> programs;            // By node.
  std::vector<std::optional<double>> speedups;  // Likewise.
  double best = 1.0;
};

Result<Standings> StandingsOf(Connection& connection,
                              const std::string& campaign) {
  Statement read = connection.Prepare(
      "SELECT node, parent, technique, speedup FROM nodes WHERE campaign = ?"
      " ORDER BY node",
      campaign);
  Standings standings;
  while (read.Step()) {
    const auto node = static_cast<std::size_t>(read.Int(0));
    const auto parent = static_cast<std::size_t>(read.Int(1));
    if (node != standings.programs.size() || (node > 0 && parent >= node)) {
      return FailAt(connection, campaign + " lacks what node " +
                                    std::to_string(node) + " comes after");
    }
    const std::string parents = node == 0 ? "" : standings.programs[parent];
    standings.programs.push_back(ProgramAfter(parents, read.Text(2)));
    standings.speedups.push_back(read.OptionalReal(3));
    standings.best =
        std::max(standings.best, standings.speedups.back().value_or(1.0));
  }
  return standings;
}

// Brings what is kept of the lesson's node up to date: its campaign may have
// gone on since, or the node may have been judged again.  False: nothing is.
bool Renew(Connection& connection, const Lesson& lesson) {
  if (!lesson.uuid || !lesson.node) return false;
  const SpeedupColumns effect(lesson.effect);
  connection.Run(
      "UPDATE lesson SET verdict = ?, rule = ?, effect = ?, effect_low = ?,"
      " effect_high = ?, failure = ?, speedup = ?, best = ?"
      " WHERE campaign_id IS NULL AND origin_uuid = ? AND origin_node = ?",
      lesson.verdict, lesson.rule, effect.ratio, effect.low, effect.high,
      lesson.failure, lesson.speedup, lesson.best, *lesson.uuid, *lesson.node);
  return connection.Changes() > 0;
}

}  // namespace

void InsertLessons(Connection& connection, std::optional<CampaignId> campaign,
                   std::span<const Lesson> lessons, double now_s) {
  for (const Lesson& lesson : lessons) {
    const bool is_note = lesson.IsNote();
    const SpeedupColumns effect(lesson.effect);
    connection.Run(
        "INSERT INTO lesson (campaign_id, origin_file, origin_campaign,"
        " origin_uuid, origin_node, task, task_digest, operation, words,"
        " types, log_elements, language, hardware, bound, technique,"
        " verdict, rule, effect, effect_low, effect_high, failure, note,"
        " nearness, added_at_s, program, speedup, best)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " ?, ?, ?, ?, ?, ?, ?, ?)",
        campaign, lesson.file, lesson.campaign, lesson.uuid, lesson.node,
        lesson.task.name, lesson.task.digest, lesson.task.operation,
        lesson.task.words, lesson.task.types, lesson.task.log_elements,
        Unless(is_note, lesson.task.language), lesson.hardware, lesson.bound,
        lesson.technique, Unless(is_note, lesson.verdict), lesson.rule,
        effect.ratio, effect.low, effect.high, lesson.failure, lesson.note,
        lesson.nearness, now_s, lesson.program, lesson.speedup, lesson.best);
  }
}

Result<std::vector<Lesson>> ReadEvidence(Database& database,
                                         const CampaignRow& campaign,
                                         const std::string& file) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Lesson>> {
    TRY(standings, StandingsOf(connection, campaign.spec.name));
    Statement read = connection.Prepare(
        "SELECT node, technique, verdict, rule, effect, effect_low,"
        " effect_high, bound, hardware, log_blob, parent FROM evidence"
        " WHERE campaign = ? AND (verdict <> 'passed' OR effect IS NOT NULL)"
        " ORDER BY node",
        campaign.spec.name);
    std::vector<Lesson> lessons;
    while (read.Step()) {
      Lesson lesson;
      lesson.file = file;
      lesson.campaign = campaign.spec.name;
      lesson.uuid = campaign.spec.uuid;
      lesson.node = read.As<NodeId>(0);
      lesson.technique = read.Text(1);
      lesson.verdict =
          ParseVerdict(read.Text(2)).value_or(Verdict::kInconclusive);
      lesson.rule = read.Text(3);
      lesson.effect = SpeedupAt(read, 4);
      lesson.program =
          standings.programs[static_cast<std::size_t>(read.Int(10))];
      lesson.speedup =
          standings.speedups[static_cast<std::size_t>(Index(*lesson.node))];
      lesson.best = standings.best;
      lesson.bound = read.Text(7);
      lesson.hardware = read.Text(8);
      if (lesson.verdict != Verdict::kPassed && !read.IsNull(9)) {
        TRY_ASSIGN(lesson.failure, connection.blobs().Text(read.As<BlobId>(9)));
      }
      if (!IsSound(lesson)) {
        return FailAt(connection, campaign.spec.name + " node " +
                                      std::to_string(Index(*lesson.node)) +
                                      " is faster than anything can be");
      }
      lessons.push_back(std::move(lesson));
    }
    return lessons;
  });
}

Result<std::vector<Lesson>> ReadLessons(Database& database,
                                        CampaignId campaign) {
  return ReadWhere(database, "campaign_id = ?", campaign);
}

Result<std::vector<Lesson>> ReadOwnLessons(Database& database) {
  return ReadWhere(database, "campaign_id IS NULL AND NOT removed");
}

Result<std::int64_t> KeepLessons(Database& database,
                                 std::span<const Lesson> lessons,
                                 double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<std::int64_t> {
    std::int64_t kept = 0;
    for (const Lesson& lesson : lessons) {
      if (Renew(connection, lesson)) continue;
      InsertLessons(connection, std::nullopt, {&lesson, 1}, now_s);
      ++kept;
    }
    return kept;
  });
}

Result<std::int64_t> AddNote(Database& database, const std::string& note,
                             const std::string& operation,
                             const std::string& technique, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<std::int64_t> {
    Lesson lesson;
    lesson.note = note;
    lesson.task.operation = operation;
    lesson.technique = technique;
    InsertLessons(connection, std::nullopt, {&lesson, 1}, now_s);
    return connection.LastRowId();
  });
}

Result<void> EditNote(Database& database, std::int64_t id,
                      const NoteChange& change) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<void> {
    connection.Run(
        "UPDATE lesson SET note = coalesce(?2, note),"
        " operation = coalesce(?3, operation),"
        " technique = coalesce(?4, technique) WHERE lesson_id = ?1"
        " AND campaign_id IS NULL AND note <> '' AND NOT removed",
        id, change.note, change.operation, change.technique);
    if (connection.Changes() > 0) return {};
    return connection.FailHere(Errc::kNotFound,
                               "no line of a person's has the number " +
                                   std::to_string(id) +
                                   "; see `coppice lessons list`");
  });
}

Result<void> RemoveLesson(Database& database, std::int64_t id) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<void> {
    connection.Run(
        "UPDATE lesson SET removed = 1 WHERE lesson_id = ?"
        " AND campaign_id IS NULL AND NOT removed",
        id);
    if (connection.Changes() > 0) return {};
    return connection.FailHere(Errc::kNotFound,
                               "no lesson of its own has the number " +
                                   std::to_string(id) +
                                   "; see `coppice lessons list`");
  });
}

}  // namespace coppice::store
