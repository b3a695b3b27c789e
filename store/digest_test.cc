#include "store/digest.h"

#include <gtest/gtest.h>

namespace coppice::store {
namespace {

// FIPS 180-4 and NIST's examples.
TEST(DigestTest, KnownAnswers) {
  EXPECT_EQ(ToHex(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(ToHex(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// The first bytes of SHA-256("abc") are ba 78 16 bf 8f 01 cf ea.
TEST(DigestTest, AShortHashIsTheFirstBytesAndNeverZero) {
  EXPECT_EQ(ShortHash(Sha256("abc")), 0xba7816bf8f01cfeau);
  EXPECT_EQ(ShortHash(Digest{}), 1u);
}

std::string HashOf(const std::vector<std::string_view>& fields) {
  FieldHasher hasher;
  for (const std::string_view field : fields) hasher.Add(field);
  return ToHex(hasher.Finish());
}

TEST(DigestTest, FieldsDoNotRunTogether) {
  EXPECT_NE(HashOf({"ab", "c"}), HashOf({"a", "bc"}));
  EXPECT_NE(HashOf({"ab"}), HashOf({"a", "b"}));
  EXPECT_NE(HashOf({"", "a"}), HashOf({"a", ""}));
  EXPECT_NE(HashOf({}), HashOf({""}));
  EXPECT_NE(HashOf({"1:a"}), HashOf({"a"}));
}

// "3:abc" by hand: sha256sum of these five bytes.
TEST(DigestTest, AFieldIsItsLengthAColonAndItsBytes) {
  EXPECT_EQ(HashOf({"abc"}), ToHex(Sha256("3:abc")));
}

// As its decimal digits: "2:-7" and "1:0", by hand.
TEST(DigestTest, ANumberIsAFieldOfItsDigits) {
  FieldHasher hasher;
  hasher.Add(std::int64_t{-7});
  hasher.Add(std::int64_t{0});
  EXPECT_EQ(ToHex(hasher.Finish()), ToHex(Sha256("2:-71:0")));
  EXPECT_EQ(HashOf({"-7", "0"}), ToHex(Sha256("2:-71:0")));
}

// 0 stands for no text: a hash that happens to be 0 is another one.
TEST(DigestTest, AShortHashHasItsFirstByteHighest) {
  Digest digest{};
  digest[0] = 0x80;
  EXPECT_EQ(ShortHash(digest), std::uint64_t{1} << 63);
  digest[0] = 0;
  digest[7] = 2;
  EXPECT_EQ(ShortHash(digest), 2u);
  digest[7] = 0;
  digest[8] = 0xff;  // Of the bytes that do not count.
  EXPECT_EQ(ShortHash(digest), 1u);
}

}  // namespace
}  // namespace coppice::store
