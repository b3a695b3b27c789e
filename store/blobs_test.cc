#include "store/blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/connection.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::HasSubstr;

std::string Kernel(int variant) {
  std::string text;
  for (int line = 0; line < 60; ++line) {
    text += "  acc" + std::to_string(line * line * 7919 % 1000) + " += a[" +
            std::to_string(line * 31 % 17) + "] * b[k];\n";
  }
  return text + "// variant " + std::to_string(variant) + "\n";
}

class BlobsTest : public ::testing::Test {
 protected:
  BlobId Put(const std::string& text, std::optional<BlobId> base = {},
             Future future = Future::kBase) {
    const auto stored =
        connection().Write([&] { return blobs().Put(text, base, future); });
    return Must(stored).id;
  }
  Result<std::string> Text(BlobId id) {
    return connection().Read([&] { return blobs().Text(id); });
  }
  std::string Column(const std::string& column, BlobId id) {
    return Rows(database_, "SELECT " + column + " FROM blob WHERE blob_id = " +
                               std::to_string(static_cast<int>(id)))[0];
  }
  Connection& connection() { return database_.connection(); }
  Blobs& blobs() { return connection().blobs(); }

  ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  Database database_ = NewFile(path_);
};

TEST_F(BlobsTest, GivesBackWhatWasPut) {
  const std::string with_nul("a\0b", 3);
  std::vector<std::pair<BlobId, std::string>> put;
  for (const std::string& text : {std::string(), std::string("x"), with_nul,
                                  Kernel(0), std::string(1 << 20, 'y')}) {
    put.emplace_back(Put(text), text);
  }
  blobs().Forget();
  for (const auto& [id, text] : put) EXPECT_EQ(Must(Text(id)), text);
}

TEST_F(BlobsTest, EqualTextsAreStoredOnce) {
  EXPECT_EQ(Put(Kernel(1)), Put(Kernel(1)));
  EXPECT_NE(Put(Kernel(1)), Put(Kernel(2)));
}

// FIPS 180-4 example: SHA-256 of "abc".
TEST_F(BlobsTest, TheAddressIsTheSha256OfTheText) {
  EXPECT_EQ(
      Column("sha256", Put("abc")),
      "x'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'");
}

TEST_F(BlobsTest, ATinyTextIsStoredAsItIs) {
  const BlobId id = Put("point 3 4");
  EXPECT_EQ(Column("codec", id), "0");
  EXPECT_EQ(Column("CAST(bytes AS TEXT)", id), "point 3 4");
}

TEST_F(BlobsTest, ASimilarTextIsStoredAsADifference) {
  const BlobId base = Put(Kernel(1));
  const BlobId id = Put(Kernel(2), base);
  EXPECT_EQ(Column("base_blob", id), std::to_string(static_cast<int>(base)));
  EXPECT_LT(std::stoi(Column("length(bytes)", id)), 60);
  EXPECT_GT(std::stoi(Column("length(bytes)", base)), 300);
  blobs().Forget();
  EXPECT_EQ(Must(Text(id)), Kernel(2));
}

// Depths 0 to 8; then the last is moved to depth 1, to carry the next at 2.
TEST_F(BlobsTest, ChainsAreBounded) {
  std::vector<BlobId> ids = {Put(Kernel(0))};
  const auto grow = [&] {
    const int variant = static_cast<int>(ids.size());
    ids.push_back(Put(Kernel(variant), ids.back()));
  };
  const auto depths = [&] {
    std::string text;
    for (const BlobId id : ids) text += Column("depth", id);
    return text;
  };
  for (int i = 0; i < Blobs::kMaxDepth; ++i) grow();
  EXPECT_EQ(depths(), "012345678");
  grow();
  EXPECT_EQ(depths(), "0123456712");
  for (int i = 0; i < 6; ++i) grow();
  EXPECT_EQ(depths(), "0123456712345678");
  grow();
  EXPECT_EQ(depths(), "01234567123456712");
  EXPECT_EQ(Column("base_blob", ids[15]), "1");
  blobs().Forget();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(Must(Text(ids[i])), Kernel(static_cast<int>(i)));
  }
}

