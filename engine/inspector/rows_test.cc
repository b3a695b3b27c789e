#include "engine/inspector/rows.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/http/request.h"

namespace coppice::inspector {
namespace {

constexpr std::int64_t kOne = 1;
constexpr std::int64_t kTwo = 2;
constexpr std::int64_t kZero = 0;

store::Listing Fruit() {
  return {{"n", "name", "ripe", "weight"},
          {{kOne, std::string("fig"), kOne, 1.5},
           {kTwo, store::Value(), kZero, store::Value()},
           {kTwo, std::string("sloe"), store::Value(), 0.25}}};
}

TEST(RowsTest, ColumnsAreKeysAndFlagsAreTrueOrFalse) {
  EXPECT_EQ(RowJson(Fruit(), 0, {"ripe"}).dump(),
            R"({"n":1,"name":"fig","ripe":true,"weight":1.5})");
  EXPECT_EQ(RowJson(Fruit(), 1, {"ripe"}).dump(),
            R"({"n":2,"name":null,"ripe":false,"weight":null})");
  EXPECT_EQ(RowJson(Fruit(), 2, {"ripe"})["ripe"], nullptr);  // Not known.
  EXPECT_EQ(RowJson(Fruit(), 0)["ripe"], 1);
  EXPECT_EQ(RowsJson(Fruit()).size(), 3U);
}

TEST(RowsTest, RowsOfANumberComeWithoutItsColumn) {
  EXPECT_EQ(RowsWhere(Fruit(), "n", 2, {"ripe"}).dump(),
            R"([{"name":null,"ripe":false,"weight":null},)"
            R"({"name":"sloe","ripe":null,"weight":0.25}])");
  EXPECT_TRUE(RowsWhere(Fruit(), "n", 3).empty());
  EXPECT_TRUE(RowsWhere(Fruit(), "colour", 1).empty());
}

TEST(RowsTest, ASpeedupComesBackAsItWasAdded) {
  Json row = Json::object();
  AddSpeedup(row, Speedup{2.0, Interval{1.5, 2.5}});
  EXPECT_EQ(row.dump(), R"({"speedup":2.0,"low":1.5,"high":2.5})");
  const auto whole = SpeedupIn(row);
  ASSERT_TRUE(whole && whole->interval);
  EXPECT_EQ(whole->ratio, 2.0);
  EXPECT_EQ(whole->interval->low, 1.5);
  EXPECT_EQ(whole->interval->high, 2.5);
  AddSpeedup(row, Speedup{3.0, std::nullopt});
  EXPECT_EQ(row.dump(), R"({"speedup":3.0,"low":null,"high":null})");
  EXPECT_FALSE(SpeedupIn(row)->interval);
  AddSpeedup(row, std::nullopt);
  EXPECT_EQ(row.dump(), R"({"speedup":null,"low":null,"high":null})");
  EXPECT_FALSE(SpeedupIn(row));
}

// The last character has two bytes, of which one would be left.
TEST(RowsTest, ALongTextIsCutBetweenCharacters) {
  const std::string text = std::string(999'999, 'x') + "\xC3\xA9";
  Json row = {{"log", text}, {"n", 7}};
  CutText(row, "log", "log_cut", false);
  EXPECT_EQ(row["log"].get<std::string>().size(), 999'999U);
  EXPECT_EQ(row["log_cut"], true);
  row["log"] = text;
  CutText(row, "log", "log_cut", true);
  EXPECT_EQ(row["log"], text);
  EXPECT_EQ(row["log_cut"], false);
  CutText(row, "n", "n_cut", false);
  CutText(row, "none", "none_cut", false);
  EXPECT_EQ(row["n"], 7);
  EXPECT_EQ(row["none_cut"], false);
  EXPECT_FALSE(row.contains("none"));
}

TEST(RowsTest, WhatIsNoUtf8IsReplaced) {
  const http::Answer answer = JsonAnswer({{"source", "a\xff"}}, 201);
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "{\"source\":\"a\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace coppice::inspector
