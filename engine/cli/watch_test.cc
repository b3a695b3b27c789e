#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WatchTest : public ::testing::Test, protected Rehearsal {};

// Node 3 takes 1 s of the root's 4, 1 takes 2 s, and 2 crashed.
TEST_F(WatchTest, PrintsOnePictureWhereTheOutputIsNoTerminal) {
  const Said said = Say({"watch"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, HasSubstr("a  interrupted\n"));
  EXPECT_THAT(said.out, HasSubstr("attempts 3/100"));
  EXPECT_THAT(said.out, HasSubstr("best 4x (too few rounds) at node 3"));
  EXPECT_THAT(said.out, HasSubstr("\n  1  node 3  4x (?)"));
  EXPECT_THAT(said.out, HasSubstr("verdicts: 2 passed, 1 crashed\n"));
  EXPECT_THAT(said.out, HasSubstr("spent: $1.50"));
  EXPECT_THAT(said.out, Not(HasSubstr("\033")));
  EXPECT_EQ(said.err, "");
}

TEST_F(WatchTest, HasBlocksOnlyWhereTheLocaleHasThem) {
  EXPECT_THAT(Say({"watch", "--once"}).out, Not(HasSubstr("▁")));
  surroundings.environment["LANG"] = "en_US.UTF-8";
  EXPECT_THAT(Say({"watch", "--once"}).out, HasSubstr("▁"));
  surroundings.environment["LC_ALL"] = "C";
  EXPECT_THAT(Say({"watch", "--once"}).out, Not(HasSubstr("▁")));
}

TEST_F(WatchTest, ATerminalThatCannotMoveItsCursorGetsOnePicture) {
  terminal = true;
  surroundings.environment["TERM"] = "dumb";
  EXPECT_THAT(Say({"watch"}).out, HasSubstr("attempts 3/100"));
}

TEST_F(WatchTest, SeveralCampaignsAreATableAndOneOfThemByItsName) {
  store::Plant(database(), "other");
  EXPECT_THAT(Say({"watch"}).out, HasSubstr("2 campaigns\n"));
  EXPECT_THAT(Say({"watch", "oth"}).out, HasSubstr("other  interrupted\n"));
}

TEST_F(WatchTest, WhatIsNotThereIsAMistakeOfTheUsers) {
  const Said unknown = Say({"watch", "b"});
  EXPECT_EQ(unknown.exit, Exit::kUsage);
  EXPECT_THAT(unknown.err, HasSubstr("no campaign 'b'"));
  const Said missing = SayBare({"watch", "--db", File("missing.db").string()});
  EXPECT_EQ(missing.exit, Exit::kUsage);
  EXPECT_FALSE(std::filesystem::exists(File("missing.db")));
  store::NewFile(File("new.db"));
  const Said empty = SayBare({"watch", "--db", File("new.db").string()});
  EXPECT_EQ(empty.exit, Exit::kUsage);
  EXPECT_THAT(empty.err, HasSubstr("holds no campaign yet"));
}

TEST_F(WatchTest, ChangesNothing) {
  const auto before = store::Rows(database(), "SELECT count(*) FROM event");
  Say({"watch"});
  EXPECT_EQ(store::Rows(database(), "SELECT count(*) FROM event"), before);
}

class WatchFinishedTest : public WatchTest {
 protected:
  WatchFinishedTest() {
    Install();
    terminal = true;
    surroundings.environment["TERM"] = "xterm";
    SayIn("new.db", {"run", "sim:basic", "--budget", "1", "--cap-usd", "5",
                     "--progress", "none", "--name", "c"});
  }
};

// Nothing more will come: there is no reason to take the terminal.
TEST_F(WatchFinishedTest, WhatIsFinishedIsPrintedOnATerminalToo) {
  const Said said = SayIn("new.db", {"watch"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, HasSubstr("finished"));
  EXPECT_THAT(said.out, HasSubstr("attempts 1/1"));
  EXPECT_THAT(said.out, HasSubstr("\033["));  // In colour.
  EXPECT_THAT(said.out, Not(HasSubstr("\033[?1049h")));
}

TEST_F(WatchFinishedTest, ACapIsThatOfTheCampaign) {
  terminal = false;
  EXPECT_THAT(SayIn("new.db", {"watch"}).out,
              HasSubstr("spent: $0.00 of $5.00"));
}

}  // namespace
}  // namespace coppice::cli
