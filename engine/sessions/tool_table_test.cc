#include "engine/sessions/tool_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::sessions {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const service::Operation& ToolOf(Role role, std::string_view name) {
  for (const service::Operation& tool : ToolsFor(role)) {
    if (tool.name == name) return tool;
  }
  ADD_FAILURE() << name;
  return ToolsFor(role)[0];
}

TEST(ToolTableTest, EveryToolHasASoundSchemaAndWords) {
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    std::vector<std::string> names;
    for (const service::Operation& tool : ToolsFor(role)) {
      names.emplace_back(tool.name);
      EXPECT_EQ(json::parse(tool.request_schema)["type"], "object");
      EXPECT_EQ(json::parse(tool.result_schema)["type"], "object");
      EXPECT_FALSE(tool.title.empty());
      EXPECT_FALSE(tool.description.empty());
    }
    EXPECT_THAT(names,
                ::testing::ElementsAre("evaluate_kernel", "profile_kernel",
                                       "sanitize_kernel", "get_node", "diff",
                                       "transcript", "hand_in"));
  }
}

// The task is the attempt's, and how long is waited is ours.
TEST(ToolTableTest, NoToolTakesATaskOrAWait) {
  for (const service::Operation& tool : ToolsFor(Role::kCode)) {
    const json properties = json::parse(tool.request_schema)["properties"];
    EXPECT_FALSE(properties.contains("task")) << tool.name;
    EXPECT_FALSE(properties.contains("wait_s")) << tool.name;
    EXPECT_FALSE(properties.contains("campaign")) << tool.name;
  }
}

TEST(ToolTableTest, OnlyHandingInChangesAnything) {
  for (const service::Operation& tool : ToolsFor(Role::kCode)) {
    EXPECT_EQ(tool.effects.read_only, tool.name != "hand_in") << tool.name;
  }
}

TEST(ToolTableTest, WhatIsHandedInIsOfTheRole) {
  const json plan = json::parse(ToolOf(Role::kPlan, "hand_in").request_schema);
  EXPECT_EQ(plan["required"], json::array({"answer"}));
  for (const Role role : {Role::kCode, Role::kDebug}) {
    const json kernel = json::parse(ToolOf(role, "hand_in").request_schema);
    EXPECT_TRUE(kernel["properties"].contains("source"));
    EXPECT_TRUE(kernel["properties"].contains("path"));
  }
  EXPECT_THAT(std::string(ToolOf(Role::kPlan, "hand_in").title),
              HasSubstr("plan"));
}

// A timed judgement of the full tier is the campaign's, not the agent's.
TEST(ToolTableTest, AnAgentChecksAndTimesButProvesNothing) {
  const json schema =
      json::parse(ToolOf(Role::kCode, "evaluate_kernel").request_schema);
  EXPECT_EQ(schema["properties"]["tier"]["enum"],
            json::array({"check", "fast"}));
}

// Agents of models that are weak in JSON are held to it by their client.
TEST(ToolTableTest, NoToolTakesWhatItsSchemaDoesNotName) {
  for (const Role role : {Role::kPlan, Role::kCode}) {
    for (const service::Operation& tool : ToolsFor(role)) {
      const json schema = json::parse(tool.request_schema);
      EXPECT_EQ(schema["additionalProperties"], false) << tool.name;
      for (const json& name : schema.value("required", json::array())) {
        EXPECT_TRUE(schema["properties"].contains(name)) << tool.name;
      }
      EXPECT_EQ(tool.answer, nullptr) << tool.name;
    }
  }
}

// A source is at most so long, and a path is no way around that.
TEST(ToolTableTest, AKernelIsGivenAsTextOrAsAFileOfTheFolder) {
  for (const std::string_view name :
       {"evaluate_kernel", "profile_kernel", "sanitize_kernel", "diff"}) {
    const json schema = json::parse(ToolOf(Role::kCode, name).request_schema);
    EXPECT_EQ(schema["properties"]["source"]["maxLength"], 262144) << name;
    EXPECT_EQ(schema["properties"]["path"]["type"], "string") << name;
    EXPECT_FALSE(schema.contains("required")) << name;
  }
}

}  // namespace
}  // namespace coppice::sessions
