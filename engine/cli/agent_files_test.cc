#include "engine/cli/agent_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace coppice::cli {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const AgentEntry kEntry{"/opt/coppice", {"mcp", "--db", "/x/a \"b\".db"}};

TEST(AgentFilesTest, OursIsAddedAndOthersStay) {
  const std::string others =
      R"({"b": 1.50, "mcpServers": {"z": {"command": "z"}}, "a": [null]})";
  const auto with = WithServerInJson(others, kEntry);
  ASSERT_TRUE(with);
  const auto document = ordered_json::parse(*with);
  EXPECT_EQ(document.at("mcpServers").at("z").at("command"), "z");
  EXPECT_EQ(document.at("mcpServers").at("coppice").at("args")[2],
            "/x/a \"b\".db");
  EXPECT_EQ(document.at("b"), 1.5);
  // Again it is the same, and undone what it was.
  EXPECT_EQ(*WithServerInJson(*with, kEntry), *with);
  EXPECT_EQ(ordered_json::parse(*WithoutServerInJson(*with)),
            ordered_json::parse(others));
}

TEST(AgentFilesTest, OursIsBroughtUpToDateWithWhatTheUserAdded) {
  const auto with = WithServerInJson(
      R"({"mcpServers": {"coppice": {"command": "/old/coppice",)"
      R"( "args": ["mcp"], "env": {"CUDA_VISIBLE_DEVICES": "1"}}}})",
      kEntry);
  const auto ours = ordered_json::parse(*with).at("mcpServers").at("coppice");
  EXPECT_EQ(ours.at("command"), "/opt/coppice");
  EXPECT_EQ(ours.at("env").at("CUDA_VISIBLE_DEVICES"), "1");
}

TEST(AgentFilesTest, AFileThatHadNothingElseIsLeftEmpty) {
  EXPECT_EQ(*WithoutServerInJson(*WithServerInJson("", kEntry)), "");
  EXPECT_EQ(*WithoutServerInToml(*WithServerInToml("", kEntry)), "");
}

TEST(AgentFilesTest, AnothersServerOfOurNameIsNeverTouched) {
  const char* json = R"({"mcpServers": {"coppice": {"command": "gardening"}}})";
  for (const auto& refused :
       {WithServerInJson(json, kEntry), WithoutServerInJson(json)}) {
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("not this program's"));
  }
  const char* toml =
      "[mcp_servers.coppice]\ncommand = \"gardening\"\nargs = [\"mcp\"]\n";
  for (const auto& refused :
       {WithServerInToml(toml, kEntry), WithoutServerInToml(toml)}) {
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().what, HasSubstr("not this program's"));
  }
}

TEST(AgentFilesTest, WhatCannotBeReadIsNotWrittenAnew) {
  const struct {
    const char* text;
    const char* why;
  } kJson[] = {
      {"{", "is no JSON without comments"},
      {"// a comment\n{}", "is no JSON without comments"},
      {"[]", "is no object with objects in mcpServers"},
      {R"({"mcpServers": []})", "is no object with objects in mcpServers"},
  };
  for (const auto& [text, why] : kJson) {
    EXPECT_EQ(WithServerInJson(text, kEntry).error().what, why) << text;
    EXPECT_EQ(WithoutServerInJson(text).error().what, why) << text;
  }
  const struct {
    const char* text;
    const char* why;
  } kToml[] = {
      {"mcp_servers = { a = {} }\n",
       "says mcp_servers in a way that is left to you"},
      {"mcp_servers.coppice.command = \"x\"\n",
       "says mcp_servers in a way that is left to you"},
      {"a = 1\n[mcp_servers.z\n", "line 2 is no TOML, a heading without its ]"},
  };
  for (const auto& [text, why] : kToml) {
    EXPECT_EQ(WithServerInToml(text, kEntry).error().what, why) << text;
    EXPECT_EQ(WithoutServerInToml(text).error().what, why) << text;
  }
}

