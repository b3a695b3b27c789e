#include "store/records/profile.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice {
namespace {

// 1.05 MB at 28.2 GB/s take 37.2 us; in 86.6 us they are 12.1 GB/s, 43 %.
Profile Streaming() {
  Profile profile;
  profile.shape = "N=131072";
  profile.runtime_s = 86.6e-6;
  profile.bytes = 1.05e6;
  profile.roof_bytes_per_s = 28.2e9;
  profile.roof_flops_per_s = 200e9;
  return profile;
}

TEST(ProfileTest, TheRoofThatTakesLongerBounds) {
  Profile profile = Streaming();
  profile.flops = 7.0e6;  // 35 us: less than the memory's 37.2 us.
  EXPECT_EQ(BottleneckOf(profile), Bottleneck::kMemory);
  profile.flops = 8.0e6;  // 40 us.
  EXPECT_EQ(BottleneckOf(profile), Bottleneck::kArithmetic);
  EXPECT_DOUBLE_EQ(FloorSeconds(profile), 40e-6);
}

TEST(ProfileTest, SaysHowFarItIsFromTheBandwidth) {
  EXPECT_EQ(Digest(Streaming()),
            "Memory bound at 43 % of the measured bandwidth (12.1 of 28.2 "
            "GB/s). A call must move at least 1.05 MB: 37.2 us at that speed; "
            "it takes 86.6 us. The rest goes to arithmetic (not stated), "
            "latency, other instructions or repeated traffic.");
}

TEST(ProfileTest, NearTheRoofNothingElseHoldsItBack) {
  Profile profile = Streaming();
  profile.runtime_s = 62.0e-6;  // 37.23 / 62.0 = 60.05 %.
  EXPECT_EQ(Digest(profile),
            "Memory bound at 60 % of the measured bandwidth (16.9 of 28.2 "
            "GB/s). A call must move at least 1.05 MB: 37.2 us at that speed; "
            "it takes 62 us.");
}

// 2 * 192^3 = 14.16 Mflop: 70.8 us at 200 Gflop/s, and 4.72 % of 1.5 ms.
TEST(ProfileTest, SaysHowFarItIsFromThePeak) {
  Profile profile = Streaming();
  profile.bytes = 442368.0;
  profile.flops = 2.0 * 192 * 192 * 192;
  profile.runtime_s = 1.5e-3;
  EXPECT_EQ(Digest(profile),
            "Far below the arithmetic roof: 4.7 % of the peak (9.44 of 200 "
            "Gflop/s). A call must move at least 442 kB and do 14.2 Mflop: "
            "70.8 us at that speed; it takes 1.5 ms. The rest goes to latency, "
            "other instructions or repeated traffic.");
}

TEST(ProfileTest, AddsWhatTheProcessorCounted) {
  Profile profile = Streaming();
  profile.runtime_s = 40e-6;
  profile.counters.instructions = 300e3;
  profile.counters.cycles = 150e3;
  profile.counters.cache_misses = 16.4e3;
  profile.counters.page_faults = 0.0;  // Nothing to tell.
  EXPECT_TRUE(Digest(profile).ends_with(
      "it takes 40 us. Counted per call: 300 thousand instructions at 2 a "
      "cycle, 16.4 thousand cache misses."))
      << Digest(profile);
}

TEST(ProfileTest, NamesTheKernelsThatTakeLongestFirst) {
  Profile profile = Streaming();
  profile.runtime_s = 40e-6;
  profile.kernels = {
      {.name = "finish", .calls = 2, .total_s = 9e-6, .registers = 16},
      {.name = "partial",
       .calls = 1,
       .total_s = 27e-6,
       .registers = 96,
       .shared_bytes = 4096,
       .local_bytes = 64,
       .occupancy = 0.25,
       .limit = ResidencyLimit::kRegisters,
       .dram_bytes = 107.3e6,
       .busy = 0.328,
       .achieved_occupancy = 0.2104,
       .l2_hits = 0.504}};
  profile.note = "No tool counts its traffic here.";
  EXPECT_TRUE(Digest(profile).ends_with(
      "it takes 40 us. Kernels: partial (1 launch, 27 us: 75 %, 96 registers, "
      "4096 B shared, 64 B spilled or in arrays per thread, occupancy 25 % by "
      "registers, achieved 21 %, units 33 % busy, 107 MB of device memory "
      "moved, L2 hits 50 %); finish (2 launches, 9 us, 4.5 us each: 25 %, 16 "
      "registers). No "
      "tool "
      "counts its traffic here."))
      << Digest(profile);
}

TEST(ProfileTest, OfManyKernelsTheLastAreOnlyCounted) {
  Profile profile = Streaming();
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    profile.kernels.push_back({.name = name, .calls = 1});
  }
  EXPECT_TRUE(Digest(profile).ends_with(
      "Kernels: a (1 launch); b (1 launch); c (1 launch); 2 more."));
}

