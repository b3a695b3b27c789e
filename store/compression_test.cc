#include "store/compression.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "store/records/random.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

// A text of words that come again, so that it shrinks.
std::string Words(RandomStream& stream, std::uint64_t most) {
  constexpr std::string_view kWords[] = {"for ", "int i", " = 0;\n", "a[i] "};
  std::string text;
  for (std::uint64_t words = stream.Below(most + 1); words > 0; --words) {
    text += kWords[stream.Below(4)];
  }
  return text;
}

TEST(CompressionTest, EveryTextComesBackWithItsPrefix) {
  RandomStream stream(1, Purpose::kSimulation, 0);
  Compressor compressor;
  for (int i = 0; i < 300; ++i) {
    const std::string prefix = i % 3 == 0 ? "" : Words(stream, 200);
    const std::string text = Words(stream, 200);
    const std::string frame = Must(compressor.Compress(text, prefix));
    ASSERT_EQ(Must(compressor.Decompress(frame, prefix, text.size())), text);
  }
}

TEST(CompressionTest, AFrameIsADifferenceOfItsPrefix) {
  RandomStream stream(2, Purpose::kSimulation, 0);
  std::string prefix;
  for (int i = 0; i < 4000; ++i) {
    prefix += static_cast<char>('!' + stream.Below(90));
  }
  std::string text = prefix;
  text[2000] = ' ';
  Compressor compressor;
  EXPECT_LT(Must(compressor.Compress(text, prefix)).size(), 100u);
  // The prefix was of that frame alone.
  EXPECT_GT(Must(compressor.Compress(text, "")).size(), 2000u);
}

// What is written must not depend on what was written before it: files of one
// history are equal.
TEST(CompressionTest, AFrameDependsOnNothingBeforeIt) {
  RandomStream stream(3, Purpose::kSimulation, 0);
  const std::string text = Words(stream, 500);
  const std::string prefix = Words(stream, 500);
  Compressor used;
  for (int i = 0; i < 20; ++i) {
    Must(used.Compress(Words(stream, 300), Words(stream, 300)));
  }
  EXPECT_EQ(Must(used.Compress(text, prefix)),
            Must(Compressor().Compress(text, prefix)));
}

TEST(CompressionTest, DamageIsCorruptAndNeverAnotherText) {
  Compressor compressor;
  const std::string prefix = "for (int i = 0; i < n; ++i) a[i] = b[i] + c[i];";
  const std::string text = prefix + " // and more";
  const std::string frame = Must(compressor.Compress(text, prefix));
  const auto fails = [&](std::string_view bytes, std::string_view base,
                         std::size_t size) {
    const auto read = compressor.Decompress(bytes, base, size);
    return !read && read.error().code == Errc::kCorrupt;
  };
  EXPECT_TRUE(fails("", prefix, text.size()));
  EXPECT_TRUE(fails("no frame", prefix, text.size()));
  EXPECT_TRUE(fails(frame.substr(0, frame.size() - 1), prefix, text.size()));
  EXPECT_TRUE(fails(frame, prefix, text.size() - 1));
  EXPECT_TRUE(fails(frame, prefix, text.size() + 1));
  EXPECT_TRUE(fails(frame, prefix, 0));
  EXPECT_TRUE(fails(frame, "", text.size()));
  // And it reads on after all that.
  EXPECT_EQ(Must(compressor.Decompress(frame, prefix, text.size())), text);
}

}  // namespace
}  // namespace coppice::store
