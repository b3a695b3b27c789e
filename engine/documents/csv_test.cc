#include "engine/documents/csv.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/records/random.h"

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

// By RFC 4180, but that lines end with a bare newline.
std::vector<std::vector<std::string>> ReadCsv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '"' && text.substr(i + 1).starts_with('"')) {
      line.back() += text[++i];
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && text[i] == ',') {
      line.emplace_back();
    } else if (!is_quoted && text[i] == '\n') {
      lines.push_back(std::exchange(line, std::vector<std::string>(1)));
    } else {
      line.back() += text[i];
    }
  }
  EXPECT_EQ(line, std::vector<std::string>{""});  // The last line has an end.
  EXPECT_FALSE(is_quoted);
  return lines;
}

TEST(CsvTest, WhateverAFieldHoldsIsReadBack) {
  constexpr std::string_view kLetters = "a,\"\n\r \t";
  RandomStream stream(6, Purpose::kSimulation, 0);
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::vector<std::string>> lines;
    std::string text;
    for (int rows = 0; rows < 3; ++rows) {
      std::vector<std::string> fields(1 + stream.Below(4));
      for (std::string& field : fields) {
        for (std::uint64_t size = stream.Below(6); size > 0; --size) {
          field += kLetters[stream.Below(kLetters.size())];
        }
      }
      text += CsvLine(fields);
      lines.push_back(std::move(fields));
    }
    ASSERT_EQ(ReadCsv(text), lines) << text;
  }
}

TEST(CsvTest, EveryNumberIsReadBackToTheLastBit) {
  RandomStream stream(7, Purpose::kSimulation, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto number = std::bit_cast<double>(stream.NextU64());
    if (!std::isfinite(number)) continue;
    const std::string field = CsvFields({number})[0];
    ASSERT_EQ(std::strtod(field.c_str(), nullptr), number) << field;
    ASSERT_EQ(std::strtod(CsvNumber(number).c_str(), nullptr), number);
  }
  EXPECT_EQ(CsvFields({std::numeric_limits<std::int64_t>::min()})[0],
            "-9223372036854775808");
  EXPECT_EQ(CsvFields({123456789.125})[0], "123456789.125");
}

}  // namespace
}  // namespace coppice::cli
