#include "store/records/try_into.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice {
namespace {

Result<std::string> Filled(const Result<std::string>& made,
                           const std::string& before) {
  std::string place = before;
  TRY_INTO(place, made);
  return place + "!";
}

TEST(TryIntoTest, AssignsTheValueOrReturnsTheError) {
  EXPECT_EQ(Filled("new", "old").value(), "new!");
  EXPECT_EQ(Filled(Fail(Errc::kIo, "disk"), "old").error().what, "disk");
}

}  // namespace
}  // namespace coppice
