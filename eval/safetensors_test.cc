#include "eval/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>

namespace coppice::eval {
namespace {

class SafetensorsTest : public testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  // A file with this header, then the floats 1 2 3 4 5 6.
  void Write(const std::string& header) {
    std::ofstream file(path_, std::ios::binary);
    const std::uint64_t length = header.size();
    file.write(reinterpret_cast<const char*>(&length), 8);
    const float data[] = {1, 2, 3, 4, 5, 6};
    file << header;
    file.write(reinterpret_cast<const char*>(data), sizeof data);
  }
  Result<void> Read() { return ReadSafetensor({path_, "b"}, shape_, bytes_); }
  Errc Code() { return Read().error().code; }

  const std::string path_ =
      testing::TempDir() + "coppice_safetensors_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  TensorShape shape_{"x", DType::kFloat32, false, {2, 2}, 4};
  std::vector<std::byte> bytes_ = std::vector<std::byte>(16);
};

TEST_F(SafetensorsTest, ReadsTheNamedTensor) {
  Write(R"({"__metadata__": {"k": "v"},
            "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]}})");
  auto read = Read();
  ASSERT_TRUE(read) << read.error().what;
  float values[4];
  std::memcpy(values, bytes_.data(), sizeof values);
  EXPECT_THAT(values, testing::ElementsAre(3, 4, 5, 6));
}

TEST_F(SafetensorsTest, RefusesAnotherTypeOrShape) {
  Write(R"({"b": {"dtype": "I32", "shape": [2, 2], "data_offsets": [0, 16]}})");
  EXPECT_EQ(Code(), Errc::kUsage);
  Write(R"({"b": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}})");
  EXPECT_EQ(Code(), Errc::kUsage);
}

TEST_F(SafetensorsTest, RefusesWhatIsMissingOrBroken) {
  EXPECT_EQ(Code(), Errc::kNotFound);  // No file.
  Write(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})");
  EXPECT_EQ(Code(), Errc::kNotFound);
  Write("{");
  EXPECT_EQ(Code(), Errc::kCorrupt);
  Write(R"({"b": {"dtype": "F32"}})");
  EXPECT_EQ(Code(), Errc::kCorrupt);
  Write(R"({"b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 12]}})");
  EXPECT_EQ(Code(), Errc::kCorrupt);
  // Offsets beyond the 24 bytes of data.
  Write(
      R"({"b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [16, 32]}})");
  EXPECT_EQ(Code(), Errc::kCorrupt);
  std::ofstream(path_, std::ios::trunc) << "short";
  EXPECT_EQ(Code(), Errc::kCorrupt);
  std::ofstream(path_, std::ios::trunc) << "\xff\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_EQ(Code(), Errc::kCorrupt);  // A header of 2^64 - 1 bytes.
}

}  // namespace
}  // namespace coppice::eval