// All children of one node at the end of its chain are differences of it.
TEST_F(BlobsTest, AnEndOfAChainMayCarryMany) {
  BlobId last = Put(Kernel(0));
  for (int i = 1; i <= Blobs::kMaxDepth; ++i) last = Put(Kernel(i), last);
  for (int i = 0; i < 3; ++i) {
    const BlobId child = Put(Kernel(100 + i), last);
    EXPECT_EQ(Column("depth", child), "2");
    EXPECT_EQ(Column("base_blob", child),
              std::to_string(static_cast<int>(last)));
  }
  blobs().Forget();
  EXPECT_EQ(Must(Text(last)), Kernel(Blobs::kMaxDepth));
}

// A leaf is not worth moving the text that it resembles.
TEST_F(BlobsTest, ALeafAtTheEndOfAChainTakesTheBaseOfItsBase) {
  std::vector<BlobId> ids = {Put(Kernel(0))};
  for (int i = 1; i <= Blobs::kMaxDepth; ++i) {
    ids.push_back(Put(Kernel(i), ids.back()));
  }
  const BlobId leaf = Put(Kernel(50), ids.back(), Future::kLeaf);
  EXPECT_EQ(Column("depth", leaf), "8");
  EXPECT_EQ(Column("base_blob", leaf),
            std::to_string(static_cast<int>(ids[ids.size() - 2])));
  EXPECT_EQ(Column("depth", ids.back()), "8");
}

TEST_F(BlobsTest, TextsOfAKindAreDifferencesOfTheLast) {
  const auto put = [this](int campaign, TextKind kind, int variant) {
    const auto stored = connection().Write([&] {
      return blobs().PutLike(CampaignId{campaign}, kind, Kernel(variant));
    });
    return Column("depth", Must(stored).id);
  };
  EXPECT_EQ(put(1, TextKind::kLog, 1), "0");
  EXPECT_EQ(put(1, TextKind::kLog, 2), "1");
  EXPECT_EQ(put(1, TextKind::kPlanPrompt, 3), "0");
  EXPECT_EQ(put(2, TextKind::kLog, 4), "0");
}

TEST_F(BlobsTest, ARolledBackTextIsNobodysBase) {
  const auto failed = connection().Write([&]() -> Result<void> {
    TRY_DONE(blobs()
                 .PutLike(CampaignId{1}, TextKind::kLog, Kernel(1))
                 .map([](const Blobs::Stored&) {}));
    return Fail(Errc::kCancelled, "no");
  });
  EXPECT_FALSE(failed.has_value());
  const auto stored = connection().Write([&] {
    return blobs().PutLike(CampaignId{1}, TextKind::kLog, Kernel(2));
  });
  EXPECT_EQ(Column("depth", Must(stored).id), "0");
}

TEST_F(BlobsTest, MoreTextsThanAreRememberedComeBackRight) {
  std::vector<BlobId> ids;
  for (int i = 0; i < 12; ++i) {
    ids.push_back(Put(std::to_string(i) + std::string(1 << 20, 'z')));
  }
  for (int i = 0; i < 12; ++i) {
    EXPECT_TRUE(Must(Text(ids[static_cast<std::size_t>(i)]))
                    .starts_with(std::to_string(i) + "z"));
  }
}

TEST_F(BlobsTest, AMissingTextIsNotFound) {
  const auto text = Text(BlobId{99});
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().code, Errc::kNotFound);
}

TEST_F(BlobsTest, DamageIsSeenOnReading) {
  const BlobId raw = Put("point 3 4");
  const BlobId other = Put("point 6 7");
  const BlobId base = Put(Kernel(1));
  const BlobId difference = Put(Kernel(2), base);
  const BlobId huge = Put(Kernel(3));
  const BlobId loop = Put(Kernel(4), base);
  const auto damage = [this](const std::string& assignment, BlobId id) {
    Damage(path_, "UPDATE blob SET " + assignment + " WHERE blob_id = " +
                      std::to_string(static_cast<int>(id)));
  };
  damage("bytes = CAST('point 3 5' AS BLOB)", raw);
  damage("base_blob = " + std::to_string(static_cast<int>(other)), difference);
  damage("raw_bytes = 9000000000000", huge);
  damage("base_blob = blob_id", loop);
  blobs().Forget();
  for (const BlobId id : {raw, difference, huge, loop}) {
    const auto text = Text(id);
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(text.error().code, Errc::kCorrupt);
    EXPECT_THAT(text.error().what,
                HasSubstr("blob " + std::to_string(static_cast<int>(id))));
  }
}

}  // namespace
}  // namespace coppice::store
