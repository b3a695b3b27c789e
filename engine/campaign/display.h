// Shows a campaign's progress to a person: on a terminal one line that is
// rewritten, elsewhere plain lines, few enough to keep in a log.  Programs get
// every event as a line of JSON (event_lines.h).
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <utility>

#include "engine/campaign/progress.h"

namespace coppice::engine {

class Clock;

enum class Surface { kTerminal, kPlain, kNone, kJson };

// Asked each time, as a terminal may be resized.  None: a line may be of any
// length.
using TerminalWidth = std::function<int()>;

// `text` as a line that is rewritten: no wider than the terminal, since what
// wraps cannot be rewritten.
std::string Fitting(const std::string& text, const TerminalWidth& columns);

class Display final : public Observer {
 public:
  Display(std::ostream& out, Surface surface, const Clock& clock,
          TerminalWidth columns = {})
      : out_(out),
        surface_(surface),
        clock_(clock),
        columns_(std::move(columns)) {}

  // A new best gets a line of its own.  Between them a terminal is refreshed at
  // most ten times a second, and a plain log gets a line every ten seconds.
  void OnCommit(const Progress& progress, const NodeRecord& node) override;

  void OnConfirm(const Progress& progress, NodeId leader) override;

  void OnUnanswered(const Progress& progress, std::int64_t decision,
                    const Error& error) override;

  void OnAside(const std::string& line) override { Say(line); }

  void OnSteered(const Progress& progress, const Directive& directive) override;

  // Also where there is no surface: nothing else happens meanwhile.
  void OnOutage(const Outage& outage) override;

  // Only on a terminal.
  void OnTokens(const Progress& progress) override;

  // A line between the others.
  void Say(const std::string& text);

  // Leaves the cursor on a fresh line.
  void Close();

 private:
  // REQUIRES: mutex_ is held.
  void Line(const std::string& text);
  void Status(const std::string& text);
  void Status(const Progress& progress);

  std::ostream& out_;
  const Surface surface_;
  const Clock& clock_;
  const TerminalWidth columns_;
  std::mutex mutex_;           // An outage may come at any time.  Guards
  double last_status_ = 0.0;   // Monotonic.
  bool status_shown_ = false;  // A rewritable line is on the terminal.
};

// "12/30 attempts, best 8.31x (8.12-8.50) at node 9, 2 compile_failed 1
// crashed, 0:14 left, 8 answers coming: 4096 tokens"
std::string StatusText(const Progress& progress);

// With the campaign's name before it, in at most `width` cells.  What matters
// least is left out first: the interval, which failures, the answers that
// come, the end of the name.
std::string StatusLine(const Progress& progress, std::size_t width);

}  // namespace coppice::engine
