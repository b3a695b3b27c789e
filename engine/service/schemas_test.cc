#include "engine/service/schemas.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/service/json.h"
#include "store/records/verdict.h"

namespace coppice::service {
namespace {

TEST(SchemasTest, AnObjectHasItsPropertiesAndNoOthers) {
  const Json schema = Json::parse(ObjectSchema(
      Listed({Member("a", kText), Member("n", kCountOrNull)}), R"("a")"));
  EXPECT_EQ(schema["type"], "object");
  EXPECT_EQ(schema["properties"]["a"]["type"], "string");
  EXPECT_EQ(schema["properties"]["n"]["type"],
            Json::parse(R"(["integer","null"])"));
  EXPECT_EQ(schema["required"], Json::parse(R"(["a"])"));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_FALSE(Json::parse(ObjectSchema("")).contains("required"));
}

TEST(SchemasTest, APartAlwaysHasAllOfItsProperties) {
  const Json part =
      Json::parse(PartSchema("Line", {{"name", kText}, {"size", kCount}}));
  EXPECT_EQ(part["title"], "Line");
  EXPECT_EQ(part["required"], Json::parse(R"(["name","size"])"));
  EXPECT_EQ(part["properties"].size(), 2U);
  const Json list = Json::parse(ListOf(part.dump()));
  EXPECT_EQ(list["type"], "array");
  EXPECT_EQ(list["items"], part);
}

TEST(SchemasTest, VerdictsAreThoseThatThereAre) {
  const Json schema = Json::parse(kVerdict);
  ASSERT_EQ(schema["enum"].size(), kVerdictNames.size());
  for (std::size_t i = 0; i < kVerdictNames.size(); ++i) {
    EXPECT_EQ(schema["enum"][i], std::string(kVerdictNames[i]));
  }
}

TEST(SchemasTest, WhatSeveralOperationsHaveIsSoundJson) {
  for (const std::string_view properties :
       {kTaskProperty, kKernelProperties, kWaitProperty, kJobProperties}) {
    EXPECT_TRUE(Json::accept(ObjectSchema(properties))) << properties;
  }
  EXPECT_EQ(Listed({}), "");
  EXPECT_EQ(Listed({"a"}), "a");
  EXPECT_EQ(Listed({"a", "b"}), "a,b");
}

}  // namespace
}  // namespace coppice::service
