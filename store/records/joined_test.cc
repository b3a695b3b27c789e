#include "store/records/joined.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice {
namespace {

TEST(JoinedTest, StandsBetweenAndNowhereElse) {
  EXPECT_EQ(Joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(Joined(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(Joined(std::vector<std::string>{"", "b"}, ", "), ", b");
}

TEST(JoinedTest, MakesTextsOfWhatIsNone) {
  const auto digits = [](int number) { return std::to_string(number); };
  EXPECT_EQ(Joined(std::vector{3, 14}, " x ", digits), "3 x 14");
}

}  // namespace
}  // namespace coppice
