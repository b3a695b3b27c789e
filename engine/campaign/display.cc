#include "engine/campaign/display.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <ostream>

#include "engine/campaign/event_lines.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/short_text.h"
#include "engine/process/clock.h"
#include "engine/process/terminal_text.h"
#include "store/records/directive.h"
#include "store/records/formatted.h"
#include "store/records/node.h"
#include "store/records/speedup_text.h"

namespace coppice::engine {
namespace {

constexpr double kTerminalEvery_s = 0.1;
constexpr double kPlainEvery_s = 10.0;

std::string BestText(const Progress& progress, const NodeRecord& node) {
  std::string text = progress.campaign + ": node " +
                     std::to_string(Index(node.id)) + " is " +
                     SpeedupText(progress.best_speedup);
  if (progress.best_speedup.Sign() <= 0) text += ", cannot tell yet";
  if (node.plan && !node.plan->technique.empty()) {
    text += ", " + node.plan->technique;
  }
  return text;
}

// "8.31x" of "8.31x (8.12-8.50)".
std::string WithoutInterval(const std::string& speedup) {
  return speedup.substr(0, speedup.find(' '));
}

enum class Room : std::uint8_t { kWide, kNarrow };

std::string CountText(const Progress& progress, Room room) {
  std::string text = std::to_string(progress.attempts) + "/" +
                     std::to_string(progress.budget_attempts) + " attempts";
  if (progress.best != kRootNode) {
    const std::string best = SpeedupText(progress.best_speedup);
    text += ", best " + (room == Room::kWide ? best : WithoutInterval(best)) +
            " at node " + std::to_string(Index(progress.best));
  }
  return text;
}

std::string LeftText(const Progress& progress) {
  if (progress.attempts >= progress.budget_attempts) return "";
  return progress.left_s ? ", " + ClockText(*progress.left_s) + " left" : "";
}

std::string ComingText(const Progress& progress) {
  if (progress.answers_coming == 0) return "";
  return Formatted(", %d %s coming: %lld tokens", progress.answers_coming,
                   progress.answers_coming == 1 ? "answer" : "answers",
                   static_cast<long long>(progress.tokens_come));
}

std::int64_t FailureCount(const VerdictCounts& verdicts) {
  return std::accumulate(verdicts.begin(), verdicts.end(), std::int64_t{0}) -
         verdicts.at(static_cast<std::size_t>(Verdict::kPassed)) -
         verdicts.at(static_cast<std::size_t>(Verdict::kInconclusive));
}

// What a line that is rewritten may take: two cells are for the ^C that a
// terminal shows after it, and some wrap as soon as the last one is written.
std::size_t WidthOfLine(const TerminalWidth& columns) {
  return static_cast<std::size_t>(std::max(columns() - 3, 1));
}

}  // namespace

std::string StatusText(const Progress& progress) {
  std::string text = CountText(progress, Room::kWide) + ", " +
                     FailureText(progress.verdicts) + LeftText(progress);
  return text + ComingText(progress);
}

std::string StatusLine(const Progress& progress, std::size_t width) {
  const std::string campaign = Printable(progress.campaign);
  const std::string name = campaign + ": ";
  std::string line = name + StatusText(progress);
  if (DisplayWidth(line) <= width) return line;
  line = name + CountText(progress, Room::kNarrow) + LeftText(progress);
  const std::int64_t failures = FailureCount(progress.verdicts);
  if (failures > 0) {
    line += ", " + std::to_string(failures) +
            (failures == 1 ? " failure" : " failures");
  }
  if (DisplayWidth(line) <= width) return line;
  line = CountText(progress, Room::kNarrow) + LeftText(progress);
  const std::size_t left = width - std::min(width, DisplayWidth(line));
  constexpr std::size_t kLeast = 8;  // Less says too little of a name.
  if (left >= kLeast + 2) return Shorten(campaign, left - 2) + ": " + line;
  return Shorten(line, width);
}

std::string Fitting(const std::string& text, const TerminalWidth& columns) {
  return columns ? Shorten(text, WidthOfLine(columns)) : Printable(text);
}

void Display::OnCommit(const Progress& progress, const NodeRecord& node) {
  if (surface_ == Surface::kNone) return;
  const std::lock_guard lock(mutex_);
  if (surface_ == Surface::kJson) {
    out_ << CommitEvent(progress, node) << std::endl;
    return;
  }
  if (node.id == kRootNode) {
    Line(progress.campaign + ": root runs in " +
         DurationText(*progress.root_runtime_s));
    return;
  }
  if (progress.best == node.id) {
    Line(BestText(progress, node));
  }
  const double now = clock_.Monotonic();
  const bool done = progress.attempts == progress.budget_attempts;
  const double every =
      surface_ == Surface::kTerminal ? kTerminalEvery_s : kPlainEvery_s;
  if (!done && now - last_status_ < every) return;
  last_status_ = now;
  Status(progress);
}

void Display::OnConfirm(const Progress& progress, NodeId leader) {
  if (surface_ == Surface::kNone) return;
  const std::lock_guard lock(mutex_);
  if (surface_ == Surface::kJson) {
    out_ << ConfirmEvent(progress, leader) << std::endl;
    return;
  }
  Status(progress.campaign + ": measuring node " +
         std::to_string(Index(leader)) + " again");
}

void Display::OnUnanswered(const Progress& progress, std::int64_t decision,
                           const Error& error) {
  if (surface_ == Surface::kNone) return;
  const std::lock_guard lock(mutex_);
  Line(progress.campaign + ": decision " + std::to_string(decision) +
       " is put off: " + error.what);
}

void Display::OnOutage(const Outage& outage) {
  const std::lock_guard lock(mutex_);
  Line(OutageText(outage));
}

void Display::OnSteered(const Progress& progress, const Directive& directive) {
  if (surface_ == Surface::kNone) return;
  Say(progress.campaign + ": " + SteeredText(directive));
}

void Display::Say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  Line(text);
}

void Display::OnTokens(const Progress& progress) {
  if (surface_ != Surface::kTerminal) return;
  const std::lock_guard lock(mutex_);
  const double now = clock_.Monotonic();
  if (now - last_status_ < kTerminalEvery_s) return;
  last_status_ = now;
  Status(progress);
}

void Display::Status(const Progress& progress) {
  if (surface_ == Surface::kTerminal && columns_) {
    Status(StatusLine(progress, WidthOfLine(columns_)));
    return;
  }
  Status(progress.campaign + ": " + StatusText(progress));
}

void Display::Status(const std::string& text) {
  if (surface_ == Surface::kPlain) {
    Line(text);
    return;
  }
  out_ << "\r\033[K" << Fitting(text, columns_) << std::flush;
  status_shown_ = true;
}

void Display::Line(const std::string& text) {
  if (surface_ == Surface::kJson) {
    out_ << SaidEvent(text) << std::endl;
    return;
  }
  if (status_shown_) out_ << "\r\033[K";
  status_shown_ = false;
  out_ << Printable(text) << '\n' << std::flush;
}

void Display::Close() {
  const std::lock_guard lock(mutex_);
  if (status_shown_) out_ << '\n' << std::flush;
  status_shown_ = false;
}

}  // namespace coppice::engine
