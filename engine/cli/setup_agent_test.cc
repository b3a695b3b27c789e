#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/agent_files.h"
#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char* kOptimise = "---\nname: coppice-optimise\n---\nGo.\n";
constexpr const char* kInspect = "---\nname: coppice-inspect\n---\nLook.\n";

// A project in the folder "p", and two skills that the program came with.
class SetupAgentTest : public ::testing::Test, protected Rehearsal {
 protected:
  SetupAgentTest() {
    surroundings.data_directory = File("data");
    Put("data/skills/coppice-optimise/SKILL.md", kOptimise);
    Put("data/skills/coppice-inspect/SKILL.md", kInspect);
    fs::create_directories(File("p"));
  }
  Said SetUpAgents(std::vector<std::string> words) {
    words.insert(words.begin(), "setup-agent");
    words.insert(words.end(), {"--directory", File("p").string()});
    return Say(words);
  }
  std::string Text(const std::string& name) const {
    return ReadBack(File("p/" + name));
  }
  // The project's files, by their names in it.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(File("p"))) {
      files.push_back(fs::relative(entry.path(), File("p")).string() +
                      (entry.is_directory() ? "/" : ""));
    }
    std::ranges::sort(files);
    return files;
  }
};

TEST_F(SetupAgentTest, WritesTheServerAndTheSkills) {
  const Said said = SetUpAgents({"--claude"});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(Files(), ElementsAre(".claude/", ".claude/skills/",
                                   ".claude/skills/coppice-inspect/",
                                   ".claude/skills/coppice-inspect/SKILL.md",
                                   ".claude/skills/coppice-optimise/",
                                   ".claude/skills/coppice-optimise/SKILL.md",
                                   ".mcp.json"));
  const auto server =
      nlohmann::json::parse(Text(".mcp.json")).at("mcpServers").at("coppice");
  EXPECT_EQ(server.at("args"), (nlohmann::json{"mcp", "--db", Path()}));
  EXPECT_TRUE(fs::path(server.at("command")).is_absolute());
  EXPECT_EQ(Text(".claude/skills/coppice-optimise/SKILL.md"),
            Sealed(kOptimise));
  const std::string top = fs::canonical(File("p")).string();
  EXPECT_EQ(said.out,
            "wrote   " + top + "/.mcp.json (server coppice)\n" + "wrote   " +
                top + "/.claude/skills/coppice-optimise/SKILL.md (skill)\n" +
                "wrote   " + top +
                "/.claude/skills/coppice-inspect/SKILL.md (skill)\n" +
                "Claude Code: start `claude` here, and allow the server "
                "once\n");
}

TEST_F(SetupAgentTest, ADatabaseIsNamedFromTheRoot) {
  const Said said = SayBare({"setup-agent", "--claude", "--directory",
                             File("p").string(), "--db", "below/../mine.db"});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  const std::string db = nlohmann::json::parse(
      Text(".mcp.json"))["mcpServers"]["coppice"]["args"][2];
  EXPECT_EQ(db, (fs::current_path() / "mine.db").string());
}

// What the test program is called is not "coppice": so the file is another's to
// it, and is told apart from one that nobody changed.
TEST_F(SetupAgentTest, DoneAgainEverythingIsAsItIs) {
  ASSERT_EQ(SetUpAgents({"--cursor"}).exit, Exit::kDone);
  const std::string skill = ".cursor/skills/coppice-inspect/SKILL.md";
  const auto written = fs::last_write_time(File("p/" + skill));
  fs::remove(File("p/.cursor/mcp.json"));
  const Said again = SetUpAgents({"--cursor"});
  ASSERT_EQ(again.exit, Exit::kDone) << again.err;
  EXPECT_THAT(again.out, HasSubstr("as is   "));
  EXPECT_THAT(again.out, HasSubstr("wrote   "));
  EXPECT_EQ(fs::last_write_time(File("p/" + skill)), written);
}

TEST_F(SetupAgentTest, ASkillThatIsNewerHereReplacesTheOld) {
  ASSERT_EQ(SetUpAgents({"--cursor"}).exit, Exit::kDone);
  fs::remove(File("p/.cursor/mcp.json"));
  Put("data/skills/coppice-inspect/SKILL.md", "Look twice.\n");
  ASSERT_EQ(SetUpAgents({"--cursor"}).exit, Exit::kDone);
  EXPECT_EQ(Text(".cursor/skills/coppice-inspect/SKILL.md"),
            Sealed("Look twice.\n"));
}

TEST_F(SetupAgentTest, WhatSomebodyChangedIsLeftToThem) {
  const std::string skill = ".agents/skills/coppice-inspect/SKILL.md";
  Put("p/" + skill, "My own words.\n");
  const Said said = SetUpAgents({"--codex"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out,
              HasSubstr("left    " + fs::canonical(File("p")).string() + "/" +
                        skill + " (skill): it is not as it was made here\n"));
  EXPECT_EQ(Text(skill), "My own words.\n");
  fs::remove_all(File("p/.codex"));
  EXPECT_THAT(SetUpAgents({"--codex", "--undo"}).out,
              AllOf(HasSubstr("left    "), HasSubstr("removed ")));
  EXPECT_THAT(Files(), ElementsAre(".agents/", ".agents/skills/",
                                   ".agents/skills/coppice-inspect/", skill));
}

TEST_F(SetupAgentTest, UndoneNothingIsLeft) {
  ASSERT_EQ(SetUpAgents({"--claude", "--codex", "--cursor"}).exit, Exit::kDone);
  // As the program itself would have written it.
  const AgentEntry entry{"/usr/bin/coppice", {"mcp", "--db", "/x.db"}};
  Put("p/.mcp.json", store::Must(WithServerInJson("", entry)));
  Put("p/.cursor/mcp.json", store::Must(WithServerInJson("", entry)));
  Put("p/.codex/config.toml", store::Must(WithServerInToml("", entry)));
  const Said said = SetUpAgents({"--claude", "--codex", "--cursor", "--undo"});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 9);
  EXPECT_THAT(said.out, StartsWith("removed "));
  // Where nothing is, nothing is to be done.
  EXPECT_THAT(SetUpAgents({"--claude", "--undo"}).out, StartsWith("as is   "));
}

