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

}  // namespace
}  // namespace coppice::store
