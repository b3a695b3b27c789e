#include "store/sealed_row.h"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "store/records/verdict.h"

namespace coppice::store {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// The bytes of what a SELECT without a table gives.
std::string BytesOf(const std::string& values) {
  SQLite::Database sqlite(":memory:");
  sqlite3_stmt* raw = nullptr;
  sqlite3_prepare_v2(sqlite.getHandle(), ("SELECT " + values).c_str(), -1, &raw,
                     nullptr);
  const RawStatement statement(raw);
  sqlite3_step(raw);
  SealedRow row;
  row.Begin("t");
  for (int i = 0; i < sqlite3_column_count(raw); ++i) {
    row.Add(sqlite3_column_value(raw, i));
  }
  return row.bytes();
}

template <class... Values>
std::string BytesOfValues(const Values&... values) {
  SealedRow row;
  row.Begin("t");
  (row.Add(values), ...);
  return row.bytes();
}

TEST(SealedRowTest, TheBytesAreThoseOfItsDocument) {
  using namespace std::string_literals;
  // 1.5 is 0x3ff8000000000000: a sign, 11 bits of 1023, and the half.
  EXPECT_EQ(BytesOf("NULL, 258, 1.5, 'ab', x'00ff'"),
            "t\1\0\0\0\0\0\0\0t"
            "n"
            "i\2\1\0\0\0\0\0\0"
            "r\0\0\0\0\0\0\xf8\x3f"
            "t\2\0\0\0\0\0\0\0ab"
            "b\2\0\0\0\0\0\0\0\0\xff"s);
}

// printf 't\1\0\0\0\0\0\0\0t' | sha256sum: 5dae9501e32d9295...
TEST(SealedRowTest, TheHashIsTheBeginningOfTheSha256) {
  EXPECT_EQ(HashOfRow(BytesOf("1").substr(0, 10)), 0x95922de30195ae5d);
}

TEST(SealedRowTest, WhatIsNotTheSameHasOtherBytes) {
  std::set<std::string> all;
  const char* const rows[] = {"NULL",
                              "0",
                              "0.0",
                              "''",
                              "x''",
                              "1",
                              "1.0",
                              "'1'",
                              "x'31'",
                              "-1",
                              "256",
                              "'a', 'bc'",
                              "'ab','c'",
                              "'abc'",
                              "NULL, 0",
                              "0, NULL",
                              "'a' || char(0)",
                              "'a'"};
  for (const char* row : rows) all.insert(BytesOf(row));
  EXPECT_EQ(all.size(), std::size(rows));
}

TEST(SealedRowTest, WhatIsStoredAlikeHasTheSameBytes) {
  EXPECT_EQ(BytesOf("-0.0"), BytesOf("0.0"));
  EXPECT_EQ(BytesOfValues(-0.0, kNotANumber), BytesOf("0.0, NULL"));
}

TEST(SealedRowTest, WhatIsBoundHasTheBytesOfWhatIsRead) {
  EXPECT_EQ(BytesOfValues(std::int64_t{-5}, 7, Verdict::kCrashed, 0.25,
                          std::optional<double>(), std::optional(2.0),
                          Bytes(std::string_view("xy"))),
            BytesOf("-5, 7, 2, 0.25, NULL, 2.0, x'7879'"));
}

}  // namespace
}  // namespace coppice::store
