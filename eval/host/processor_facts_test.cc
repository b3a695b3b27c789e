#include "eval/host/processor_facts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

class ProcessorFactsTest : public testing::Test {
 protected:
  ProcessorFactsTest()
      : root_(fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
  }
  ~ProcessorFactsTest() override { fs::remove_all(root_); }

  void Write(const fs::path& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }

  void Cache(int index, const std::string& level, const std::string& type,
             const std::string& size, const std::string& sharing) {
    const fs::path cache = "cpus/cpu0/cache/index" + std::to_string(index);
    Write(cache / "level", level);
    Write(cache / "type", type);
    Write(cache / "size", size);
    Write(cache / "shared_cpu_list", sharing);
  }

  std::string Facts(int processors) {
    return ProcessorFacts(processors, root_ / "cpuinfo", root_ / "cpus");
  }

  fs::path root_;
};

TEST_F(ProcessorFactsTest, TellsVectorsAndCaches) {
  Write("cpuinfo", "processor\t: 0\nflags\t\t: fpu sse2 avx avx2 fma");
  Cache(0, "1", "Data", "48K", "0");
  Cache(1, "1", "Instruction", "32K", "0");
  Cache(2, "2", "Unified", "1024K", "0,8");
  Cache(3, "3", "Unified", "32768K", "0-3,8-11");
  EXPECT_EQ(Facts(16),
            "16 processors, AVX2 (8 floats a vector), FMA, caches: L1 data 48 "
            "KiB, L2 1 MiB for 2 of them, L3 32 MiB for 8 of them");
}

TEST_F(ProcessorFactsTest, TheWidestVectorsCount) {
  Write("cpuinfo", "flags : avx512f avx2 sse2");
  EXPECT_EQ(Facts(1), "1 processor, AVX-512 (16 floats a vector)");
}

TEST_F(ProcessorFactsTest, InstructionsForProductsOfFewBitsAreNamed) {
  Write("cpuinfo", "flags : amx_bf16 amx_int8 avx512_vnni avx512_bf16 avx512f");
  EXPECT_EQ(Facts(1),
            "1 processor, AVX-512 (16 floats a vector), AVX-512 VNNI, AVX-512 "
            "BF16, AMX int8, AMX bfloat16");
}

TEST_F(ProcessorFactsTest, WhatIsNotToldIsLeftOut) {
  EXPECT_EQ(Facts(2), "2 processors");
  Write("cpuinfo", "flags");
  Cache(0, "1", "Data", "odd", "x-y");
  EXPECT_EQ(Facts(2), "2 processors, caches: L1 data odd");
}

TEST_F(ProcessorFactsTest, EachSetOfInstructionsHasItsVectors) {
  for (const auto& [flags, words] :
       {std::pair("avx512f", "AVX-512 (16 floats a vector)"),
        {"sse2 avx2", "AVX2 (8 floats a vector)"},
        {"sse2 avx", "AVX (8 floats a vector)"},
        {"fpu sse2", "SSE2 (4 floats a vector)"}}) {
    Write("cpuinfo", std::string("flags : ") + flags);
    EXPECT_EQ(Facts(1), std::string("1 processor, ") + words);
  }
  Write("cpuinfo", "flags : fpu");
  EXPECT_EQ(Facts(1), "1 processor");
}

// 1536 KiB are no whole number of MiB.  Sharers are told as ranges and as
// single processors.
TEST_F(ProcessorFactsTest, SizesAndSharersAreCounted) {
  Cache(0, "2", "Unified", "1536K", "0-1,4,7-9");
  EXPECT_EQ(Facts(2), "2 processors, caches: L2 1536 KiB for 6 of them");
  Cache(0, "2", "Unified", "2M", "9-7");
  EXPECT_EQ(Facts(2), "2 processors, caches: L2 2M");
}

}  // namespace
}  // namespace coppice::eval
