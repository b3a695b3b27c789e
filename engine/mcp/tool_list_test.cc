#include "engine/mcp/tool_list.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/mcp/test_operations.h"

namespace coppice::mcp {
namespace {

TEST(ToolListTest, AnOperationIsAToolWithAllFourHints) {
  const auto tools = ToolList(kTestOperations).at("tools");
  ASSERT_EQ(tools.size(), kTestOperations.size());
  EXPECT_EQ(tools[0].at("name"), "echo");
  EXPECT_EQ(tools[0].at("title"), "Say it again");
  EXPECT_EQ(nlohmann::json(tools[0].at("inputSchema").at("required")),
            nlohmann::json::array({"word"}));
  EXPECT_EQ(tools[0].at("outputSchema").at("type"), "object");
  const auto& hints = tools[0].at("annotations");
  EXPECT_EQ(hints.at("readOnlyHint"), true);
  EXPECT_EQ(hints.at("destructiveHint"), false);
  EXPECT_EQ(hints.at("idempotentHint"), true);
  EXPECT_EQ(hints.at("openWorldHint"), false);
  EXPECT_EQ(tools[1].at("annotations").at("openWorldHint"), true);
}

// A schema that is no JSON would end whoever lists tools.
TEST(ToolListTest, AToolIsListedInTheOrderOfTheTable) {
  const auto tools = ToolList(kTestOperations).at("tools");
  for (std::size_t i = 0; i < tools.size(); ++i) {
    EXPECT_EQ(tools[i].at("name"), std::string(kTestOperations[i].name));
    EXPECT_EQ(tools[i].at("description"),
              std::string(kTestOperations[i].description));
    EXPECT_TRUE(tools[i].at("inputSchema").is_object());
    EXPECT_TRUE(tools[i].at("outputSchema").is_object());
    EXPECT_EQ(tools[i].at("annotations").at("title"), tools[i].at("title"));
  }
  EXPECT_TRUE(ToolList({}).at("tools").is_array());
  EXPECT_TRUE(ToolList({}).at("tools").empty());
}

}  // namespace
}  // namespace coppice::mcp
