#include "engine/mcp/outgoing.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace coppice::mcp {
namespace {

using Json = nlohmann::ordered_json;

Incoming Request(const std::string& id, bool is_modern) {
  Incoming request;
  request.method = "tools/list";
  request.id = id;
  if (is_modern) request.version = std::string(kModern);
  return request;
}

TEST(OutgoingTest, AnIdGoesBackAsItCame) {
  for (const char* id : {"7", "\"7\"", "-1", "\"a b\""}) {
    EXPECT_EQ(Json::parse(ResultLine(Request(id, false), {{"a", 1}}))["id"],
              Json::parse(id));
  }
  EXPECT_EQ(ResultLine(Request("7", false), {{"a", 1}}),
            R"({"jsonrpc":"2.0","id":7,"result":{"a":1}})");
}

TEST(OutgoingTest, AModernResultSaysThatItIsWholeAndHowLongItHolds) {
  const auto result = [](Keep keep) -> Json {
    return Json::parse(
        ResultLine(Request("1", true), Json::object(), keep))["result"];
  };
  EXPECT_EQ(result(Keep::kUnsaid)["resultType"], "complete");
  EXPECT_FALSE(result(Keep::kUnsaid).contains("ttlMs"));
  EXPECT_EQ(result(Keep::kNot)["ttlMs"], 0);
  EXPECT_EQ(result(Keep::kMinutes)["ttlMs"], 300'000);
  EXPECT_EQ(result(Keep::kMinutes)["cacheScope"], "private");
  EXPECT_EQ(
      result(Keep::kNot)["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
      "coppice");
}

TEST(OutgoingTest, AnErrorWithoutARequestHasNoId) {
  EXPECT_EQ(ErrorLine({-32700, "no JSON", ""}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no JSON"}})");
  EXPECT_EQ(Json::parse(ErrorLine({-32600, "no", "\"a\""}))["id"], "a");
}

TEST(OutgoingTest, AnUnknownVersionIsToldThoseThatThereAre) {
  Incoming request = Request("1", true);
  request.version = "1999-01-01";
  const Json error = Json::parse(VersionErrorLine(request))["error"];
  EXPECT_EQ(error["data"]["requested"], "1999-01-01");
  EXPECT_EQ(error["data"]["supported"], Json::array({std::string(kModern)}));
  EXPECT_TRUE(IsLegacyVersion(kNewestLegacy));
  EXPECT_TRUE(IsLegacyVersion("2024-11-05"));
  EXPECT_FALSE(IsLegacyVersion(kModern));
  EXPECT_FALSE(IsLegacyVersion(""));
}

TEST(OutgoingTest, ProgressNamesItsTokenAndAMessageIfThereIsOne) {
  EXPECT_EQ(ProgressLine("3", {2.0, "timing"}),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
            R"({"progressToken":3,"progress":2.0,"message":"timing"}})");
  EXPECT_FALSE(
      Json::parse(ProgressLine("\"t\"", {1.0}))["params"].contains("message"));
}

TEST(OutgoingTest, WhateverATextHoldsItIsOneLine) {
  EXPECT_EQ(LineText({{"a", "x\ny\xff"}}), "{\"a\":\"x\\ny\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace coppice::mcp
