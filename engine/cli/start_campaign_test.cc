// What verbs that run campaigns share before any of them runs; running needs
// the program's own files, so tests/ does that.
#include "engine/cli/start_campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/campaign/display.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/cli_fixture.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

using engine::Surface;
using ::testing::HasSubstr;

TEST(StartCampaignTest, ANameIsOneThatATerminalShowsAsItIs) {
  for (const char* name : {"", "gemv.stark.s1", "my run, the 2nd", "Größe 7",
                           "\xE6\xB8\xAC\xE8\xA9\xA6"}) {
    EXPECT_TRUE(CheckCampaignName(name)) << name;
  }
  const std::string kBad[] = {
      "two\nlines",
      "tab\tbed",
      "\033[2J",
      "bell\a",
      "del\x7F",
      "right\xE2\x80\xAEleft",  // What follows is shown backwards.
      "zero\xE2\x80\x8Bwidth",
      "\x9B"
      "31m",
      std::string("nul\0", 4),
  };
  for (const std::string& name : kBad) {
    const auto checked = CheckCampaignName(name);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().code, Errc::kUsage);
    EXPECT_THAT(checked.error().what, HasSubstr("has control characters"));
  }
}

TEST(StartCampaignTest, ProgressIsShownAsAskedOrAsTheTerminalIs) {
  const auto surface = [](const char* wanted, bool is_terminal) {
    std::vector<std::string> words = {"gemv"};
    if (wanted != nullptr) words.insert(words.end(), {"--progress", wanted});
    return SurfaceOf(AsTyped(RunVerb(), words), is_terminal);
  };
  for (const char* automatic : {static_cast<const char*>(nullptr), "auto"}) {
    EXPECT_EQ(surface(automatic, true), Surface::kTerminal);
    EXPECT_EQ(surface(automatic, false), Surface::kPlain);
  }
  for (const bool is_terminal : {true, false}) {
    EXPECT_EQ(surface("terminal", is_terminal), Surface::kTerminal);
    EXPECT_EQ(surface("plain", is_terminal), Surface::kPlain);
    EXPECT_EQ(surface("none", is_terminal), Surface::kNone);
    EXPECT_EQ(surface("json", is_terminal), Surface::kJson);
  }
}

TEST(StartCampaignTest, WhoTellsOfManyAtOnceDoesNotDoSoAsJson) {
  const auto surface = [](const char* wanted) {
    return TextSurfaceOf(AsTyped(CompareVerb(), {"--progress", wanted}), true);
  };
  EXPECT_EQ(*surface("none"), Surface::kNone);
  EXPECT_EQ(*surface("auto"), Surface::kTerminal);
  const auto refused = surface("json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what,
              HasSubstr("expected auto, terminal, plain or none"));
}

class RunRefusalTest : public ::testing::Test, protected Rehearsal {};

TEST_F(RunRefusalTest, MistakesAreToldBeforeAFileIsMade) {
  const std::string db = File("new.db").string();
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--db", db});
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage) << said.err;
    EXPECT_EQ(said.out, "");
    return said.err;
  };
  EXPECT_THAT(error({"run"}), HasSubstr("missing TASK"));
  EXPECT_EQ(error({"run", "gemv", "gemm_square", "--name", "mine"}),
            "coppice run: --name mine: names one campaign, but 2 tasks are "
            "given\n");
  EXPECT_THAT(error({"run", "gemv", "--name", "a\033b"}),
              HasSubstr("--name a?b: has control characters"));
  EXPECT_THAT(error({"run", "gemv", "--progress", "loud"}),
              HasSubstr("--progress loud: expected auto, terminal, plain, none "
                        "or json"));
  EXPECT_THAT(error({"bench", "--subset", "representative"}),
              HasSubstr("--subset: is of KernelBench's problems"));
  EXPECT_FALSE(std::filesystem::exists(db));
}

}  // namespace
}  // namespace coppice::cli
