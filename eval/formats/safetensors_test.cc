#include "eval/formats/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
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

// 8 bytes of length and those of the header come first.
TEST_F(SafetensorsTest, FindsTensorsOfEveryTypeWhereTheyAre) {
  const std::pair<DType, std::string> types[] = {
      {DType::kFloat16, "F16"},
      {DType::kBFloat16, "BF16"},
      {DType::kFloat8E4M3FN, "F8_E4M3"},
      {DType::kFloat8E5M2, "F8_E5M2"},
      {DType::kInt64, "I64"}};
  const std::uint64_t sizes[] = {2, 2, 1, 1, 8};
  for (std::size_t i = 0; i < std::size(types); ++i) {
    const auto& [dtype, name] = types[i];
    const std::string header = R"({"b": {"dtype": ")" + name +
                               R"(", "shape": [2], "data_offsets": [8, )" +
                               std::to_string(8 + 2 * sizes[i]) + "]}}";
    Write(header);
    const auto found =
        FindSafetensor({path_, "b"}, {"x", dtype, false, {2}, 2});
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->offset, 8 + header.size() + 8);
    EXPECT_EQ(found->size, 2 * sizes[i]);
  }
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
  EXPECT_EQ(Code(), Errc::kUsage);
  Write(R"({"b": {"dtype": "F32"}})");
  EXPECT_EQ(Code(), Errc::kUsage);
  Write(R"({"b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 12]}})");
  EXPECT_EQ(Code(), Errc::kUsage);
  // Offsets beyond the 24 bytes of data.
  Write(
      R"({"b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [16, 32]}})");
  EXPECT_EQ(Code(), Errc::kUsage);
  std::ofstream(path_, std::ios::trunc)
      << "version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
  EXPECT_THAT(Read().error().what, testing::HasSubstr("git lfs pull"));
  std::ofstream(path_, std::ios::trunc) << "short";
  EXPECT_EQ(Code(), Errc::kUsage);
  std::ofstream(path_, std::ios::trunc) << "\xff\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_EQ(Code(), Errc::kUsage);  // A header of 2^64 - 1 bytes.
}

// Numbers that are none, or wrap around; keys of any script, and twice.
TEST_F(SafetensorsTest, OddHeadersAreReadAsTheySay) {
  const auto with = [&](const std::string& shape, const std::string& offsets) {
    Write(R"({"b": {"dtype": "F32", "shape": )" + shape +
          R"(, "data_offsets": )" + offsets + "}}");
    const auto read = Read();
    return read ? "read" : read.error().what.substr(path_.size() + 2);
  };
  EXPECT_EQ(with("[2, 2]", "[0, 16]"), "read");
  EXPECT_EQ(with("[2, 2]", "[16, 0]"), "data_offsets do not fit the shape");
  EXPECT_EQ(with("[2, 2]", "[9223372036854775792, 9223372036854775807]"),
            "data_offsets do not fit the shape");
  EXPECT_EQ(with("[2, 2]", "[9223372036854775791, 9223372036854775807]"),
            "data end early");
  EXPECT_EQ(with("[2, 2]", "[9, 25]"), "data end early");  // There are 24.
  const std::string header = "header: /b/data_offsets";
  const std::pair<const char*, const char*> offsets[] = {
      {"[18446744073709551608, 8]", "/0: expected an integer >= 0"},
      {"[-16, 0]", "/0: expected an integer >= 0"},
      {"[0, \"end\"]", "/1: expected an integer >= 0"},
      {"[null, 16]", "/0: expected an integer >= 0"},
      {"[0]", ": expected [BEGIN, END]"},
      {"[0, 16, 16]", ": expected [BEGIN, END]"},
      {"\"0, 16\"", ": expected an array"},
      {"null", ": expected an array"}};
  for (const auto& [text, complaint] : offsets) {
    EXPECT_EQ(with("[2, 2]", text), header + complaint) << text;
  }
  for (const char* shape : {"[4]", "[2, 2, 1]", "[]", "[2, 3]"}) {
    EXPECT_EQ(with(shape, "[0, 16]"),
              "tensor b: dtype or shape is not that of input x")
        << shape;
  }
  EXPECT_EQ(with("[2, -2]", "[0, 16]"),
            "header: /b/shape/1: expected an integer >= 0");
  Write(
      R"({"b": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]},
          "b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}})");
  EXPECT_TRUE(Read());  // The last one counts.
  Write(R"({"\u00e9/\ud83c\udf32": {"dtype": "F32", "shape": [2, 2],
            "data_offsets": [0, 16]}})");
  EXPECT_TRUE(ReadSafetensor({path_, "\u00e9/\U0001f332"}, shape_, bytes_));
  EXPECT_FALSE(ReadSafetensor({path_, "e/"}, shape_, bytes_));
}

TEST_F(SafetensorsTest, ADirectoryInItsPlaceIsSaidToBeOne) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(Code(), Errc::kUsage);
  EXPECT_EQ(Read().error().what, path_ + ": is a directory");
  std::filesystem::remove(path_);
}

}  // namespace
}  // namespace coppice::eval
