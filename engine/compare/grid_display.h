// Shows to a person how far the campaigns of a comparison are: a line for each
// that comes to its end, and on a terminal one that is rewritten below them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>

#include "engine/campaign/display.h"
#include "engine/compare/grid_run.h"
#include "engine/process/clock.h"

namespace coppice::engine {

class GridDisplay final : public GridObserver {
 public:
  GridDisplay(std::ostream& out, Surface surface, const Clock& clock,
              TerminalWidth columns = {})
      : out_(out),
        surface_(surface),
        clock_(clock),
        columns_(std::move(columns)),
        started_(clock.Monotonic()) {}

  void OnCommit(const Cell& cell, const Progress& campaign,
                const GridProgress& grid) override;
  void OnCell(const Cell& cell, double speedup,
              const GridProgress& grid) override;
  void OnOutage(const Outage& outage) override;

  // Leaves the cursor on a fresh line.
  void Close();

 private:
  std::string Left(const GridProgress& grid) const;

  std::ostream& out_;
  const Surface surface_;
  const Clock& clock_;
  const TerminalWidth columns_;
  const double started_;       // Monotonic.
  double last_status_ = 0.0;   // Monotonic.
  bool status_shown_ = false;  // A rewritable line is on the terminal.
};

}  // namespace coppice::engine