TEST(ProfileTest, WithoutARoofItTellsOfKernels) {
  Profile profile;
  profile.runtime_s = 40e-6;
  profile.kernels = {{.name = "aten::mul", .calls = 2, .total_s = 9e-6}};
  EXPECT_EQ(Digest(profile),
            "No roof is known. Kernel: aten::mul (2 launches, 9 us, 4.5 us "
            "each).");
}

TEST(ProfileTest, SaysNothingWithoutARoof) {
  EXPECT_EQ(Digest(Profile{}), "");
  Profile profile = Streaming();
  profile.roof_bytes_per_s = 0.0;
  EXPECT_EQ(Digest(profile), "");
  EXPECT_EQ(Digest(std::vector<Profile>{}), "");
}

TEST(ProfileTest, AStoredDigestHasTwoParts) {
  EXPECT_EQ(PartsOf("Bound.\n\nLoops:\n\nline 1\n").limits, "Bound.");
  EXPECT_EQ(PartsOf("Bound.\n\nLoops:\n\nline 1\n").code, "Loops:\n\nline 1\n");
  EXPECT_EQ(PartsOf("Bound.").limits, "Bound.");
  EXPECT_EQ(PartsOf("Bound.").code, "");
  EXPECT_EQ(PartsOf("").limits, "");
}

TEST(ProfileTest, OfSeveralWorkloadsTheLongestIsTold) {
  Profile small = Streaming();
  small.shape = "N=1024";
  small.runtime_s = 74.5e-6;  // 37.23 / 74.5 = 49.98 %.
  EXPECT_EQ(Digest({small, Streaming()}),
            "With N=131072: m" + Digest(Streaming()).substr(1) +
                " With N=1024: memory bound at 50 %.");
  Profile slow = Streaming();
  slow.shape = "N=2";
  slow.flops = 20e6;  // 100 us at 200 Gflop/s.
  slow.runtime_s = 20e-3;
  EXPECT_TRUE(Digest({small, slow, Streaming()})
                  .ends_with(" With N=1024: memory bound at 50 %; with "
                             "N=131072: memory bound at 43 %."));
  slow.runtime_s = 2e-3;
  small.runtime_s = 3e-3;
  EXPECT_TRUE(
      Digest({small, slow}).ends_with(" With N=2: at 5.0 % of the peak."));
  EXPECT_EQ(Digest({Streaming()}), Digest(Streaming()));
}

// From 99.95 on there is none behind the point, and from 9.995 on one.
TEST(ProfileTest, NumbersHaveThreeDigits) {
  const auto takes = [](double us) {
    Profile profile = Streaming();
    profile.runtime_s = us * 1e-6;
    const std::string digest = Digest(profile);
    const std::size_t at = digest.find("it takes ") + 9;
    return digest.substr(at, digest.find(" us", at) - at);
  };
  EXPECT_EQ(takes(99.94), "99.9");
  EXPECT_EQ(takes(99.96), "100");
  EXPECT_EQ(takes(100.4), "100");
  EXPECT_EQ(takes(9.994), "9.99");
  EXPECT_EQ(takes(9.996), "10");
  EXPECT_EQ(takes(10.26), "10.3");
}

