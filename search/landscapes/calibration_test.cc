#include "search/landscapes/calibration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "store/records/hash.h"

namespace coppice::search {
namespace {

struct Defined {
  Family family;
  int level;
  std::uint64_t hash;
};

// Scores that are kept name their landscape by its definition, so with another
// number they are of no use.  Hashes were computed by a script of its own from
// the table's numbers, each to 17 digits.
TEST(CalibrationTest, DefinitionsAreThoseThatScoresAreKeptOf) {
  for (const auto& [family, level, hash] :
       {Defined{Family::kHill, 1, 0xafc868f1a0b76429},
        Defined{Family::kHill, 2, 0xacee8b347f9d7815},
        Defined{Family::kHill, 3, 0x1d3f297b50a65c18},
        Defined{Family::kNk, 1, 0xc79832e0144ef892},
        Defined{Family::kNk, 2, 0x4c0e750ed3f8f5dd},
        Defined{Family::kNk, 3, 0xe9fd2d7eea294af2},
        Defined{Family::kLadder, 1, 0x6d758115cf08ebf0},
        Defined{Family::kLadder, 2, 0x6a147a9bd18ebb54},
        Defined{Family::kLadder, 3, 0xc98e2f49c1941ad7},
        Defined{Family::kWeak, 1, 0x5de0226a34d68da8},
        Defined{Family::kWeak, 2, 0x1f03f8e9f31f6567},
        Defined{Family::kWeak, 3, 0x9a51bbf9fac78aa9},
        Defined{Family::kDeceptive, 1, 0xca337b35cd86a98c},
        Defined{Family::kDeceptive, 2, 0x164616c02e1c70e7},
        Defined{Family::kDeceptive, 3, 0xb280815cb7624ea3}}) {
    EXPECT_EQ(Fnv1a(DefinitionOf(family, level)), hash)
        << Name(family) << "/" << level;
  }
}

TEST(CalibrationTest, FamiliesAreReadByTheirNames) {
  for (const std::string_view name : kFamilyNames) {
    EXPECT_EQ(Name(*ParseFamily(name)), name);
  }
  EXPECT_EQ(ParseFamily("hil"), std::nullopt);
}

// Added up by hand from the paper's tables 1 to 3: a slip of one digit shows.
TEST(CalibrationTest, ThePapersColumnsHaveTheSumsOfItsTables) {
  double compiled = 0.0;
  double correct = 0.0;
  double success = 0.0;
  double fast_1 = 0.0;
  double speed = 0.0;
  int levels = 0;
  std::int64_t shown = 0;
  for (const PaperRow& row : PaperRows()) {
    compiled += row.compiled.value_or(0.0);
    correct += row.correct.value_or(0.0);
    success += row.success.value_or(0.0);
    fast_1 += row.fast_1;
    speed += row.speed;
    levels += row.level;
    shown += row.window;
  }
  EXPECT_NEAR(compiled, 7.824, 1e-9);
  EXPECT_NEAR(correct, 3.795, 1e-9);
  EXPECT_NEAR(success, 8.0, 1e-9);
  EXPECT_NEAR(fast_1, 6.268, 1e-9);
  EXPECT_NEAR(speed, 14.95, 1e-9);
  EXPECT_EQ(levels, 3 * 1 + 3 * 2 + 5 * 3);
  EXPECT_EQ(shown, 3 * kPaperWindow);  // STARK's alone.
  EXPECT_EQ(PaperTasks(1) + PaperTasks(2) + PaperTasks(3), 30);
  EXPECT_EQ(PaperTasks(1), 14);
}

// ln(0.8 / 0.2) = ln 4.
TEST(CalibrationTest, ALogitIsTheLogarithmOfTheOdds) {
  EXPECT_DOUBLE_EQ(Logit(0.5), 0.0);
  EXPECT_NEAR(Logit(0.8), 1.3862943611198906, 1e-12);
  EXPECT_DOUBLE_EQ(Logit(0.2), -Logit(0.8));
}

}  // namespace
}  // namespace coppice::search
