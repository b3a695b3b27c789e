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

// What somebody gives as an argument is a word of the text and nothing more.
TEST(PromptsTest, AHostileArgumentStaysAnArgument) {
  const auto text_of = [](const std::string& node) {
    const auto prompt = GetPrompt("debug", {{"node", node}});
    return prompt->at("messages")[0]
        .at("content")
        .at("text")
        .get<std::string>();
  };
  EXPECT_THAT(text_of("7"), HasSubstr("why node 7 of the coppice campaign "));
  EXPECT_THAT(text_of("{campaign}{node}{"),
              HasSubstr("node {campaign}{node}{"));
  EXPECT_THAT(text_of("\x1b[31m7\x1b[0m"), HasSubstr("node 7 of"));
  EXPECT_THAT(text_of("7\xff"), HasSubstr("node 7\xef\xbf\xbd of"));
  EXPECT_THAT(text_of(""), HasSubstr("node  of"));
  EXPECT_THAT(text_of(std::string(100'000, 'x')),
              HasSubstr(std::string(100'000, 'x')));
}

// No mark is left where every argument is given, and one that there is not is
// passed over.
TEST(PromptsTest, EveryPromptIsFilledByItsOwnArguments) {
  const auto list = PromptList();
  for (const auto& prompt : list.at("prompts")) {
    std::map<std::string, std::string, std::less<>> arguments = {
        {"no_such_word", "zzz"}};
    for (const auto& word : prompt.at("arguments")) {
      EXPECT_FALSE(word.at("description").get<std::string>().empty());
      arguments[word.at("name").get<std::string>()] = "given";
    }
    const auto filled =
        GetPrompt(prompt.at("name").get<std::string>(), arguments);
    ASSERT_TRUE(filled);
    const auto text =
        filled->at("messages")[0].at("content").at("text").get<std::string>();
    EXPECT_THAT(text, AllOf(HasSubstr("given"), Not(HasSubstr("zzz")),
                            Not(HasSubstr("{")), Not(HasSubstr("}"))));
  }
}

TEST(PromptsTest, AnUnknownPromptIsNamedWithoutItsControls) {
  const auto unknown = GetPrompt("\x1b[2Jexplain", {{"campaign", "a"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::kNotFound);
  EXPECT_EQ(unknown.error().what,
            "no prompt 'explain'; there are optimise, explain, debug");
}

}  // namespace
}  // namespace coppice::mcp
