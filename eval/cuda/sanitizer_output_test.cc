#include "eval/cuda/sanitizer_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

// As compute-sanitizer 2025.3 prints, with frames of the host.
constexpr char kUninitialised[] =
    "========= COMPUTE-SANITIZER\n"
    "========= Uninitialized __global__ memory read of size 4 bytes\n"
    "=========     at relu+0xe0\n"
    "=========     by thread (224,0,0) in block (26,0,0)\n"
    "=========     Address 0x7f0ac4006b80\n"
    "=========     Saved host backtrace up to driver entry point at kernel "
    "launch time\n"
    "=========         Host Frame: cuLaunchKernelEx [0x39fc2f] in libcuda\n"
    "========= \n"
    "========= ERROR SUMMARY: 10000019 errors\n"
    "========= ERROR SUMMARY: 10000018 errors were not printed. Use "
    "--print-limit option to adjust the number of printed errors\n";

TEST(SanitizerOutputTest, FindingsAreWhatConcernsTheCode) {
  EXPECT_EQ(Findings(kUninitialised),
            "Uninitialized __global__ memory read of size 4 bytes\n"
            "    at relu+0xe0\n"
            "    by thread (224,0,0) in block (26,0,0)\n"
            "    Address 0x7f0ac4006b80\n");
}

TEST(SanitizerOutputTest, WhatTheProgramPrintsIsNoFinding) {
  EXPECT_EQ(Findings("========= COMPUTE-SANITIZER\nInvalid read\n"
                     "========= ERROR SUMMARY: 0 errors\n"),
            "");
}

TEST(SanitizerOutputTest, RacesAreFindingsAndTroublesOfTheToolAreNot) {
  EXPECT_EQ(Findings("========= Error: Race reported between Write access\n"
                     "========= Error: process didn't terminate successfully\n"
                     "========= Target application returned an error\n"
                     "========= Error: Device not supported\n"
                     "========= Warning: Race reported between Read access"),
            "Error: Race reported between Write access\n"
            "Warning: Race reported between Read access\n");
}

TEST(SanitizerOutputTest, FindingsAreCut) {
  std::string output;
  for (int i = 0; i < 100; ++i) output += "========= Invalid read\n";
  const std::string found = Findings(output);
  EXPECT_EQ(std::ranges::count(found, '\n'), 12);
}

// A toolkit's bin/compute-sanitizer is a script that leads to the folder with
// the program and what it loads.
class FindSanitizersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_ / "toolkit/bin");
    Touch(root_ / "toolkit/bin/compute-sanitizer");
    setenv("PATH", (root_ / "toolkit/bin").c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(root_);
  }
  static void Touch(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream file(path);
  }
  const fs::path root_ =
      fs::path(::testing::TempDir()) / "find_sanitizers_test";
  const std::string path_ = std::getenv("PATH");
};

TEST_F(FindSanitizersTest, InTheToolkitBesideItsLibraries) {
  Touch(root_ / "toolkit/compute-sanitizer/compute-sanitizer");
  Touch(root_ / "toolkit/compute-sanitizer/libsanitizer-public.so");
  EXPECT_EQ(FindSanitizers(root_ / "toolkit"),
            fs::canonical(root_ / "toolkit/compute-sanitizer"));
}

TEST_F(FindSanitizersTest, AreFoundByALinkInPath) {
  Touch(root_ / "elsewhere/compute-sanitizer");
  Touch(root_ / "elsewhere/libsanitizer-public.so");
  fs::remove(root_ / "toolkit/bin/compute-sanitizer");
  fs::create_symlink(root_ / "elsewhere/compute-sanitizer",
                     root_ / "toolkit/bin/compute-sanitizer");
  EXPECT_EQ(FindSanitizers(root_ / "nothing"),
            fs::canonical(root_ / "elsewhere"));
}

TEST_F(FindSanitizersTest, AScriptAloneIsNone) {
  EXPECT_EQ(FindSanitizers(root_ / "toolkit"), std::nullopt);
}

