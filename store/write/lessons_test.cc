#include "store/write/lessons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/records/evaluation.h"
#include "store/scratch.h"
#include "store/write/campaigns.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

class LessonsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Ask(const std::string& sql) {
    return Rows(database_, sql);
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
};

// The root takes 4 s: node 1 is 2 times as fast, node 2 is 2 times as fast as
// node 1, and node 3 fails.  The root is told apart from nothing by itself.
TEST_F(LessonsTest, EvidenceIsOfNewTokensOverTheirParents) {
  Grow(database_, a_, NodeId{0},
       {.source = "s1", .runtime_s = 2.0, .technique = "jam(j, 32)"});
  Grow(database_, a_, NodeId{1},
       {.source = "s2", .runtime_s = 1.0, .technique = "parallel(i)"});
  Grow(database_, a_, NodeId{1},
       {.source = "s3", .verdict = Verdict::kCrashed, .technique = "simd(j)"});
  Damage(directory_.File("x.db"),
         "UPDATE node SET speedup_low = speedup / 1.1,"
         " speedup_high = speedup * 1.1 WHERE number > 0");
  EXPECT_THAT(
      Ask("SELECT node, parent, technique_name, after, verdict, effect, told"
          " FROM evidence"),
      ElementsAre("1|0|jam|-|passed|2|1", "2|1|parallel|jam|passed|2|1",
                  "3|1|simd|jam|crashed|-|-"));
  const CampaignRow row = Must(Campaigns(database_).Find("a"));
  const std::vector<Lesson> lessons =
      Must(ReadEvidence(database_, row, "mine.db"));
  ASSERT_EQ(lessons.size(), 3U);
  EXPECT_EQ(lessons[1].file, "mine.db");
  EXPECT_EQ(lessons[1].uuid, row.spec.uuid);
  EXPECT_EQ(lessons[1].node, NodeId{2});
  EXPECT_EQ(lessons[1].technique, "parallel(i)");
  // exp(sqrt(2 (ln 1.21)^2) / 2) = 1.144.
  EXPECT_NEAR(lessons[1].effect->interval->low, 2.0 / 1.144, 1e-3);
  EXPECT_EQ(lessons[0].program, "");
  EXPECT_EQ(lessons[1].program, "jam(j, 32)");
  EXPECT_EQ(lessons[1].speedup, 4.0);
  EXPECT_EQ(lessons[0].best, 4.0);
  EXPECT_EQ(lessons[2].speedup, std::nullopt);
  EXPECT_EQ(lessons[2].verdict, Verdict::kCrashed);
  EXPECT_FALSE(lessons[2].failure.empty());
}

Lesson TriedAt(std::int64_t node) {
  Lesson lesson;
  lesson.file = "other.db";
  lesson.campaign = "c";
  lesson.uuid = Uuid{};
  lesson.node = static_cast<NodeId>(node);
  lesson.task = {"gemm_nt", "d1", "gemm", "gemm nt", "float32", 20.5};
  lesson.technique = "jam(j, 32)";
  lesson.verdict = Verdict::kPassed;
  lesson.effect = Speedup{3.0, Interval{2.5, 3.5}};
  lesson.program = "pad(x)";
  lesson.speedup = 6.0;
  lesson.best = 7.0;
  lesson.bound = "memory";
  lesson.nearness = 0.5;
  return lesson;
}

std::shared_ptr<const std::vector<Lesson>> TheseLessons(
    std::vector<Lesson> lessons) {
  return std::make_shared<const std::vector<Lesson>>(std::move(lessons));
}

TEST_F(LessonsTest, ACampaignKeepsThoseThatItBeganWith) {
  CampaignSpec spec = SpecNamed("b");
  spec.lessons = TheseLessons({TriedAt(7)});
  const CampaignId b = Must(Campaigns(database_).Create(spec));
  const std::vector<Lesson> lessons = Must(ReadLessons(database_, b));
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_EQ(lessons[0].node, NodeId{7});
  EXPECT_EQ(lessons[0].task.operation, "gemm");
  EXPECT_EQ(lessons[0].task.log_elements, 20.5);
  EXPECT_EQ(lessons[0].effect->interval->high, 3.5);
  EXPECT_EQ(lessons[0].bound, "memory");
  EXPECT_EQ(lessons[0].program, "pad(x)");
  EXPECT_EQ(lessons[0].speedup, 6.0);
  EXPECT_EQ(lessons[0].best, 7.0);
  EXPECT_EQ(lessons[0].nearness, 0.5);
  EXPECT_TRUE(Must(ReadLessons(database_, a_)).empty());
  EXPECT_TRUE(Must(ReadOwnLessons(database_)).empty());
  EXPECT_TRUE(Must(Diagnose(database_)).empty());
}

