#include "engine/factory/landscape_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "engine/run/simulated_rig.h"
#include "eval/judge/evaluator.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/task_law.h"
#include "store/records/behaviour.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& name) {
  const auto task = Landscapes().Find(name);
  if (task) return "found";
  EXPECT_EQ(task.error().code, Errc::kUsage);
  return task.error().what;
}

TEST(LandscapeTasksTest, EveryNameIsATaskWithAgentsAndEvaluator) {
  const std::vector<std::string> names = Landscapes().Names();
  EXPECT_EQ(names.size(), 1u + 15u + 24u);
  EXPECT_THAT(names, Contains("sim:basic"));
  EXPECT_THAT(names, Contains("sim:deceptive/3"));
  EXPECT_THAT(names, Contains("recorded:pnpoly_RTX_3090"));
  for (const std::string& name : names) {
    EXPECT_TRUE(LandscapeTasks::IsOne(name));
    const auto task = Landscapes().Find(name);
    ASSERT_TRUE(task.has_value()) << task.error().what;
    EXPECT_EQ(task->definition.name, name);
    EXPECT_TRUE(Landscapes().MakeModel(*task).has_value());
    EXPECT_TRUE(Landscapes().MakeEvaluator(*task).has_value());
  }
}

TEST(LandscapeTasksTest, FamiliesAreOfLevelsAndOfDevices) {
  EXPECT_EQ(LandscapeTasks::FamilyOf("sim:hill/1"), "sim:hill");
  EXPECT_EQ(LandscapeTasks::FamilyOf("recorded:gemm_RTX_3090/raw"),
            "recorded:gemm");
  EXPECT_EQ(LandscapeTasks::FamilyOf("recorded:my_own/gemm_1.csv/raw"),
            "recorded:my_own/gemm_1.csv");
  EXPECT_EQ(LandscapeTasks::FamilyOf("gemv"), "");
}

TEST(LandscapeTasksTest, SetsAreOfKindsAndOfTheSplit) {
  for (const char* set :
       {"sim:all", "recorded:all", "recorded:train", "recorded:test"}) {
    EXPECT_TRUE(LandscapeTasks::IsSet(set));
  }
  EXPECT_FALSE(LandscapeTasks::IsSet("recorded:trian"));
  EXPECT_EQ(Landscapes().NamesOfSet("sim:all")->size(), 16u);
  EXPECT_EQ(Landscapes().NamesOfSet("recorded:all")->size(), 24u);
  EXPECT_EQ(Landscapes().NamesOfSet("recorded:train")->size(), 8u);
  EXPECT_EQ(Landscapes().NamesOfSet("recorded:own")->size(), 8u);
  EXPECT_THAT(*Landscapes().NamesOfSet("recorded:unseen"),
              testing::IsSupersetOf(
                  {"recorded:hotspot_A4000", "recorded:transpose_Xeon"}));
}

TEST(LandscapeTasksTest, AMistypedNameIsMetWithTheNearest) {
  EXPECT_THAT(ErrorOf("sim:hil/1"), HasSubstr("did you mean sim:hill/1?"));
  EXPECT_THAT(ErrorOf("sim:hill/4"), HasSubstr("did you mean sim:hill/"));
  EXPECT_THAT(ErrorOf("sim:basci"), HasSubstr("did you mean sim:basic?"));
  EXPECT_THAT(ErrorOf("sim:alps"), HasSubstr("Choose one of: sim:basic"));
  EXPECT_THAT(ErrorOf("recorded:gemm_RTX_309/raw"),
              HasSubstr("did you mean gemm_RTX_3090?"));
  EXPECT_THAT(ErrorOf("recorded:gemm_RTX_3090/rwa"), HasSubstr("is unknown"));
}

TEST(LandscapeTasksTest, ModesAreLawsOfTheirOwn) {
  const auto faults = Landscapes().LawOf("recorded:pnpoly_RTX_3090");
  const auto raw = Landscapes().LawOf("recorded:pnpoly_RTX_3090/raw");
  ASSERT_TRUE(faults.has_value() && raw.has_value());
  const auto count = [](const search::TaskLaw& law) {
    const search::Simulation task = law.TaskOf(1);
    int wrong = 0;
    for (int earlier = 0; earlier < 200; ++earlier) {
      const search::Point point =
          task.Attempt(task.Root(), earlier, search::Workforce::kTeam, {});
      wrong += point.verdict == Verdict::kWrongOutput ? 1 : 0;
    }
    return wrong;
  };
  EXPECT_GT(count(*faults), 20);
  EXPECT_LT(count(*raw), 5);
}