using Outcome = SanitizerOutput::Outcome;

TEST(SanitizerOutputTest, WithoutFindingsItPasses) {
  const auto report = Conclude(
      {{"memcheck", Outcome::kClean, ""}, {"racecheck", Outcome::kClean, ""}});
  EXPECT_EQ(report.verdict, Verdict::kPassed);
  EXPECT_EQ(report.log, "");
}

TEST(SanitizerOutputTest, AnAccessOutOfBoundsIsACrash) {
  const auto report = Conclude({{"memcheck", Outcome::kFound, "Invalid read"}});
  EXPECT_EQ(report.verdict, Verdict::kCrashed);
  EXPECT_EQ(report.log, "memcheck: Invalid read\n");
}

TEST(SanitizerOutputTest, OtherFindingsAreRejected) {
  for (const char* tool : {"racecheck", "initcheck", "synccheck"}) {
    EXPECT_EQ(Conclude({{tool, Outcome::kFound, "x"}}).verdict,
              Verdict::kRejected);
  }
}

TEST(SanitizerOutputTest, AToolThatCannotTellHasNotPassedIt) {
  EXPECT_EQ(Conclude({{"memcheck", Outcome::kClean, ""},
                      {"racecheck", Outcome::kNoWord, "stopped"}})
                .verdict,
            Verdict::kInconclusive);
}

TEST(SanitizerOutputTest, AFindingCountsMoreThanNoWord) {
  const auto report = Conclude({{"memcheck", Outcome::kNoWord, "stopped"},
                                {"racecheck", Outcome::kFound, "a race\n"}});
  EXPECT_EQ(report.verdict, Verdict::kRejected);
  EXPECT_EQ(report.log, "memcheck: stopped\nracecheck: a race\n");
}

TEST(SanitizerOutputTest, TheFirstFindingGivesTheVerdict) {
  EXPECT_EQ(Conclude({{"memcheck", Outcome::kFound, "x"},
                      {"racecheck", Outcome::kFound, "y"}})
                .verdict,
            Verdict::kCrashed);
}

const std::vector<SanitizerOutput> kOfCandidate = {
    {"memcheck", Outcome::kClean, ""},
    {"racecheck", Outcome::kFound, "a race"},
    {"initcheck", Outcome::kNoWord, "stopped"}};

std::vector<std::string> ToolsOf(const std::vector<SanitizerOutput>& all) {
  std::vector<std::string> tools;
  for (const SanitizerOutput& watched : all) tools.push_back(watched.tool);
  return tools;
}

TEST(SanitizerOutputTest, TheRootIsAskedAboutByThoseThatComplain) {
  EXPECT_EQ(Doubtful(kOfCandidate, {}),
            (std::vector<std::string_view>{"racecheck", "initcheck"}));
}

TEST(SanitizerOutputTest, TheRootIsAskedAboutOnce) {
  EXPECT_EQ(Doubtful(kOfCandidate, {{"racecheck", Outcome::kClean, ""}}),
            std::vector<std::string_view>{"initcheck"});
}

TEST(SanitizerOutputTest, WhoComplainsOfTheRootTooIsOfNoUse) {
  const auto left = OfUse(kOfCandidate, {{"racecheck", Outcome::kFound, "it"},
                                         {"initcheck", Outcome::kClean, ""}});
  EXPECT_EQ(ToolsOf(left), (std::vector<std::string>{"memcheck", "initcheck"}));
  EXPECT_EQ(Conclude(left).verdict, Verdict::kInconclusive);
}

TEST(SanitizerOutputTest, WhoCannotTellOfTheRootIsOfNoUse) {
  const auto left = OfUse(kOfCandidate, {{"initcheck", Outcome::kNoWord, "?"}});
  EXPECT_EQ(ToolsOf(left), (std::vector<std::string>{"memcheck", "racecheck"}));
}

}  // namespace
}  // namespace coppice::eval::cuda
