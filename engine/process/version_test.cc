#include "engine/process/version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace coppice::engine {
namespace {

TEST(VersionTest, ItIsTheReleaseAndThenTheCommit) {
  const std::string_view version = Version();
  ASSERT_TRUE(version.starts_with(Release()));
  const std::string_view rest = version.substr(Release().size());
  const bool is_commit = rest.starts_with(" (") && rest.ends_with(")");
  EXPECT_TRUE(rest.empty() || is_commit) << version;
}

TEST(VersionTest, AReleaseIsThreeNumbers) {
  EXPECT_EQ(std::ranges::count(Release(), '.'), 2);
  for (const char c : Release()) {
    EXPECT_TRUE(c == '.' || std::isdigit(static_cast<unsigned char>(c)) != 0);
  }
}

// The changelog's: 2026-11-23.
TEST(VersionTest, ADateIsThereOrNot) {
  const std::string_view date = ReleaseDate();
  if (date.empty()) return;
  ASSERT_EQ(date.size(), 10U);
  EXPECT_EQ(date[4], '-');
  EXPECT_EQ(date[7], '-');
}

}  // namespace
}  // namespace coppice::engine
