#include "config/put.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

TEST(PutTest, TheSettingAndWhoSaidItAreChanged) {
  Loaded loaded = Load({}, {}, {}).value();
  ASSERT_FALSE(IsGiven(loaded, "budget"));
  ASSERT_TRUE(Put(loaded, "budget", "12", "command line"));
  EXPECT_EQ(loaded.settings.budget_attempts, 12);
  EXPECT_EQ(SaidBy(loaded, "budget"), "--budget");
}

TEST(PutTest, AnErrorNamesTheKeyAndChangesNothing) {
  Loaded loaded = Load({}, {}, {}).value();
  const auto put = Put(loaded, "budget", "many", "command line");
  ASSERT_FALSE(put);
  EXPECT_TRUE(put.error().what.starts_with("budget: "));
  EXPECT_FALSE(IsGiven(loaded, "budget"));
}

}  // namespace
}  // namespace coppice::config