TEST_F(SetupAgentTest, WhatElseAProjectHasStays) {
  Put("p/.mcp.json", R"({"mcpServers": {"z": {"command": "z"}}, "a": 1})");
  Put("p/.claude/settings.json", "{}\n");
  ASSERT_EQ(SetUpAgents({"--claude"}).exit, Exit::kDone);
  const auto both = nlohmann::json::parse(Text(".mcp.json"));
  EXPECT_EQ(both["mcpServers"]["z"]["command"], "z");
  EXPECT_EQ(both["a"], 1);
  EXPECT_EQ(Text(".claude/settings.json"), "{}\n");
}

TEST_F(SetupAgentTest, ARehearsalWritesNothing) {
  const Said said = SetUpAgents({"--codex", "--cursor", "--dry-run"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(Files(), IsEmpty());
  EXPECT_THAT(said.out, StartsWith("would write "));
  EXPECT_THAT(said.out, HasSubstr("/.codex/config.toml (server coppice)\n"));
  EXPECT_THAT(said.out, HasSubstr("Codex: start `codex` here"));
  ASSERT_EQ(SetUpAgents({"--cursor"}).exit, Exit::kDone);
  const auto before = Files();
  fs::remove(File("p/.cursor/mcp.json"));
  EXPECT_THAT(SetUpAgents({"--cursor", "--undo", "--dry-run"}).out,
              HasSubstr("would remove "));
  EXPECT_EQ(Files().size() + 1, before.size());
}

// All is known to be possible before anything is written.
TEST_F(SetupAgentTest, WhereOneFileIsRefusedNoneIsWritten) {
  const std::string kToml = "[mcp_servers.coppice\n";
  Put("p/.codex/config.toml", kToml);
  const Said said = SetUpAgents({"--claude", "--codex", "--cursor"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("/.codex/config.toml: line 1 is no TOML, a "
                                  "heading without its ]; nothing was changed; "
                                  "its command is: "));
  EXPECT_THAT(said.err, HasSubstr(" mcp --db " + Path() + "\n"));
  EXPECT_THAT(Files(), ElementsAre(".codex/", ".codex/config.toml"));
  EXPECT_EQ(Text(".codex/config.toml"), kToml);
}

TEST_F(SetupAgentTest, AServerOfThatNameThatIsAnothersIsRefused) {
  Put("p/.mcp.json",
      R"({"mcpServers": {"coppice": {"command": "gardening"}}})");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--claude"}, {"--claude", "--undo"}}) {
    const Said said = SetUpAgents(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_THAT(said.err, HasSubstr("is not this program's"));
  }
  EXPECT_THAT(Files(), ElementsAre(".mcp.json"));
}

// A project may come from a stranger, and a link in it lead to the user's own.
TEST_F(SetupAgentTest, NothingIsWrittenThroughALinkThatLeadsOut) {
  fs::create_directories(File("home/.claude"));
  fs::create_directory_symlink(File("home/.claude"), File("p/.claude"));
  const Said said = SetUpAgents({"--claude"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err,
              HasSubstr("leads out of the folder, to " +
                        fs::canonical(File("home/.claude")).string()));
  EXPECT_TRUE(fs::is_empty(File("home/.claude")));
  EXPECT_FALSE(fs::exists(File("p/.mcp.json")));
  // One that stays inside is the project's affair.
  fs::remove(File("p/.claude"));
  fs::create_directories(File("p/tools"));
  fs::create_directory_symlink(File("p/tools"), File("p/.claude"));
  EXPECT_EQ(SetUpAgents({"--claude"}).exit, Exit::kDone);
  EXPECT_TRUE(fs::exists(File("p/tools/skills/coppice-inspect/SKILL.md")));
}

TEST_F(SetupAgentTest, AFileWhereAFolderHasToBeIsRefused) {
  Put("p/.cursor", "no folder\n");
  const Said said = SetUpAgents({"--cursor"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(Text(".cursor"), "no folder\n");
}

TEST_F(SetupAgentTest, MistakesAreTold) {
  EXPECT_EQ(Say({"setup-agent"}).err,
            "coppice setup-agent: say which agent: --claude, --codex or "
            "--cursor, or several\n");
  EXPECT_EQ(
      Say({"setup-agent", "--claude", "--directory", File("no").string()}).err,
      "coppice setup-agent: " + File("no").string() + ": is no folder\n");
  EXPECT_EQ(Say({"setup-agent", "--claude", "--directory", Path()}).err,
            "coppice setup-agent: " + Path() + ": is no folder\n");
  fs::remove_all(File("data"));
  const Said without = SetUpAgents({"--claude"});
  EXPECT_NE(without.exit, Exit::kDone);
  EXPECT_THAT(without.err, HasSubstr("SKILL.md"));
  EXPECT_THAT(Files(), IsEmpty());
}

}  // namespace
}  // namespace coppice::cli
