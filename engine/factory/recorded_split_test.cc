#include "engine/factory/recorded_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "engine/factory/recorded_file.h"
#include "store/digest.h"
#include "store/scratch.h"
#include "store/zstd_file.h"

namespace coppice::engine {
namespace {
namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::EndsWith;

const fs::path kData = fs::path(COPPICE_SOURCE_DIR) / "data";

std::string TableOf(const std::string& name) {
  std::ifstream file(kData / "tuning_spaces" / (name + ".csv.zst"),
                     std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto text = store::DecompressFile(bytes, std::size_t{1} << 30);
  EXPECT_TRUE(text.has_value()) << name;
  return text.value_or("");
}

// What was tested on it says nothing any more once a table is another one.
TEST(RecordedSplitTest, TablesAreThoseThatWereFrozen) {
  const auto split = ReadSplit(kData);
  ASSERT_TRUE(split.has_value());
  std::vector<std::string> names;
  for (const SplitSpace& space : *split) {
    EXPECT_EQ(store::ToHex(store::Sha256(TableOf(space.name))), space.sha256)
        << space.name;
    names.push_back(space.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, RecordedSpaceNames(kData));
}

TEST(RecordedSplitTest, TheSpacesThatPoliciesWereTunedOnAreTrain) {
  const auto split = ReadSplit(kData);
  ASSERT_TRUE(split.has_value());
  EXPECT_THAT(SpacesOf("train", *split),
              ElementsAre("convolution_A100", "convolution_RTX_3090",
                          "dedispersion_A100", "dedispersion_MI250X",
                          "gemm_RTX_2080_Ti", "gemm_RTX_3090",
                          "pnpoly_RTX_3090", "pnpoly_RTX_Titan"));
  EXPECT_THAT(SpacesOf("unseen", *split),
              ElementsAre("hotspot_A4000", "conv3x3_Xeon", "sgemmnt_Xeon",
                          "sgemm_H200", "gemv_Xeon", "histogram_H200",
                          "rowsum_H200", "transpose_H200", "transpose_Xeon"));
}

TEST(RecordedSplitTest, AKernelIsUnseenIfNoSpaceOfItIsToTrainOn) {
  const std::vector<SplitSpace> split = {{"a_1", SplitRole::kTrain, ""},
                                         {"a_2", SplitRole::kTest, ""},
                                         {"b_1", SplitRole::kTest, ""},
                                         {"c_1", SplitRole::kOwn, ""}};
  EXPECT_THAT(SpacesOf("test", split), ElementsAre("a_2", "b_1"));
  EXPECT_THAT(SpacesOf("own", split), ElementsAre("c_1"));
  EXPECT_THAT(SpacesOf("unseen", split), ElementsAre("b_1", "c_1"));
}

TEST(RecordedSplitTest, DamageIsNamedByItsLine) {
  const store::ScratchDirectory directory;
  const auto error_of = [&](const std::string& text) {
    fs::create_directories(directory.File("tuning_spaces"));
    std::ofstream(directory.File("tuning_spaces") / "split.txt") << text;
    const auto split = ReadSplit(directory.File("."));
    return split ? "" : split.error().what;
  };
  const std::string hash(64, 'a');
  EXPECT_EQ(error_of("# spaces\n\na train " + hash + "\n"), "");
  const std::string expected =
      ": expected a new name, train, test or own, and the SHA-256 of the table";
  EXPECT_THAT(error_of("a tarin " + hash), EndsWith(":1" + expected));
  EXPECT_THAT(error_of("\na test abc"), EndsWith(":2" + expected));
  EXPECT_THAT(error_of("a test " + hash + " b"), EndsWith(":1" + expected));
  EXPECT_THAT(error_of("a test " + hash + "\na own " + hash),
              EndsWith(":2" + expected));
  EXPECT_EQ(ReadSplit("/nonexistent").error().code, Errc::kNotFound);
}

TEST(RecordedSplitTest, AKernelIsWhatStandsBeforeTheDevice) {
  EXPECT_EQ(KernelOfSpace("gemm_RTX_3090"), "gemm");
  EXPECT_EQ(KernelOfSpace("gemm"), "gemm");
  EXPECT_EQ(KernelOfSpace("_A100"), "");
  EXPECT_EQ(KernelOfSpace(""), "");
}

TEST(RecordedSplitTest, ASetOfAnotherNameHasNoSpaces) {
  const std::vector<SplitSpace> split = {{"a_1", SplitRole::kTrain, ""},
                                         {"b_1", SplitRole::kTest, ""}};
  for (const char* set : {"", "Train", "all", "a_1", "unseen "}) {
    EXPECT_THAT(SpacesOf(set, split), ElementsAre()) << set;
  }
  EXPECT_THAT(SpacesOf("unseen", {}), ElementsAre());
}

// Blanks, other ends of lines and a missing last one are no damage.
TEST(RecordedSplitTest, AListMayBeWrittenInSeveralWays) {
  const store::ScratchDirectory directory;
  fs::create_directories(directory.File("tuning_spaces"));
  const std::string hash(64, '0');
  std::ofstream(directory.File("tuning_spaces") / "split.txt")
      << "\n  # all\n\ta_1\ttrain\t" << hash << "  \n\n#b_1 test x\nc_1 own "
      << hash;
  const auto split = ReadSplit(directory.File("."));
  ASSERT_TRUE(split) << split.error().what;
  ASSERT_EQ(split->size(), 2u);
  EXPECT_EQ((*split)[1].name, "c_1");
  EXPECT_EQ((*split)[1].role, SplitRole::kOwn);
}

// One digit less, one more, or one that is none.
TEST(RecordedSplitTest, AHashHasItsDigits) {
  const store::ScratchDirectory directory;
  fs::create_directories(directory.File("tuning_spaces"));
  for (const std::string& hash :
       {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'),
        std::string(63, 'a') + "g", std::string()}) {
    std::ofstream(directory.File("tuning_spaces") / "split.txt")
        << "a train " << hash << "\n";
    const auto split = ReadSplit(directory.File("."));
    ASSERT_FALSE(split) << hash;
    EXPECT_EQ(split.error().code, Errc::kUsage);
  }
}

}  // namespace
}  // namespace coppice::engine
