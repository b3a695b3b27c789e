#include "store/records/result.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice {
namespace {

Result<std::string> Filled(const Result<std::string>& made,
                           const std::string& before) {
  std::string place = before;
  TRY_ASSIGN(place, made);
  return place + "!";
}

TEST(ResultTest, AssigningKeepsTheValueOrReturnsTheError) {
  EXPECT_EQ(Filled("new", "old").value(), "new!");
  EXPECT_EQ(Filled(Fail(Errc::kIo, "disk"), "old").error().what, "disk");
}

}  // namespace
}  // namespace coppice