// Without one of the two it starts nothing that this program would know.
TEST(AgentFilesTest, AServerIsOursByItsCommandAndItsFirstArgument) {
  const char* const kOthers[] = {
      "command = \"coppice\"\n",
      "args = [\"mcp\"]\n",
      "command = \"coppice\"\nargs = []\n",
      "command = \"coppice\"\nargs = [\"run\"]\n",
      "command = \"coppice\"\nargs = \"mcp\"\n",
      "command = [\"coppice\"]\nargs = [\"mcp\"]\n",
      "command = \"/opt/coppice/other\"\nargs = [\"mcp\"]\n",
      "[mcp_servers.coppice.env]\ncommand = \"coppice\"\nargs = [\"mcp\"]\n",
  };
  for (const char* lines : kOthers) {
    const std::string text = "[mcp_servers.coppice]\n" + std::string(lines);
    const auto refused = WithoutServerInToml(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().what, HasSubstr("not this program's"));
  }
  EXPECT_EQ(*WithoutServerInToml("[mcp_servers.coppice]\n"
                                 "command = \"/x/coppice\"\n"
                                 "args = [\"mcp\", \"--db\", \"y.db\"]\n"),
            "");
}

// Other editors indent, quote keys, and end lines as Windows does.
TEST(AgentFilesTest, TomlMayBeSpacedAsItsUserLikes) {
  EXPECT_EQ(*WithoutServerInToml("[a]\r\n"
                                 "b = 1\r\n"
                                 "[ mcp_servers . 'coppice' ]  # ours\r\n"
                                 "\tcommand\t=\t\"coppice\"\r\n"
                                 "  args  =  [ \"mcp\" ]\r\n"),
            "[a]\r\nb = 1\r\n");
}

TEST(AgentFilesTest, TomlThatIsNoUtf8IsLeftAlone) {
  const char* latin1 = "model = \"m\"\n# na\xEFve\n";
  for (const auto& refused :
       {WithServerInToml(latin1, kEntry), WithoutServerInToml(latin1)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::kUsage);
    EXPECT_EQ(refused.error().what, "line 2 is no TOML, which is UTF-8");
  }
}

TEST(AgentFilesTest, TomlKeepsItsOtherLines) {
  const std::string others =
      "model = \"m\"  # mine\n"
      "\n"
      "[mcp_servers.z]\n"
      "command = \"z\"\n";
  const auto with = WithServerInToml(others, kEntry);
  EXPECT_EQ(*with, others +
                       "\n"
                       "[mcp_servers.coppice]\n"
                       "command = \"/opt/coppice\"\n"
                       "args = [\"mcp\", \"--db\", \"/x/a \\\"b\\\".db\"]\n");
  EXPECT_EQ(*WithServerInToml(*with, kEntry), *with);
  EXPECT_EQ(*WithoutServerInToml(*with), others);
}

TEST(AgentFilesTest, TomlOfOursKeepsWhatTheUserAdded) {
  const std::string before =
      "[mcp_servers.\"coppice\"]\n"
      "args = [\"mcp\"]\n"
      "command = \"coppice\"\n"
      "tool_timeout_sec = 120\n"
      "[mcp_servers.coppice.env]\n"
      "A = \"1\"\n"
      "[other]\n"
      "b = 2\n";
  EXPECT_THAT(*WithServerInToml(before, kEntry),
              AllOf(HasSubstr("command = \"/opt/coppice\"\n"
                              "tool_timeout_sec = 120\n"),
                    HasSubstr("A = \"1\"\n[other]\nb = 2\n")));
  EXPECT_EQ(*WithoutServerInToml(before), "[other]\nb = 2\n");
}

TEST(AgentFilesTest, ASealTellsWhetherASkillWasChanged) {
  const std::string sealed = Sealed("# A skill\n");
  EXPECT_TRUE(IsAsSealed(sealed));
  EXPECT_FALSE(IsAsSealed("# A skill\n"));
  EXPECT_FALSE(IsAsSealed("# My skill\n" + sealed.substr(10)));
  EXPECT_FALSE(IsAsSealed(sealed + "more\n"));
  EXPECT_FALSE(IsAsSealed(""));
}

}  // namespace
}  // namespace coppice::cli
