#include "engine/display.h"

#include <cmath>
#include <cstdio>
#include <ostream>

namespace coppice::engine {
namespace {

constexpr double kTerminalEvery_s = 0.1;
constexpr double kPlainEvery_s = 10.0;

template <class... Args>
std::string Format(const char* format, Args... args) {
  char text[160];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

std::string BestText(const Progress& progress, const NodeRecord& node) {
  std::string text = progress.campaign + ": node " +
                     std::to_string(Index(node.id)) +
                     Format(" is %.2fx", progress.best_speedup);
  text += ", " + DurationText(*node.evaluation.runtime_s);
  if (node.plan && !node.plan->technique.empty()) {
    text += ", " + node.plan->technique;
  }
  return text;
}

}  // namespace

std::string DurationText(double seconds) {
  if (seconds < 1e-3) return Format("%.3g us", seconds * 1e6);
  if (seconds < 1.0) return Format("%.3g ms", seconds * 1e3);
  return Format("%.2f s", seconds);
}

std::string ClockText(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 3600) return Format("%ld:%02ld", whole / 60, whole % 60);
  return Format("%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string FailureText(const VerdictCounts& verdicts) {
  std::string text;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    if (verdict == Verdict::kPassed || verdicts[i] == 0) continue;
    if (!text.empty()) text += ' ';
    text += std::to_string(verdicts[i]);
    text += ' ';
    text += Name(verdict);
  }
  return text.empty() ? "no failures" : text;
}

std::string StatusText(const Progress& progress) {
  std::string text = std::to_string(progress.attempts) + "/" +
                     std::to_string(progress.budget_attempts) + " attempts";
  if (progress.best != kRootNode) {
    text += Format(", best %.2fx (node %lld)", progress.best_speedup,
                   static_cast<long long>(Index(progress.best)));
  }
  text += ", " + FailureText(progress.verdicts);
  if (progress.left_s) text += ", " + ClockText(*progress.left_s) + " left";
  if (progress.answers_coming > 0) {
    text += Format(", %d %s coming: %lld tokens", progress.answers_coming,
                   progress.answers_coming == 1 ? "answer" : "answers",
                   static_cast<long long>(progress.tokens_come));
  }
  return text;
}

void Display::OnCommit(const Progress& progress, const NodeRecord& node) {
  if (surface_ == Surface::kNone) return;
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
  Status(progress.campaign + ": " + StatusText(progress));
}

void Display::OnConfirm(const Progress& progress, NodeId leader) {
  if (surface_ == Surface::kNone) return;
  Status(progress.campaign + ": measuring node " +
         std::to_string(Index(leader)) + " again");
}

void Display::OnUnanswered(const Progress& progress, std::int64_t decision,
                           const Error& error) {
  if (surface_ == Surface::kNone) return;
  Line(progress.campaign + ": decision " + std::to_string(decision) +
       " is put off: " + error.what);
}

void Display::OnTokens(const Progress& progress) {
  if (surface_ != Surface::kTerminal) return;
  const double now = clock_.Monotonic();
  if (now - last_status_ < kTerminalEvery_s) return;
  last_status_ = now;
  Status(progress.campaign + ": " + StatusText(progress));
}

void Display::Status(const std::string& text) {
  if (surface_ == Surface::kPlain) {
    Line(text);
    return;
  }
  out_ << "\r\033[K" << text << std::flush;
  status_shown_ = true;
}

void Display::Line(const std::string& text) {
  if (status_shown_) out_ << "\r\033[K";
  status_shown_ = false;
  out_ << text << '\n' << std::flush;
}

void Display::Close() {
  if (status_shown_) out_ << '\n' << std::flush;
  status_shown_ = false;
}

}  // namespace coppice::engine