TEST_F(LessonsTest, OneNodeIsKeptOnce) {
  EXPECT_EQ(
      Must(KeepLessons(database_, std::vector{TriedAt(1), TriedAt(2)}, 9.0)),
      2);
  EXPECT_EQ(
      Must(KeepLessons(database_, std::vector{TriedAt(2), TriedAt(3)}, 9.0)),
      1);
  EXPECT_THAT(Ask("SELECT origin_node FROM lessons"),
              ElementsAre("1", "2", "3"));
}

// After Ctrl-C node 1 was the best of its campaign, at 6 times the root.  Then
// the campaign goes on to 40, and node 2 is found to be wrong.
TEST_F(LessonsTest, WhatIsKeptFollowsACampaignThatGoesOn) {
  Must(KeepLessons(database_, std::vector{TriedAt(1), TriedAt(2)}, 9.0));
  Lesson first = TriedAt(1);
  first.best = 40.0;
  Lesson second = TriedAt(2);
  second.best = 40.0;
  second.verdict = Verdict::kWrongOutput;
  second.effect.reset();
  second.speedup.reset();
  second.failure = "workload 1 is wrong";
  EXPECT_EQ(Must(KeepLessons(database_, std::vector{first, second}, 10.0)), 0);
  EXPECT_THAT(Ask("SELECT origin_node, verdict, effect, speedup, best, failure"
                  " FROM lessons"),
              ElementsAre("1|passed|3|6|40|-",
                          "2|wrong_output|-|-|40|workload 1 is wrong"));
  EXPECT_TRUE(Must(Diagnose(database_)).empty());  // The seals hold.
}

TEST_F(LessonsTest, NothingIsKnownOfAGainOverWhatWasRefuted) {
  Grow(database_, a_, NodeId{0},
       {.source = "s1", .runtime_s = 2.0, .technique = "jam(j, 32)"});
  Grow(database_, a_, NodeId{1},
       {.source = "s2", .runtime_s = 1.0, .technique = "parallel(i)"});
  Must(Nodes(database_).AddEvaluation(
      a_, NodeId{1}, EvaluationOf(Verdict::kWrongOutput, std::nullopt), 9.0));
  const CampaignRow row = Must(Campaigns(database_).Find("a"));
  const std::vector<Lesson> lessons = Must(ReadEvidence(database_, row, ""));
  ASSERT_EQ(lessons.size(), 1U);
  EXPECT_EQ(lessons[0].verdict, Verdict::kWrongOutput);
  EXPECT_EQ(Must(KeepLessons(database_, lessons, 9.0)), 1);
}

// By hand, in a database of a stranger's.
TEST_F(LessonsTest, WhatNoneCanSayIsSaidToBeDamaged) {
  Must(KeepLessons(database_, std::vector{TriedAt(1)}, 9.0));
  for (const char* change :
       {"verdict = 99", "origin_node = NULL", "origin_node = -1",
        "origin_uuid = NULL", "effect = 9e999", "effect = -1",
        "effect_low = -9e999", "speedup = 9e999", "best = 0",
        "log_elements = -9e999", "nearness = 9e999"}) {
    const auto path = directory_.File("x.db");
    Damage(path, "CREATE TABLE was AS SELECT * FROM lesson");
    Damage(path, std::string("UPDATE lesson SET ") + change);
    const auto lessons = ReadOwnLessons(database_);
    ASSERT_FALSE(lessons) << change;
    EXPECT_EQ(lessons.error().code, Errc::kCorrupt);
    EXPECT_THAT(lessons.error().what, ::testing::HasSubstr("lesson 1"));
    Damage(path, "DELETE FROM lesson");
    Damage(path, "INSERT INTO lesson SELECT * FROM was");
    Damage(path, "DROP TABLE was");
  }
  EXPECT_EQ(Must(ReadOwnLessons(database_)).size(), 1U);
}

TEST_F(LessonsTest, EvidenceOfATreeWithAHoleIsSaidToBeDamaged) {
  Grow(database_, a_, NodeId{0}, {.source = "s1"});
  Grow(database_, a_, NodeId{1}, {.source = "s2"});
  const CampaignRow row = Must(Campaigns(database_).Find("a"));
  Damage(directory_.File("x.db"),
         "UPDATE node SET parent_number = 1000000 WHERE number = 2");
  EXPECT_EQ(ReadEvidence(database_, row, "").error().code, Errc::kCorrupt);
  Damage(directory_.File("x.db"), "DELETE FROM node WHERE number = 1");
  EXPECT_EQ(ReadEvidence(database_, row, "").error().code, Errc::kCorrupt);
}

