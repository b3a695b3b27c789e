#include "eval/cpu/generated_code.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace coppice::eval {
namespace {

constexpr const char* kSource =
    "void run(float* y, const float* x, long n) {\n"
    "  for (long i = 1; i < n; ++i) {\n"
    "    y[i] += y[i - 1];\n"
    "  }\n"
    "  for (long i = 0; i < n; ++i) y[i] = x[i];\n"
    "}\n";

constexpr const char* kRemarks =
    "kernel.cc:5:3: optimized: loop vectorized using 64 byte vectors\n"
    "kernel.cc:5:3: optimized: loop vectorized using 32 byte vectors\n"
    "kernel.cc:2:22: missed: couldn't vectorize loop\n"
    "kernel.cc:3:10: missed: not vectorized: no vectype for stmt: _2 = *_1;\n"
    " scalar_type: float\n"
    "kernel.cc:1:6: missed: statement clobbers memory: foo ();\n"
    "/usr/include/c++/12/bits/stl_algo.h:9:9: missed: couldn't vectorize "
    "loop\n";

TEST(TellLoopsTest, ALoopIsVectorCodeOrTheReasonIsGiven) {
  EXPECT_EQ(TellLoops(kRemarks, kSource, 1000),
            "line 2, `for (long i = 1; i < n; ++i) {`: not vectorised, no "
            "vectype for stmt (line 3)\n"
            "line 5, `for (long i = 0; i < n; ++i) y[i] = x[i];`: vectorised, "
            "64 bytes wide\n");
}

TEST(TellLoopsTest, WhatHasNoRoomIsLeftOutByWholeLines) {
  EXPECT_EQ(TellLoops(kRemarks, kSource, 100),
            "line 2, `for (long i = 1; i < n; ++i) {`: not vectorised, no "
            "vectype for stmt (line 3)\n");
  EXPECT_EQ(TellLoops("", kSource, 100), "");
}

// The first loop is a single one.  Of the two within [10, 2c] the second one is
// wider; it reads the stack once.  What is at 34 goes back, and is no loop.
constexpr const char* kDisassembly =
    "0000000000000000 <run>:\n"
    "   0:\tadd    rax,0x1\n"
    "   4:\tjne    0 <run>\n"
    "  10:\txor    eax,eax\n"
    "  14:\tvaddss xmm0,xmm0,DWORD PTR [rdx]\n"
    "  18:\tjne    14 <run+0x14>\n"
    "  1c:\tvaddps zmm0,zmm0,ZMMWORD PTR [rdx+rax*1]\n"
    "  20:\tje     2c <run+0x2c>\n"
    "  24:\tvmovups ymm1,YMMWORD PTR [rsp+0x40]\n"
    "  28:\tjne    1c <run+0x1c>\n"
    "  2c:\tjne    10 <run+0x10>\n"
    "  30:\tret\n"
    "  34:\tjmp    18 <run+0x18>\n";

TEST(TellDeepestLoopTest, IsTheWidestOfTheInnermost) {
  EXPECT_EQ(TellLoop(kDisassembly, {}, 1000),
            "The deepest loop of its machine code, chosen by nesting and by "
            "width, not by time: 4 instructions, 1 of which read or write the "
            "stack (spilled registers or arrays).\n"
            "```text\n"
            "vaddps zmm0,zmm0,[rdx+rax*1]\n"
            "je elsewhere\n"
            "vmovups ymm1,[rsp+0x40]\n"
            "jne loop\n"
            "```\n");
}

TEST(TellDeepestLoopTest, ALongOneIsCut) {
  const std::string text = TellLoop(kDisassembly, {}, 45);
  EXPECT_NE(text.find("; 2 more are left out.\n```text\n"
                      "vaddps zmm0,zmm0,[rdx+rax*1]\nje elsewhere\n```\n"),
            text.npos)
      << text;
}

// Ten of thirty lie in the inner loop, fifteen in the outer one beside it (at
// 0x10 and 0x2c), five elsewhere.
TEST(TellHottestLoopTest, IsWhereMostSamplesLieOutsideOfInnerLoops) {
  std::vector<std::uint64_t> samples(10, 0x1c);
  samples.insert(samples.end(), 8, 0x10);
  samples.insert(samples.end(), 7, 0x2c);
  samples.insert(samples.end(), 5, 0x30);
  const auto told = [&] { return TellLoop(kDisassembly, samples, 1000); };
  EXPECT_TRUE(told().starts_with(
      "The hottest loop of its machine code, with 50 % of 30 samples that its "
      "own process took: 8 instructions, "))
      << told();
  samples.insert(samples.end(), 10, 0x28);  // 20 of 40.
  EXPECT_TRUE(told().starts_with(
      "The hottest loop of its machine code, with 50 % of 40 samples that its "
      "own process took: 4 instructions, "))
      << told();
}

TEST(TellHottestLoopTest, FewSamplesOrNoneInALoopTellNothing) {
  EXPECT_EQ(TellLoop(kDisassembly, std::vector<std::uint64_t>(19, 0x1c), 1000),
            TellLoop(kDisassembly, {}, 1000));
  EXPECT_EQ(TellLoop(kDisassembly, std::vector<std::uint64_t>(30, 0x30), 1000),
            TellLoop(kDisassembly, {}, 1000));
}

TEST(TellDeepestLoopTest, WithoutALoopThereIsNothingToTell) {
  EXPECT_EQ(TellLoop("   0:\tret\n", {}, 100), "");
  EXPECT_EQ(TellLoop("", {}, 100), "");
}

}  // namespace
}  // namespace coppice::eval
