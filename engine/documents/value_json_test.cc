#include "engine/documents/value_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/printed.h"
#include "engine/documents/csv.h"
#include "engine/documents/document.h"

namespace coppice::cli {
namespace {

using store::Value;

TEST(ValueJsonTest, AValueKeepsItsType) {
  EXPECT_EQ(LineOf(ValueJson(std::int64_t{7})), "7");
  EXPECT_EQ(LineOf(ValueJson(7.0)), "7.0");
  EXPECT_EQ(LineOf(ValueJson(std::string("7"))), "\"7\"");
  EXPECT_EQ(LineOf(ValueJson(Value())), "null");
  EXPECT_EQ(LineOf(ValueJson(std::numeric_limits<std::int64_t>::max())),
            "9223372036854775807");
  EXPECT_EQ(LineOf(ValueJson(std::string("a\xff"))), "\"a\xef\xbf\xbd\"");
}

TEST(ValueJsonTest, ARowIsAnObjectInTheOrderOfItsColumns) {
  EXPECT_EQ(LineOf(ValuesJson({"z", "a"}, {std::int64_t{1}, Value()})),
            R"({"z":1,"a":null})");
  EXPECT_EQ(LineOf(ValuesJson({}, {})), "{}");
}

// A column with a text in any row stands on the left, one without on the right.
TEST(ValueJsonTest, OnlyColumnsWithoutTextsStandOnTheRight) {
  const std::vector<ValueRow> rows = {
      {std::int64_t{7}, std::int64_t{1}, Value()},
      {12.5, std::string("word"), Value()}};
  const auto print = [&](Streams& streams) {
    PrintValues({{"number", "mixed", "none"}, rows}, &CsvFields, streams);
  };
  EXPECT_EQ(cli::Printed(print),
            "number  mixed  none\n"
            "     7  1\n"
            "  12.5  word\n");
}

}  // namespace
}  // namespace coppice::cli