TEST_F(LessonsTest, APersonsLineIsAddedChangedAndRemoved) {
  const auto id = Must(AddNote(database_, "use exp2", "softmax", "", 9.0));
  Must(EditNote(database_, id,
                {.note = {}, .operation = {}, .technique = "math"}));
  EXPECT_THAT(
      Ask("SELECT note, operation, technique, origin_file FROM lessons"),
      ElementsAre("use exp2|softmax|math|-"));
  Must(RemoveLesson(database_, id));
  EXPECT_TRUE(Must(ReadOwnLessons(database_)).empty());
  EXPECT_EQ(RemoveLesson(database_, id).error().code, Errc::kNotFound);
  EXPECT_EQ(EditNote(database_, id, {}).error().code, Errc::kNotFound);
  EXPECT_TRUE(Must(Diagnose(database_)).empty());  // The seals hold.
}

TEST_F(LessonsTest, LessonsComeInTheOrderKeptEachOfItsOwner) {
  CampaignSpec spec = SpecNamed("b");
  spec.lessons = TheseLessons({TriedAt(7), TriedAt(3)});
  const CampaignId b = Must(Campaigns(database_).Create(spec));
  Must(KeepLessons(database_, std::vector{TriedAt(2), TriedAt(1)}, 9.0));
  const auto of = [](const Result<std::vector<Lesson>>& read) {
    std::string nodes;
    for (const Lesson& each : Must(read)) {
      nodes += std::to_string(Index(*each.node)) + " ";
    }
    return nodes;
  };
  EXPECT_EQ(of(ReadLessons(database_, b)), "7 3 ");
  EXPECT_EQ(of(ReadOwnLessons(database_)), "2 1 ");
  // A campaign's are not the file's to remove, nor is a lesson a note.
  EXPECT_EQ(RemoveLesson(database_, 1).error().code, Errc::kNotFound);
  EXPECT_EQ(EditNote(database_, 3, {}).error().code, Errc::kNotFound);
  Must(RemoveLesson(database_, 3));
  EXPECT_EQ(of(ReadOwnLessons(database_)), "1 ");
  const Lesson kept = Must(ReadOwnLessons(database_)).at(0);
  EXPECT_EQ(kept.file, "other.db");
  EXPECT_EQ(kept.campaign, "c");
  EXPECT_EQ(kept.technique, "jam(j, 32)");
  EXPECT_EQ(kept.verdict, Verdict::kPassed);
  EXPECT_EQ(kept.task.types, "float32");
}

TEST_F(LessonsTest, EvidenceIsOfOneCampaignAndOfWhatTold) {
  const CampaignId b = Plant(database_, "b");
  Grow(database_, b, kRootNode, {.source = "s9", .runtime_s = 1.0});
  Grow(database_, a_, kRootNode, {.source = "s1", .runtime_s = 2.0});
  Grow(database_, a_, kRootNode,
       {.source = "s2", .verdict = Verdict::kCompileFailed});
  const CampaignRow row = Must(Campaigns(database_).Find("a"));
  const auto lessons = Must(ReadEvidence(database_, row, ""));
  ASSERT_EQ(lessons.size(), 2U);
  EXPECT_EQ(lessons[0].node, NodeId{1});
  EXPECT_EQ(lessons[0].campaign, "a");
  EXPECT_EQ(lessons[0].hardware, "a processor");
  EXPECT_EQ(lessons[0].failure, "");
  EXPECT_EQ(lessons[0].best, 2.0);
  EXPECT_EQ(lessons[1].node, NodeId{2});
  EXPECT_EQ(lessons[1].failure, "log: compile_failed");
}

// It is of no node, so that there is nothing to bring up to date.
TEST_F(LessonsTest, APersonsLineIsKeptEachTime) {
  Lesson note;
  note.note = "keep the row in registers";
  note.task.operation = "gemm";
  EXPECT_EQ(Must(KeepLessons(database_, std::vector{TriedAt(1), note}, 9.0)),
            2);
  EXPECT_EQ(Must(KeepLessons(database_, std::vector{TriedAt(1), note}, 10.0)),
            1);
  EXPECT_EQ(Must(ReadOwnLessons(database_)).size(), 3U);
}

}  // namespace
}  // namespace coppice::store