TEST(LandscapeTasksTest, AFittedFileIsALandscapeByItsNumbers) {
  const store::ScratchDirectory directory;
  const std::string path = directory.File("live.txt").string();
  const auto write = [&](const std::string& comment, const std::string& step) {
    std::ofstream(path) << comment
                        << "terrain weak\nceiling_shape 4\nceiling_scale "
                           "0.5\nfirst_hop 1\nfirst_hop_sd 0.4\nfollows "
                           "0.8\nconservative 0.2\nshortfall 0.7\nstep "
                        << step
                        << "\ninherited 0.3\nimproves 0.3\ngap 1\ncompiles "
                           "0.9\nis_right 0.9\nfeedback 0\nrepairs 0.5\n"
                           "noise 0.08\n";
    const auto law = Landscapes().LawOf("fitted:" + path);
    return law ? law->name() : law.error().what;
  };
  const std::string name = write("", "0.5");
  EXPECT_THAT(name, testing::StartsWith("fitted-"));
  EXPECT_EQ(write("# of today\n", "0.5"), name);
  EXPECT_NE(write("", "0.6"), name);
  EXPECT_EQ(Landscapes().LawOf("fitted:" + path)->noise(), 0.08);
  EXPECT_TRUE(LandscapeTasks::IsOne("fitted:" + path));
  EXPECT_EQ(write("", "much"),
            path + ": line 9: step 'much' is not a number that it can be");
}

TEST(LandscapeTasksTest, ATableOfTheUsersIsALandscape) {
  const store::ScratchDirectory directory;
  const std::string path = directory.File("mine.csv").string();
  std::ofstream(path) << "tile,status,time_ms\n8,ok,2\n16,ok,4\n";
  const auto task = Landscapes().Find("recorded:" + path + "/informed");
  ASSERT_TRUE(task.has_value()) << task.error().what;
  EXPECT_THAT(ErrorOf("recorded:" + path + "/2"), HasSubstr("is unknown"));
}

// Eleven tiles that take 1 to 11 ms: 2 ms is the 10 % quantile, the root's.
class RecordedTableTest : public testing::Test {
 protected:
  RecordedTableTest() {
    for (int tile = 1; tile <= 11; ++tile) {
      const std::string text = std::to_string(tile);
      table_ += text + ",ok," + text + "\n";
    }
    std::ofstream(path_) << table_;
  }

  std::string table_ = "tile,status,time_ms\n";
  const store::ScratchDirectory directory_;
  const std::string path_ = directory_.File("mine.csv").string();
  const std::string name_ = "recorded:" + path_;
};

// Only 1 ms is faster, by ln 2.  One draw of eleven meets it once in eleven
// times, and has the root to fall back to; eleven draws are all there are.
TEST_F(RecordedTableTest, RandomSearchFindsTheFastestOnceItHasSeenAll) {
  const auto references = Landscapes().ReferencesOf(
      {name_, "sim:basic"}, {1, 11}, search::BudgetUnit::kAttempts);
  ASSERT_TRUE(references) << references.error().what;
  ASSERT_EQ(references->size(), 2u);
  for (const lab::References& of_budget : *references) {
    ASSERT_EQ(of_budget.size(), 1u);  // Of sim:basic nothing is known.
    EXPECT_NEAR(of_budget.at(name_).optimum, std::log(2.0), 1e-12);
  }
  EXPECT_NEAR(references->at(0).at(name_).random, std::log(2.0) / 11, 1e-12);
  EXPECT_NEAR(references->at(1).at(name_).random, std::log(2.0), 1e-12);
}

TEST_F(RecordedTableTest, ItIsWhatItsTableSaysInItsMode) {
  const auto definition = [&](const std::string& mode) {
    return Landscapes().DefinitionOf(name_ + mode).value();
  };
  EXPECT_EQ(definition(""), std::string("faults\n") + table_);
  EXPECT_EQ(definition("/faults"), definition(""));
  EXPECT_EQ(definition("/raw"), std::string("raw\n") + table_);
  EXPECT_EQ(definition("/informed"), std::string("informed\n") + table_);
}

TEST(LandscapeTasksTest, LevelsOfAFamilyDifferInTheirNumbers) {
  const auto first = Landscapes().DefinitionOf("sim:hill/1");
  const auto second = Landscapes().DefinitionOf("sim:hill/2");
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(Landscapes().DefinitionOf("sim:basic").error().what,
            "sim:basic: is one task, the same for every seed");
}

TEST(LandscapeTasksTest, WithoutDataThereAreNoneThatAreRecorded) {
  const LandscapeTasks nowhere("/no/such");
  EXPECT_EQ(nowhere.Names().size(), 16u);  // Those that are calculated.
  const auto none = nowhere.NamesOfSet("recorded:all");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUsage);
  EXPECT_EQ(none.error().what,
            "recorded:all: there are none in /no/such; --data-directory says "
            "where they are");
}

}  // namespace
}  // namespace coppice::engine
