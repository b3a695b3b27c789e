// Shows a campaign's progress to a person: on a terminal one line that is
// rewritten, elsewhere plain lines, few enough to keep in a log.
#pragma once

#include <iosfwd>
#include <string>

#include "engine/clock.h"
#include "engine/progress.h"

namespace coppice::engine {

enum class Surface { kTerminal, kPlain, kNone };

class Display final : public Observer {
 public:
  Display(std::ostream& out, Surface surface, const Clock& clock)
      : out_(out), surface_(surface), clock_(clock) {}

  // A new best gets a line of its own.  Between them a terminal is refreshed at
  // most ten times a second, and a plain log gets a line every ten seconds.
  void OnCommit(const Progress& progress, const NodeRecord& node) override;

  void OnConfirm(const Progress& progress, NodeId leader) override;

  void OnUnanswered(const Progress& progress, std::int64_t decision,
                    const Error& error) override;

  // Only on a terminal.
  void OnTokens(const Progress& progress) override;

  // Leaves the cursor on a fresh line.
  void Close();

 private:
  void Line(const std::string& text);
  void Status(const std::string& text);

  std::ostream& out_;
  const Surface surface_;
  const Clock& clock_;
  double last_status_ = 0.0;   // Monotonic.
  bool status_shown_ = false;  // A rewritable line is on the terminal.
};

// "12/30 attempts, best 8.31x (node 9), 2 compile_failed 1 crashed, 0:14 left,
// 8 answers coming: 4096 tokens"
std::string StatusText(const Progress& progress);

// "2 compile_failed 1 crashed", or "no failures".
std::string FailureText(const VerdictCounts& verdicts);

// Seconds as "0.37 us", "12.5 ms", "3.20 s".
std::string DurationText(double seconds);

// Seconds as "0:07", "1:02:03".
std::string ClockText(double seconds);

}  // namespace coppice::engine
