#include "eval/cuda/sanitizers.h"

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

TEST(SanitizersTest, FindingsAreWhatConcernsTheCode) {
  EXPECT_EQ(Findings(kUninitialised),
            "Uninitialized __global__ memory read of size 4 bytes\n"
            "    at relu+0xe0\n"
            "    by thread (224,0,0) in block (26,0,0)\n"
            "    Address 0x7f0ac4006b80\n");
}

TEST(SanitizersTest, WhatTheProgramPrintsIsNoFinding) {
  EXPECT_EQ(Findings("========= COMPUTE-SANITIZER\nInvalid read\n"
                     "========= ERROR SUMMARY: 0 errors\n"),
            "");
}

TEST(SanitizersTest, RacesAreFindingsAndTroublesOfTheToolAreNot) {
  EXPECT_EQ(Findings("========= Error: Race reported between Write access\n"
                     "========= Error: process didn't terminate successfully\n"
                     "========= Target application returned an error\n"
                     "========= Error: Device not supported\n"
                     "========= Warning: Race reported between Read access"),
            "Error: Race reported between Write access\n"
            "Warning: Race reported between Read access\n");
}

TEST(SanitizersTest, FindingsAreCut) {
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

TEST_F(FindSanitizersTest, ByALinkInPath) {
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

}  // namespace
}  // namespace coppice::eval::cuda
