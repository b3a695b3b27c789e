#include "engine/documents/csv.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace coppice::cli {
namespace {

// RFC 4180: a field with a comma, a quote or an end of a line is quoted, and a
// quote in it is two.
TEST(CsvTest, AFieldIsQuotedWhereItHasTo) {
  EXPECT_EQ(CsvLine({"a", "b c", ""}), "a,b c,\n");
  EXPECT_EQ(CsvLine({"a,b", "say \"no\"", "x\ny", "\r"}),
            "\"a,b\",\"say \"\"no\"\"\",\"x\ny\",\"\r\"\n");
  EXPECT_EQ(CsvLine({}), "\n");
}

TEST(CsvTest, ANumberHasTheDigitsThatItNeeds) {
  const auto fields = CsvFields({std::int64_t{-7}, 0.1, 1.0 / 3.0, 1e300,
                                 std::string("x, y"), store::Value()});
  EXPECT_EQ(fields[0], "-7");
  EXPECT_EQ(fields[1], "0.1");
  EXPECT_EQ(std::strtod(fields[2].c_str(), nullptr), 1.0 / 3.0);
  EXPECT_EQ(std::strtod(fields[3].c_str(), nullptr), 1e300);
  EXPECT_EQ(fields[4], "x, y");  // Quoted by the line.
  EXPECT_EQ(fields[5], "");
  EXPECT_EQ(CsvNumber(0.1), "0.10000000000000001");
}

}  // namespace
}  // namespace coppice::cli
