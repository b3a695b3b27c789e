#include "eval/cpu/cpu_roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "eval/sandbox/compiler.h"
#include "store/records/profile.h"

namespace coppice::eval {
namespace {

using testing::Gt;

// 100 GB/s up to 16 KiB, 50 up to 256 KiB, 20 up to 4 MiB, 10 beyond; 1
// Tflop/s.
Roofline FourLevels() {
  Roofline roof;
  roof.levels = {{16384.0, 100e9},
                 {262144.0, 50e9},
                 {4194304.0, 20e9},
                 {67108864.0, 10e9}};
  roof.flops_per_s = 1e12;
  return roof;
}

TEST(CpuRooflineTest, AWorkingSetIsReadAtTheSpeedOfTheLevelBelowIt) {
  const Roofline roof = FourLevels();
  EXPECT_EQ(ReadSpeed(roof, 1000.0), 100e9);
  EXPECT_EQ(ReadSpeed(roof, 20000.0), 100e9);
  EXPECT_EQ(ReadSpeed(roof, 300000.0), 50e9);
  EXPECT_EQ(ReadSpeed(roof, 1e9), 10e9);
}

// Measured under load, a small level may look slower than a large one.
TEST(CpuRooflineTest, ALargerLevelsSpeedCountsIfItIsFaster) {
  Roofline roof = FourLevels();
  roof.levels[1].bytes_per_s = 5e9;
  EXPECT_EQ(ReadSpeed(roof, 300000.0), 20e9);
}

// 1 MB at 50 GB/s is 20 us; 40 Mflop at 1 Tflop/s are 40 us.
TEST(CpuRooflineTest, TheFloorIsTheSlowerOfBoth) {
  EXPECT_DOUBLE_EQ(FloorSeconds(FourLevels(), {1e6, 0.0}), 20e-6);
  EXPECT_DOUBLE_EQ(FloorSeconds(FourLevels(), {1e6, 40e6}), 40e-6);
}

TEST(CpuRooflineTest, AMeasurementOnlyRaisesIt) {
  Roofline other = FourLevels();
  other.levels[0].bytes_per_s = 1.0;
  other.levels[3].bytes_per_s = 11e9;
  const Roofline roof = Higher(FourLevels(), other);
  EXPECT_EQ(roof.levels[0].bytes_per_s, 100e9);
  EXPECT_EQ(roof.levels[3].bytes_per_s, 11e9);
}

TEST(CpuRooflineTest, WhatIsKeptComesBackAndDamageDoesNot) {
  const std::string text = RooflineText(FourLevels());
  EXPECT_EQ(RooflineText(ParseRoofline(text).value()), text);
  for (const std::string& damaged :
       {std::string(), std::string("1e12\n"), std::string("x") + text,
        text + "x", text.substr(0, text.size() / 2), "-1" + text}) {
    EXPECT_FALSE(ParseRoofline(damaged)) << damaged;
  }
}

// 1 MB in 100 us is 10 GB/s, a fifth of 50; 40 Mflop are 400 Gflop/s of 1000.
TEST(CpuRooflineTest, AProfileHasTheRoofOverItsWorkingSet) {
  const Profile profile = ProfileOf(FourLevels(), {1e6, 40e6}, 100e-6);
  EXPECT_EQ(profile.roof_bytes_per_s, 50e9);
  EXPECT_EQ(profile.roof_flops_per_s, 1000e9);
  EXPECT_EQ(BottleneckOf(profile), Bottleneck::kArithmetic);
  EXPECT_DOUBLE_EQ(FloorSeconds(profile), 40e-6);
  EXPECT_EQ(BottleneckOf(ProfileOf(FourLevels(), {1e6, 0.0}, 100e-6)),
            Bottleneck::kMemory);
}

TEST(CpuRooflineTest, ThisMachineHasOneAndKeepsIt) {
  const std::filesystem::path cache =
      std::filesystem::path(testing::TempDir()) / "coppice_roof";
  const auto compiler = Compiler::Find(cache, 20.0, nullptr);
  ASSERT_TRUE(compiler) << compiler.error().what;
  const auto roof = FindRoofline(*compiler, 1);
  ASSERT_TRUE(roof) << roof.error().what;
  for (const Roofline::Level& level : roof->levels) {
    EXPECT_THAT(level.bytes_per_s, Gt(1e8));
  }
  EXPECT_THAT(roof->flops_per_s, Gt(1e8));
  EXPECT_EQ(RooflineText(FindRoofline(*compiler, 1).value()),
            RooflineText(*roof));
  const Roofline raised = RaiseRoofline(*compiler, 1).value();
  EXPECT_GE(raised.flops_per_s, roof->flops_per_s);
  // A roofline of another machine is not taken.
  std::ofstream(cache / ".roof-1") << "another\n" << RooflineText(FourLevels());
  EXPECT_NE(RooflineText(FindRoofline(*compiler, 1).value()),
            RooflineText(FourLevels()));
  std::filesystem::remove_all(cache);
}

TEST(CpuRooflineTest, ALevelBeginsWithItsBytes) {
  const Roofline roof = FourLevels();
  EXPECT_EQ(ReadSpeed(roof, 262143.0), 100e9);
  EXPECT_EQ(ReadSpeed(roof, 262144.0), 50e9);
  EXPECT_EQ(ReadSpeed(roof, 67108864.0), 10e9);
  EXPECT_EQ(ReadSpeed(roof, 0.0), 100e9);
}

TEST(CpuRooflineTest, AMeasurementOnlyRaisesArithmeticToo) {
  Roofline slower = FourLevels();
  slower.flops_per_s = 1.0;
  EXPECT_EQ(Higher(FourLevels(), slower).flops_per_s, 1e12);
  EXPECT_EQ(Higher(slower, FourLevels()).flops_per_s, 1e12);
}

TEST(CpuRooflineTest, WhatIsNoRoofOfThisProgramIsNotRead) {
  const std::string text = RooflineText(FourLevels());
  ASSERT_TRUE(ParseRoofline(text));
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = text;
    changed.replace(changed.find(before), before.size(), after);
    return ParseRoofline(changed);
  };
  EXPECT_FALSE(with("16384 ", "16385 "));                 // Another size,
  EXPECT_FALSE(with("50000000000", "0"));                 // no speed,
  EXPECT_FALSE(with("1000000000000\n", "0\n"));           // no arithmetic,
  EXPECT_FALSE(ParseRoofline(text + "134217728 5e9\n"));  // one level more.
  const auto corrupt = ParseRoofline("");
  EXPECT_EQ(corrupt.error().code, Errc::kCorrupt);
}

}  // namespace
}  // namespace coppice::eval
