#include "eval/torch/address_sanitizer.h"

#include <gtest/gtest.h>

#include "eval/cuda/sanitizer_output.h"
#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

using Looked = cuda::SanitizerOutput::Outcome;

// As libasan of g++ 12 prints, with fewer frames.
constexpr char kWrite[] =
    "hello\n"
    "==15==ERROR: AddressSanitizer: heap-buffer-overflow on address "
    "0x604000000038 at pc 0x7fdf3cb8a18d bp 0x7fff1e552340 sp 0x7fff1e552338\n"
    "WRITE of size 4 at 0x604000000038 thread T0\n"
    "    #0 0x7fdf3cb8a18c in relu(float*, int) /candidate/candidate.py:8\n"
    "    #1 0x7fdf3cb8a18d in run /candidate/candidate.py:12\n"
    "    #2 0x558fde7f8163 in PyObject_Vectorcall Objects/call.c:299\n"
    "\n"
    "0x604000000038 is located 0 bytes to the right of 40-byte region "
    "[0x604000000010,0x604000000038)\n"
    "allocated by thread T0 here:\n"
    "    #0 0x7fdf3c4b89cf in malloc /candidate/candidate.py:5\n";

TEST(AddressSanitizerTest, TellsOfTheAccessAndItsLines) {
  EXPECT_EQ(AddressFindings(kWrite),
            "heap-buffer-overflow: write of size 4, 0 bytes to the right of "
            "40-byte region\n"
            "    in relu(float*, int) candidate.py:8\n"
            "    in run candidate.py:12\n");
}

TEST(AddressSanitizerTest, ASignalHasNoRegion) {
  EXPECT_EQ(AddressFindings(
                "==2==ERROR: AddressSanitizer: SEGV on unknown address 0x0 "
                "(pc 0x7f bp 0x7f sp 0x7f T0)\n"
                "==2==The signal is caused by a READ memory access.\n"
                "    #0 0x7f in run /candidate/main.cpp:3\n"),
            "SEGV\n    in run main.cpp:3\n");
}

TEST(AddressSanitizerTest, WhatTheProgramPrintsIsNoFinding) {
  EXPECT_EQ(AddressFindings("READ of size 4\n    #0 0x1 in f /candidate/a:1\n"),
            "");
}

cuda::SanitizerOutput JudgeAddresses(std::optional<int> status,
                                     const std::string& output) {
  return cuda::JudgeSanitizerOutput(cuda::kAddressSanitizer, status, output,
                                    AddressFindings(output));
}

TEST(AddressSanitizerTest, AStatusOfItsOwnIsAFinding) {
  EXPECT_EQ(JudgeAddresses(0, "").outcome, Looked::kClean);
  EXPECT_EQ(JudgeAddresses(86, kWrite).outcome, Looked::kFound);
  EXPECT_EQ(JudgeAddresses(1, "no such file").outcome, Looked::kNoWord);
  EXPECT_EQ(JudgeAddresses(1, "no such file").report,
            "exit status 1; no such file");
  EXPECT_EQ(JudgeAddresses(std::nullopt, "").outcome, Looked::kLate);
}

TEST(AddressSanitizerTest, ACompilerThatIsNotThereHasNone) {
  EXPECT_FALSE(FindAddressSanitizer("no_such_compiler"));
}

TEST(AddressSanitizerTest, NothingAndEmptyLinesAreNoFinding) {
  EXPECT_EQ(AddressFindings(""), "");
  EXPECT_EQ(AddressFindings("\n\n"), "");
  EXPECT_EQ(AddressFindings("AddressSanitizer\nSUMMARY: AddressSanitizer:"),
            "");
}

// The output may have been cut anywhere.
TEST(AddressSanitizerTest, AReportThatIsCutIsStillOne) {
  for (std::size_t size = 60; size < sizeof kWrite; ++size) {
    EXPECT_EQ(AddressFindings(std::string(kWrite, size)).substr(0, 13),
              "heap-buffer-o")
        << size;
  }
}

// Three frames in its own files are told.  Those of the place in memory are not
// frames of the access.
TEST(AddressSanitizerTest, NoMoreThanThreeFramesAreTold) {
  std::string output = "==1==ERROR: AddressSanitizer: stack-overflow on x\n";
  for (int i = 0; i < 5; ++i) {
    output += "    #" + std::to_string(i) + " 0x1 in f" + std::to_string(i) +
              " /candidate/a.cpp:" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(AddressFindings(output),
            "stack-overflow\n    in f0 a.cpp:0\n    in f1 a.cpp:1\n"
            "    in f2 a.cpp:2\n");
}

}  // namespace
}  // namespace coppice::eval::torch
