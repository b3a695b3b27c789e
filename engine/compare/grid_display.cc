#include "engine/compare/grid_display.h"

#include <ostream>

#include "engine/campaign/outages.h"
#include "engine/campaign/short_text.h"
#include "engine/process/terminal_text.h"
#include "store/records/formatted.h"

namespace coppice::engine {
namespace {

constexpr double kRewriteEvery_s = 0.1;

std::string NameOf(const Cell& cell) {
  return OneLine(cell.task + ", " + cell.policy) + ", seed " +
         std::to_string(cell.seed);
}

std::string CountText(const GridProgress& grid) {
  return std::to_string(grid.done) + "/" + std::to_string(grid.cells);
}

}  // namespace

void GridDisplay::OnCommit(const Cell& cell, const Progress& campaign,
                           const GridProgress& grid) {
  if (surface_ != Surface::kTerminal) return;
  const double now = clock_.Monotonic();
  if (now - last_status_ < kRewriteEvery_s) return;
  last_status_ = now;
  const std::string text = CountText(grid) + " campaigns" + Left(grid) + "; " +
                           NameOf(cell) + ": " + StatusText(campaign);
  out_ << "\r\x1b[K" << Fitting(text, columns_) << std::flush;
  status_shown_ = true;
}

void GridDisplay::OnCell(const Cell& cell, double speedup,
                         const GridProgress& grid) {
  if (surface_ == Surface::kNone) return;
  Close();
  out_ << CountText(grid) << " " << NameOf(cell) << ": "
       << Formatted("%.2fx", speedup) << Left(grid) << "\n"
       << std::flush;
}

void GridDisplay::OnOutage(const Outage& outage) {
  Close();
  out_ << Printable(OutageText(outage)) << "\n" << std::flush;
}

void GridDisplay::Close() {
  if (status_shown_) out_ << "\r\x1b[K" << std::flush;
  status_shown_ = false;
}

std::string GridDisplay::Left(const GridProgress& grid) const {
  if (grid.done_here == 0 || grid.done == grid.cells) return "";
  const double each =
      (clock_.Monotonic() - started_) / static_cast<double>(grid.done_here);
  return ", about " +
         ClockText(each * static_cast<double>(grid.cells - grid.done)) +
         " left";
}

}  // namespace coppice::engine
