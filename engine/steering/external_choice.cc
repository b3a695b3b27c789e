#include "engine/steering/external_choice.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kBeside = "; ";
constexpr std::string_view kTakes = " takes node ";

}  // namespace

search::Selection ExternalChoice(NodeId wanted, std::string_view why,
                                 std::string_view policy,
                                 const search::Selection& own) {
  search::Selection selection;
  selection.node = wanted;
  selection.reason = why;
  selection.reason += kBeside;
  selection.reason += policy;
  selection.reason += kTakes;
  selection.reason += std::to_string(Index(own.node));
  if (own.mate) selection.reason += " x " + std::to_string(Index(*own.mate));
  selection.reason += ": " + own.reason;
  return selection;
}

std::optional<ExternalReason> ReadExternalReason(std::string_view reason) {
  const std::size_t beside = reason.find(kBeside);
  if (beside == std::string_view::npos) return std::nullopt;
  const std::string_view rest = reason.substr(beside + kBeside.size());
  const std::size_t takes = rest.find(kTakes);
  if (takes == std::string_view::npos) return std::nullopt;
  return ExternalReason{std::string(reason.substr(0, beside)),
                        std::string(rest.substr(0, takes))};
}

}  // namespace coppice::engine
