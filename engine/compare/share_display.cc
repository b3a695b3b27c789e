#include "engine/compare/share_display.h"

#include <ostream>

#include "engine/campaign/short_text.h"

namespace coppice::engine {
namespace {

constexpr double kRewriteEvery_s = 0.1;
constexpr double kLineEvery_s = 30.0;

}  // namespace

void ShareDisplay::Begin(std::string_view what, double done) {
  what_ = what;
  done_ = done;
  started_ = last_ = clock_.Monotonic();
}

void ShareDisplay::Show(double share) {
  if (surface_ == Surface::kNone) return;
  const bool is_terminal = surface_ == Surface::kTerminal;
  const double now = clock_.Monotonic();
  if (now - last_ < (is_terminal ? kRewriteEvery_s : kLineEvery_s)) return;
  last_ = now;
  const std::string text = std::to_string(static_cast<int>(100.0 * share)) +
                           " % of " + what_ + Left(share);
  if (is_terminal) {
    out_ << "\r\x1b[K" << Fitting(text, columns_) << std::flush;
    is_shown_ = true;
  } else {
    out_ << text << std::endl;
  }
}

void ShareDisplay::Close() {
  if (is_shown_) out_ << "\r\x1b[K" << std::flush;
  is_shown_ = false;
}

std::string ShareDisplay::Left(double share) const {
  if (share <= done_) return "";
  const double each = (clock_.Monotonic() - started_) / (share - done_);
  return ", about " + ClockText(each * (1.0 - share)) + " left";
}

}  // namespace coppice::engine
