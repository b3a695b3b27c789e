#include "agents/catalogue/agent/catalogue.h"

#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/device_moves.h"
#include "agents/catalogue/cuda/device_source.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/suggest_moves.h"

namespace coppice::agents::catalogue {

tl::expected<std::string, std::string> RewriteSpan(const std::string& source,
                                                   int first, int last,
                                                   std::string_view label,
                                                   const Setting& setting) {
  const std::vector<Technique> techniques = ParseLabel(label);
  if (techniques.empty()) return NoReason("the technique has no label");
  if (cuda::IsDeviceSource(source)) {
    return cuda::RewriteDevice(source, techniques, setting.root);
  }
  return RewriteLoops(source, {first, last}, techniques, setting);
}

std::vector<Move> MovesOn(const std::string& source, const Setting& setting) {
  if (cuda::IsDeviceSource(source)) {
    return cuda::SuggestDeviceMoves(source, setting);
  }
  const auto kernel = ParseKernel(source);
  if (!kernel) return {};
  return SuggestMoves(Survey(*kernel, setting));
}

std::optional<Lines> WholeSpan(const std::string& source) {
  if (cuda::IsDeviceSource(source)) return cuda::WholeDeviceSpan(source);
  const auto kernel = ParseKernel(source);
  if (!kernel || kernel->body.empty()) return std::nullopt;
  return Lines{kernel->body.front().first_line, kernel->body.back().last_line};
}

}  // namespace coppice::agents::catalogue
