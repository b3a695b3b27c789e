#include "eval/host/disturbance.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace coppice::eval {
namespace {

// The machine has four processors, of which two are wanted.
class DisturbanceTest : public testing::Test {
 protected:
  DisturbanceTest() {
    Waited(1000);
    Running(1);
    Stolen(500);
  }

  void Waited(int us, const std::string& path = "/proc/pressure/cpu") {
    texts_[path] =
        "some avg10=1.00 avg60=2.00 avg300=3.00 total=" + std::to_string(us);
  }
  void Running(int count) {
    texts_["/proc/loadavg"] =
        "0.26 0.16 0.28 " + std::to_string(count) + "/99 11079";
  }
  void Stolen(int ticks) {
    texts_["/proc/stat"] = "cpu  62612 0 16010 330478 1120 0 188 " +
                           std::to_string(ticks) + " 0 0";
  }
  void Throttled(int times) {
    texts_
        ["/sys/devices/system/cpu/cpu0/thermal_throttle/"
         "package_throttle_count"] = std::to_string(times);
  }

  Disturbance On(Disturbance::Processors processors) {
    return {[this](const std::string& path) { return texts_[path]; },
            processors};
  }

  std::map<std::string, std::string> texts_;
  Disturbance disturbance_ = On({.machine = 4, .ours = 4, .wanted = 2});
};

// 1 ms of 10 ms is a tenth.
TEST_F(DisturbanceTest, WhoWaitsForAProcessorDisturbs) {
  disturbance_.Begin(0.0);
  Waited(2000);
  EXPECT_EQ(disturbance_.Lap(0.01), "");
  disturbance_.Begin(0.01);
  Waited(3001);
  EXPECT_EQ(disturbance_.Lap(0.02), "others want its processors");
}

// The reader and two more leave room for two threads; three more do not, if
// they are there at both ends.
TEST_F(DisturbanceTest, WhoRunsWhereWeWantToDisturbs) {
  Running(3);
  disturbance_.Begin(0.0);
  EXPECT_EQ(disturbance_.Lap(0.01), "");
  Running(4);
  EXPECT_EQ(disturbance_.Lap(0.02), "");
  disturbance_.Begin(0.02);
  EXPECT_EQ(disturbance_.Lap(0.03), "others run on its processors");
}

// 0.9 ms of 2 ms: the time that a processor takes to wake up.
TEST_F(DisturbanceTest, LessThanAMillisecondIsNobodysTurn) {
  disturbance_.Begin(0.0);
  Waited(1900);
  EXPECT_EQ(disturbance_.Lap(0.002), "");
}

// We may use four of the machine's 16 processors, and others use ten.
TEST_F(DisturbanceTest, WhoRunsElsewhereOnTheMachineDoesNotDisturb) {
  Running(11);
  Disturbance of_a_part = On({.machine = 16, .ours = 4, .wanted = 2});
  of_a_part.Begin(0.0);
  EXPECT_EQ(of_a_part.Lap(0.01), "");
}

// Who waits in another group is no concern of ours; who does in ours is.
TEST_F(DisturbanceTest, TheGroupThatTellsOfItsOwnPressureIsAskedAlone) {
  const std::string own = "/sys/fs/cgroup/job/7/cpu.pressure";
  texts_["/proc/self/cgroup"] = "0::/job/7";
  Waited(0, own);
  Disturbance in_a_group = On({.machine = 4, .ours = 4, .wanted = 2});
  in_a_group.Begin(0.0);
  Waited(9000);
  EXPECT_EQ(in_a_group.Lap(0.01), "");
  in_a_group.Begin(0.01);
  Waited(1001, own);
  EXPECT_EQ(in_a_group.Lap(0.02), "others want its processors");
}

// A container sees its own group as the root of all.
TEST_F(DisturbanceTest, TheRootOfGroupsIsAGroup) {
  texts_["/proc/self/cgroup"] = "0::/";
  Waited(0, "/sys/fs/cgroup/cpu.pressure");
  Disturbance in_a_container = On({.machine = 4, .ours = 4, .wanted = 2});
  in_a_container.Begin(0.0);
  Waited(9000);
  EXPECT_EQ(in_a_container.Lap(0.01), "");
}

TEST_F(DisturbanceTest, AGroupWithoutPressureLeavesTheMachines) {
  texts_["/proc/self/cgroup"] = "0::/job/7";
  Disturbance in_a_group = On({.machine = 4, .ours = 4, .wanted = 2});
  in_a_group.Begin(0.0);
  Waited(9000);
  EXPECT_EQ(in_a_group.Lap(0.01), "others want its processors");
}

// In 0.2 s four processors have 80 ticks; a twentieth is 4: not 3, but 6.
TEST_F(DisturbanceTest, AHostThatStealsDisturbs) {
  disturbance_.Begin(10.0);
  EXPECT_EQ(disturbance_.Lap(10.0), "");
  Stolen(503);
  EXPECT_EQ(disturbance_.Lap(10.2), "");
  Stolen(509);
  EXPECT_EQ(disturbance_.Lap(10.4), "its host takes its processors away");
  EXPECT_EQ(disturbance_.Lap(10.6), "");
}

// A tick in a lap of 1 ms is no tenth of anything yet.
TEST_F(DisturbanceTest, WhatIsCountedSlowlyIsLookedAtSlowly) {
  disturbance_.Begin(10.0);
  EXPECT_EQ(disturbance_.Lap(10.0), "");
  Stolen(501);
  EXPECT_EQ(disturbance_.Lap(10.001), "");
  EXPECT_EQ(disturbance_.Lap(10.2), "");
}

TEST_F(DisturbanceTest, HeatDisturbs) {
  Throttled(7);
  EXPECT_EQ(disturbance_.Lap(10.0), "");
  EXPECT_EQ(disturbance_.Lap(10.2), "");
  Throttled(8);
  EXPECT_EQ(disturbance_.Lap(10.4), "it is hot, and slows itself down");
}

TEST_F(DisturbanceTest, ASystemThatTellsNothingDisturbsNothing) {
  texts_.clear();
  disturbance_.Begin(0.0);
  EXPECT_EQ(disturbance_.Lap(1.0), "");
  texts_["/proc/pressure/cpu"] = "?";
  texts_["/proc/loadavg"] = "?";
  texts_["/proc/stat"] = "cpu 1 2";
  EXPECT_EQ(disturbance_.Lap(2.0), "");
}

TEST(ReadSystemTextTest, WhatIsNotThereIsEmpty) {
  EXPECT_EQ(ReadSystemText("/proc/nothing"), "");
  EXPECT_NE(ReadSystemText("/proc/loadavg"), "");
}

}  // namespace
}  // namespace coppice::eval