// Each prefix from 0.9995 of its unit on, where three digits round up to it.
TEST(ProfileTest, TimesAndAmountsHaveTheLargestUnitThatFits) {
  const auto between = [](const std::string& digest, const std::string& from,
                          const std::string& to) {
    const std::size_t at = digest.find(from) + from.size();
    return digest.substr(at, digest.find(to, at) - at);
  };
  const auto takes = [&](double seconds) {
    Profile profile = Streaming();
    profile.runtime_s = seconds;
    return between(Digest(profile) + " ", "it takes ", ". ");
  };
  EXPECT_EQ(takes(2.5), "2.5 s");
  EXPECT_EQ(takes(1.0), "1 s");
  EXPECT_EQ(takes(0.9994), "999 ms");
  EXPECT_EQ(takes(0.9996), "1 s");
  EXPECT_EQ(takes(1.5e-3), "1.5 ms");
  EXPECT_EQ(takes(999.6e-6), "1 ms");
  EXPECT_EQ(takes(999.4e-6), "999 us");
  EXPECT_EQ(takes(999.6e-9), "1 us");
  EXPECT_EQ(takes(40e-9), "40 ns");
  const auto moves = [&](double bytes) {
    Profile profile = Streaming();
    profile.bytes = bytes;
    return between(Digest(profile), "at least ", ":");
  };
  EXPECT_EQ(moves(7.0), "7 B");
  EXPECT_EQ(moves(999.4), "999 B");
  EXPECT_EQ(moves(999.6), "1 kB");
  EXPECT_EQ(moves(123456.0), "123 kB");
  EXPECT_EQ(moves(999.6e3), "1 MB");
  EXPECT_EQ(moves(2.345e9), "2.35 GB");
  EXPECT_EQ(moves(1.5e12), "1.5 TB");
  EXPECT_EQ(moves(2e15), "2000 TB");
}

TEST(ProfileTest, CountsAreInWords) {
  const auto counted = [](double misses) {
    Profile profile = Streaming();
    profile.counters.cache_misses = misses;
    const std::string digest = Digest(profile);
    const std::string begin = "Counted per call: ";
    const std::size_t at = digest.find(begin) + begin.size();
    return digest.substr(at, digest.find(" cache", at) - at);
  };
  EXPECT_EQ(counted(0.0), "0");
  EXPECT_EQ(counted(12.5), "12.5");
  EXPECT_EQ(counted(999.4), "999");
  EXPECT_EQ(counted(999.6), "1 thousand");
  EXPECT_EQ(counted(16.4e3), "16.4 thousand");
  EXPECT_EQ(counted(999.6e3), "1 million");
  EXPECT_EQ(counted(2.5e9), "2.5 billion");
}

// No rate without cycles, and half a page fault is one.
TEST(ProfileTest, OnlyWhatWasCountedIsTold) {
  Profile profile = Streaming();
  EXPECT_EQ(Digest(profile).find("Counted"), std::string::npos);
  profile.counters.instructions = 1000.0;
  profile.counters.cycles = 0.0;
  profile.counters.branch_misses = 2.0;
  profile.counters.page_faults = 0.5;
  EXPECT_TRUE(Digest(profile).ends_with(
      "Counted per call: 1 thousand instructions, 2 mispredicted branches, "
      "0.5 page faults."))
      << Digest(profile);
  profile.counters.page_faults = 0.49;
  EXPECT_EQ(Digest(profile).find("page"), std::string::npos);
}

TEST(ProfileTest, AFullKernelHasNoLimitAndAnUnknownOneNoName) {
  const auto text = [](KernelProfile kernel) {
    Profile profile;
    profile.kernels = {std::move(kernel)};
    return Digest(profile);
  };
  EXPECT_EQ(text({.name = "k",
                  .calls = 1,
                  .occupancy = 1.0,
                  .limit = ResidencyLimit::kBlocks}),
            "No roof is known. Kernel: k (1 launch, occupancy 100 %).");
  EXPECT_EQ(text({.name = "k",
                  .calls = 1,
                  .occupancy = 0.5,
                  .limit = ResidencyLimit::kSharedMemory}),
            "No roof is known. Kernel: k (1 launch, occupancy 50 % by shared "
            "memory).");
  // A damaged file may hold any number.
  EXPECT_EQ(text({.name = "k",
                  .calls = 1,
                  .occupancy = 0.5,
                  .limit = static_cast<ResidencyLimit>(9)}),
            "No roof is known. Kernel: k (1 launch, occupancy 50 %).");
  EXPECT_EQ(text({.name = "k", .calls = 0, .shared_bytes = 0}),
            "No roof is known. Kernel: k (0 launches).");
}

}  // namespace
}  // namespace coppice
