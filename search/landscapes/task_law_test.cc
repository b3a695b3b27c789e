#include "search/landscapes/task_law.h"

#include <gtest/gtest.h>

namespace coppice::search {
namespace {

TEST(TaskLawTest, EveryFamilyHasThreeLevels) {
  const std::vector<std::string> names = CalibratedNames();
  ASSERT_EQ(names.size(), 15u);
  EXPECT_EQ(names.front(), "hill/1");
  EXPECT_EQ(names.back(), "deceptive/3");
  for (const std::string& name : names) {
    const auto law = CalibratedLaw(name);
    ASSERT_TRUE(law.has_value()) << name;
    EXPECT_EQ(law->name(), name);
  }
}

TEST(TaskLawTest, OtherNamesAreNone) {
  for (const char* name : {"", "hill", "hill/", "hill/0", "hill/4", "hill/11",
                           "hil/1", "hill/1 ", "/1", "hill/one"}) {
    EXPECT_FALSE(CalibratedLaw(name).has_value()) << name;
  }
}

TEST(TaskLawTest, SeedsChooseTasksAndNamesKeepThemApart) {
  const auto root = [](Family family, int level, std::uint64_t seed) {
    return TaskLaw(family, level).TaskOf(seed).Root().key;
  };
  EXPECT_EQ(root(Family::kHill, 1, 4), root(Family::kHill, 1, 4));
  EXPECT_NE(root(Family::kHill, 1, 4), root(Family::kHill, 1, 5));
  EXPECT_NE(root(Family::kHill, 1, 4), root(Family::kHill, 2, 4));
}

TEST(TaskLawTest, AFittedLandscapeHasItsOwnNoise) {
  FittedLaw fitted;
  fitted.ceilings = {4.0, 0.5};
  fitted.parameters.noise = 0.125;
  const TaskLaw law("own", fitted);
  EXPECT_EQ(law.name(), "own");
  EXPECT_EQ(law.noise(), 0.125);
  EXPECT_EQ(law.space(), nullptr);
  EXPECT_EQ(law.root_runtime_s(), 0.01);
  EXPECT_EQ(TaskLaw(Family::kHill, 1).noise(), 0.02);
  EXPECT_NE(law.TaskOf(1).Root().key, law.TaskOf(2).Root().key);
}

TEST(TaskLawTest, ARecordedSpaceHasTheTimeOfItsRoot) {
  const auto space = std::make_shared<const RecordedSpace>(*RecordedSpace::Make(
      {"tile"},
      {{{"8"}, Verdict::kPassed, 0.5}, {{"16"}, Verdict::kPassed, 0.5}}));
  const TaskLaw law("mine/raw", space, RecordedMode::kRaw);
  EXPECT_EQ(law.name(), "mine/raw");
  EXPECT_EQ(law.root_runtime_s(), 0.5);
  EXPECT_EQ(law.space(), space.get());
  EXPECT_EQ(law.noise(), 0.02);
}

}  // namespace
}  // namespace coppice::search
