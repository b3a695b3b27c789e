#include "engine/mcp/prompts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace coppice::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PromptsTest, EachSaysItsArguments) {
  const auto prompts = PromptList().at("prompts");
  ASSERT_EQ(prompts.size(), 3U);
  EXPECT_EQ(prompts[0].at("name"), "optimise");
  EXPECT_EQ(prompts[0].at("arguments")[0].at("required"), true);
  EXPECT_EQ(prompts[0].at("arguments")[1].at("required"), false);
}

TEST(PromptsTest, ArgumentsAreFilledIn) {
  const auto prompt = GetPrompt("optimise", {{"task", "l1_{minutes}"}});
  const auto text =
      prompt->at("messages")[0].at("content").at("text").get<std::string>();
  // What an argument says is not filled in again.
  EXPECT_THAT(text, AllOf(HasSubstr("task l1_{minutes} faster"),
                          HasSubstr("within 30 minutes")));
}

TEST(PromptsTest, EveryArgumentThatIsMissingIsNamed) {
  EXPECT_EQ(GetPrompt("debug", {}).error().what, "node: is missing");
  EXPECT_THAT(GetPrompt("optimize", {}).error().what,
              HasSubstr("optimise, explain, debug"));
}

}  // namespace
}  // namespace coppice::mcp
