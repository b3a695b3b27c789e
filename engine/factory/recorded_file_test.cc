#include "engine/factory/recorded_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "store/scratch.h"

namespace coppice::engine {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

const fs::path& Data() {
  static const fs::path kData = fs::path(COPPICE_SOURCE_DIR) / "data";
  return kData;
}

class RecordedFileTest : public testing::Test {
 protected:
  fs::path Write(const std::string& text, const std::string& name = "t.csv") {
    std::ofstream(directory_.File(name), std::ios::binary) << text;
    return directory_.File(name);
  }

  // Without the name of the file.
  std::string ErrorOf(const std::string& text) {
    const fs::path file = Write(text);
    const auto space = ReadRecordedSpace(file);
    if (space) return "read";
    EXPECT_EQ(space.error().code, Errc::kUsage);
    EXPECT_THAT(space.error().what, testing::StartsWith(file.string()));
    return space.error().what.substr(file.string().size());
  }

  store::ScratchDirectory directory_;
};

TEST_F(RecordedFileTest, ReadsATable) {
  const auto space =
      ReadRecordedSpace(Write("tile,unroll,status,time_ms,samples\r\n"
                              "8,1,ok,2.5,3\r\n"
                              "16,1,runtime_failed,,\r\n"
                              "\n"
                              "16,2,ok,2.5,3"));
  ASSERT_TRUE(space.has_value()) << space.error().what;
  EXPECT_EQ(space->Combinations(), 4u);
  EXPECT_DOUBLE_EQ(space->root_time_s(), 2.5e-3);
  EXPECT_EQ(space->At(1).at_best, Verdict::kCrashed);
  EXPECT_EQ(space->At(2).at_best, Verdict::kCompileFailed);
  EXPECT_EQ(space->At(3).at_best, Verdict::kPassed);
}

TEST_F(RecordedFileTest, DamageIsNamedByFileAndLine) {
  const std::string head = "tile,status,time_ms\n";
  EXPECT_EQ(ErrorOf(""), ":1: expected column names");
  EXPECT_EQ(ErrorOf("tile,time_ms\n"), ":1: no column status");
  EXPECT_EQ(ErrorOf("tile,status\n"), ":1: no column time_ms after status");
  EXPECT_EQ(ErrorOf("time_ms,status\n"), ":1: no column time_ms after status");
  EXPECT_EQ(ErrorOf("status,time_ms\n"),
            ":1: no column of a parameter before status");
  EXPECT_EQ(ErrorOf("tile,tile,status,time_ms\n"),
            ":1: two columns are named tile");
  EXPECT_EQ(ErrorOf(",status,time_ms\n"), ":1: a column has no name");
  EXPECT_EQ(ErrorOf(head + "8,ok\n"), ":2: expected 3 fields, found 2");
  EXPECT_EQ(ErrorOf(head + "8,ok,1,1\n"), ":2: expected 3 fields, found 4");
  EXPECT_EQ(ErrorOf(head + "\"8\",ok,1\n"),
            ":2: quoted fields are not supported");
  EXPECT_EQ(ErrorOf(head + "8,fine,1\n"),
            ":2: status 'fine' is none of ok compile_failed invalid "
            "runtime_failed wrong_output timed_out");
  for (const char* time : {"", "0", "-1", "nan", "inf", "1e999", "1x", " 1"}) {
    EXPECT_EQ(ErrorOf(head + "8,ok,1\n16,ok," + time + "\n"),
              ":3: time_ms '" + std::string(time) + "' is no positive number");
  }
  EXPECT_EQ(ErrorOf(head + "8,ok,1\n\n16,ok,1\n8,invalid,\n"),
            ":5: a second measurement of this configuration");
  EXPECT_EQ(ErrorOf(head), ": no measurement passed");
  EXPECT_EQ(ErrorOf(head + "8,ok,1\n"), ": no parameter varies");
}

TEST_F(RecordedFileTest, WhatCannotBeReadIsSaidSo) {
  const auto missing = ReadRecordedSpace(directory_.File("none.csv"));
  EXPECT_EQ(missing.error().code, Errc::kNotFound);
  EXPECT_THAT(missing.error().what, EndsWith("none.csv: no such file"));
  fs::create_directory(directory_.File("d.csv"));
  const auto folder = ReadRecordedSpace(directory_.File("d.csv"));
  EXPECT_EQ(folder.error().code, Errc::kIo);
  EXPECT_THAT(folder.error().what, EndsWith("d.csv: cannot be read"));
}

TEST_F(RecordedFileTest, ADamagedCompressedFileIsNamed) {
  const fs::path file = Write("no zstd at all", "t.csv.zst");
  EXPECT_EQ(ReadRecordedSpace(file).error().what,
            file.string() + ": zstd file: Unknown frame descriptor");
}

// Combinations, 10 % quantile of the times, and ln(quantile / least time), as
// Python computed them from the tables.
TEST_F(RecordedFileTest, TheSpacesThatComeWithTheProgramAreWhole) {
  struct Known {
    std::string name;
    std::uint64_t combinations;
    double root_time_s;
    double best_log_speedup;
  };
  const std::vector<Known> all = {
      {"conv3x3_Xeon", 180u, 0.0003643858, 0.469100015},
      {"convolution_A100", 10240u, 0.00104387, 0.634247835},
      {"convolution_MI250X", 10240u, 0.006057846, 2.21869564},
      {"convolution_RTX_3090", 15360u, 0.000767898, 0.384176791},
      {"convolution_W7800", 10240u, 0.001500385, 0.608888661},
      {"dedispersion_A100", 22272u, 0.06938762, 0.0184875228},
      {"dedispersion_MI250X", 22272u, 0.08838033, 0.578213189},
      {"dedispersion_W6600", 22272u, 0.1618249, 0.180640288},
      {"dedispersion_W7800", 22272u, 0.06251585, 0.21620703},
      {"gemm_RTX_2080_Ti", 82944u, 0.01615655, 0.341475277},
      {"gemm_RTX_3090", 82944u, 0.008956375, 0.459323375},
      {"gemm_RTX_Titan", 82944u, 0.01587445, 0.325307321},
      {"gemv_Xeon", 216u, 0.0002539006, 0.220480448},
      {"histogram_H200", 320u, 1.741795e-05, 0.156474447},
      {"hotspot_A4000", 6000u, 0.04059373, 1.28838758},
      {"pnpoly_RTX_2080_Ti", 4092u, 1.821216e-05, 0.134915413},
      {"pnpoly_RTX_3060_laptop", 4092u, 0.0338234, 0.23223992},
      {"pnpoly_RTX_3090", 4092u, 0.01079706, 0.214315406},
      {"pnpoly_RTX_Titan", 4092u, 1.665888e-05, 0.208536679},
      {"rowsum_H200", 540u, 2.317713e-05, 0.0158698185},
      {"sgemm_H200", 648u, 0.000260556, 0.217529327},
      {"sgemmnt_Xeon", 216u, 0.0003530104, 0.2243897},
      {"transpose_H200", 288u, 4.021034e-05, 0.0556184503},
      {"transpose_Xeon", 300u, 0.0006167411, 0.187354603},
  };
  std::vector<std::string> names;
  for (const Known& known : all) {
    names.push_back(known.name);
    const auto file = FindRecordedSpace(Data(), known.name);
    ASSERT_TRUE(file.has_value());
    const auto space = ReadRecordedSpace(*file);
    ASSERT_TRUE(space.has_value()) << space.error().what;
    EXPECT_EQ(space->Combinations(), known.combinations) << known.name;
    EXPECT_NEAR(space->root_time_s() / known.root_time_s, 1.0, 1e-6);
    EXPECT_NEAR(space->best_log_speedup(), known.best_log_speedup, 1e-6);
  }
  EXPECT_EQ(RecordedSpaceNames(Data()), names);
}

TEST_F(RecordedFileTest, AMistypedNameIsMetWithTheNearest) {
  const auto file = FindRecordedSpace(Data(), "gemm_RTX_309");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, Errc::kUsage);
  EXPECT_THAT(file.error().what,
              HasSubstr("is unknown; did you mean gemm_RTX_3090? Choose"));
  EXPECT_EQ(FindRecordedSpace(Data(), "a/b.csv").value(), fs::path("a/b.csv"));
}

}  // namespace
}  // namespace coppice::engine
