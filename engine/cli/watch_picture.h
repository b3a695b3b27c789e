// The picture that `coppice watch` draws, of one campaign or of many, as the
// lines of a terminal.  Pure: what is looked at is read by others, and so is
// the clock.
//
// Stored texts are shown as Printable has them, so none can steer the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/documents/campaign_rows.h"
#include "store/read/history.h"
#include "store/read/improvements.h"
#include "store/write/live_campaigns.h"

namespace coppice::cli {

// Spending in US dollars.
struct Spend {
  double campaign_usd = 0.0;
  double unsettled_usd = 0.0;  // Calls on their way may cost it besides.
  double day_usd = 0.0;        // Of all campaigns of the file, today.
  std::optional<double> cap_usd;
  std::optional<double> day_cap_usd;
};

struct CampaignView {
  Standing standing;
  std::vector<store::Leader> leaders;
  std::vector<store::Improvement> improvements;
  std::vector<store::InFlight> in_flight;
  std::vector<store::Happening> happenings;  // The newest first.
  Spend spend;
  double elapsed_s = 0.0;  // Of running, over all its processes.
};

struct Canvas {
  int columns = 80;
  int rows = 0;  // 0: as many as there is something to show in.
  bool colour = false;
  bool blocks = true;  // Characters that fill parts of a cell; or '#'.
  double now_s = 0.0;  // Unix time.
};

// No line is wider than the canvas, and there are no more than it has rows.
std::vector<std::string> PictureOf(const CampaignView& view,
                                   const Canvas& canvas);

// A line for each, those that run first.
std::vector<std::string> PictureOf(const std::vector<Standing>& standings,
                                   const Canvas& canvas);

// The steps from left to right over `attempts`, higher the faster, by
// logarithms; the top line first.  REQUIRES: rows > 0, columns > 0.
std::vector<std::string> CurveOf(const std::vector<store::Improvement>& steps,
                                 std::int64_t attempts, int columns, int rows,
                                 bool blocks);

}  // namespace coppice::cli
