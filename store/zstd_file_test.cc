#include "store/zstd_file.h"

#include <gtest/gtest.h>

#include "store/compression.h"

namespace coppice::store {
namespace {

std::string Frame(const std::string& text) {
  return *Compressor().Compress(text, "");
}

std::string ErrorOf(const std::string& bytes, std::size_t limit = 1000) {
  const auto text = DecompressFile(bytes, limit);
  return text ? "text" : text.error().what;
}

TEST(ZstdFileTest, GivesTheTextBack) {
  std::string long_text;
  for (int i = 0; i < 100000; ++i) long_text += std::to_string(i % 997);
  EXPECT_EQ(DecompressFile(Frame(long_text), long_text.size()), long_text);
  EXPECT_EQ(DecompressFile(Frame(""), 0), "");
}

TEST(ZstdFileTest, FramesFollowEachOther) {
  EXPECT_EQ(DecompressFile(Frame("one, ") + Frame("two"), 100), "one, two");
}

TEST(ZstdFileTest, DamageIsNamed) {
  EXPECT_EQ(ErrorOf(""), "zstd file: cut off");
  const std::string frame = Frame("a text that is long enough");
  EXPECT_EQ(ErrorOf(frame.substr(0, frame.size() - 4)), "zstd file: cut off");
  EXPECT_EQ(ErrorOf("a,b,status"), "zstd file: Unknown frame descriptor");
  EXPECT_EQ(ErrorOf(frame + "rest"), "zstd file: Unknown frame descriptor");
}

TEST(ZstdFileTest, ATextAboveTheLimitIsRefused) {
  const std::string frame = Frame(std::string(1001, 'x'));
  EXPECT_EQ(ErrorOf(frame), "zstd file: more than 1000 bytes");
  EXPECT_EQ(ErrorOf(frame, 1001), "text");
}

}  // namespace
}  // namespace coppice::store
