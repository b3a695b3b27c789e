#include "engine/process/interrupts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "engine/process/end_soon.h"

namespace coppice::engine {
namespace {

// Each in a process of its own, as there is one of these flags in each.
TEST(InterruptsDeathTest, TheFirstAsksForADrainAndTheSecondEnds) {
  EXPECT_EXIT(
      {
        const std::atomic<bool>& asked = WatchInterrupts();
        if (asked || WasInterrupted()) _exit(1);
        std::raise(SIGINT);
        if (!asked || !WasInterrupted()) _exit(2);
        std::raise(SIGTERM);
        _exit(3);
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "again to stop at once");
}

TEST(InterruptsDeathTest, WhereNothingIsKeptTheFirstEnds) {
  EXPECT_EXIT(
      {
        WatchInterrupts();
        LeaveInterrupts();
        std::raise(SIGINT);
        _exit(0);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

// nohup(1) ignores it before we are there.
TEST(InterruptsDeathTest, AnEndOfTheTerminalThatIsIgnoredStaysSo) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        WatchInterrupts();
        std::raise(SIGHUP);
        _exit(WasInterrupted() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(InterruptsDeathTest, APipeThatIsGoneEndsNothing) {
  EXPECT_EXIT(
      {
        WatchInterrupts();
        std::raise(SIGPIPE);
        _exit(WasInterrupted() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(EndSoonDeathTest, AProcessThatWaitsForeverEnds) {
  EXPECT_EXIT(
      {
        EndSoon(std::chrono::milliseconds(0));
        for (;;) pause();
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace coppice::engine
