#include "config/put.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(PutTest, AValueIsToldAsItIsPrinted) {
  Loaded loaded = Load({}, {}, {}).value();
  ASSERT_TRUE(Put(loaded, "cap_usd", "1e1", "compare"));
  EXPECT_EQ(loaded.settings.cap_usd, 10.0);
  const auto row = std::ranges::find(loaded.origins, "cap_usd", &Origin::key);
  EXPECT_EQ(row->value, "10");
  EXPECT_EQ(row->origin, "compare");
  EXPECT_EQ(SaidBy(loaded, "cap_usd"), std::nullopt);
  EXPECT_TRUE(IsGiven(loaded, "cap_usd"));
  EXPECT_FALSE(IsGiven(loaded, "cap_tokens"));
}

}  // namespace
}  // namespace coppice::config
