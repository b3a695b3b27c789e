#include "engine/documents/measured_text.h"

#include "engine/campaign/rival.h"
#include "engine/campaign/short_text.h"
#include "store/records/formatted.h"
#include "store/records/speedup.h"

namespace coppice::cli {

std::string NodeText(NodeId node) {
  return "node " + std::to_string(Index(node));
}

std::string WinnerText(NodeId winner,
                       const std::optional<engine::Rival>& rival) {
  const bool is_near = rival && !rival->IsToldApart();
  return std::to_string(Index(winner)) + (is_near ? " ~" : "");
}

std::string TimeBySpeedup(double root_runtime_s, const Speedup& speedup) {
  return engine::DurationText(root_runtime_s / speedup.ratio) +
         " where the root took " + engine::DurationText(root_runtime_s);
}

std::string DollarText(double usd) { return Formatted("$%.4f", usd); }

std::string TimesText(double factor) { return Formatted("%.2fx", factor); }

}  // namespace coppice::cli
