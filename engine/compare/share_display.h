// Shows to a person how much is done of work that is many equal pieces.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "engine/campaign/display.h"
#include "engine/process/clock.h"

namespace coppice::engine {

class ShareDisplay {
 public:
  ShareDisplay(std::ostream& out, Surface surface, const Clock& clock,
               TerminalWidth columns = {})
      : out_(out),
        surface_(surface),
        clock_(clock),
        columns_(std::move(columns)) {}

  // From here on shares are of that; `done` of it is done already.
  void Begin(std::string_view what, double done);

  // "42 % of the campaigns, about 3:10 left".  On a terminal at most ten times
  // a second, in a plain log a line every half minute.
  void Show(double share);

  // Leaves the cursor on a fresh line.
  void Close();

 private:
  std::string Left(double share) const;

  std::ostream& out_;
  const Surface surface_;
  const Clock& clock_;
  const TerminalWidth columns_;
  std::string what_;
  double done_ = 0.0;      // At the beginning, which was at
  double started_ = 0.0;   // this time; monotonic, as
  double last_ = 0.0;      // when it was shown last.
  bool is_shown_ = false;  // A rewritable line is on the terminal.
};

}  // namespace coppice::engine
