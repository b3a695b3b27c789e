#include "engine/compare/share_display.h"

#include <gtest/gtest.h>

#include <sstream>

namespace coppice::engine {
namespace {

class ManualClock final : public Clock {
 public:
  double UnixSeconds() const override { return 0.0; }
  double Monotonic() const override { return now_s; }
  double now_s = 100.0;
};

// A fifth was done before.  Of the rest a fifth more took 31 s, so the three
// that are left take 93 s.
TEST(ShareDisplayTest, APlainLogGetsALineEveryHalfMinute) {
  std::ostringstream out;
  ManualClock clock;
  ShareDisplay display(out, Surface::kPlain, clock);
  display.Begin("the campaigns", 0.2);
  clock.now_s += 29.0;
  display.Show(0.39);
  EXPECT_EQ(out.str(), "");
  clock.now_s += 2.0;
  display.Show(0.4);
  display.Show(0.41);
  EXPECT_EQ(out.str(), "40 % of the campaigns, about 1:33 left\n");
}

TEST(ShareDisplayTest, ATerminalHasOneLineWhichIsTakenAway) {
  std::ostringstream out;
  ManualClock clock;
  ShareDisplay display(out, Surface::kTerminal, clock);
  display.Begin("the campaigns", 0.0);
  clock.now_s += 1.0;
  display.Show(0.5);
  display.Show(0.6);  // Too soon.
  display.Close();
  EXPECT_EQ(out.str(),
            "\r\x1b[K50 % of the campaigns, about 0:01 left\r\x1b[K");
}

TEST(ShareDisplayTest, WithoutASurfaceNothingIsSaid) {
  std::ostringstream out;
  ManualClock clock;
  ShareDisplay display(out, Surface::kNone, clock);
  display.Begin("the campaigns", 0.0);
  clock.now_s += 100.0;
  display.Show(0.5);
  display.Close();
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace coppice::engine
