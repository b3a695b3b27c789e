#include "store/records/window.h"

namespace coppice {

std::string_view Name(Kinship kinship) {
  switch (kinship) {
    case Kinship::kSelected:
      return "selected";
    case Kinship::kRoot:
      return "root";
    case Kinship::kChild:
      return "child";
    case Kinship::kLeader:
      return "leader";
    case Kinship::kNephew:
      return "nephew";
    case Kinship::kSibling:
      return "sibling";
    case Kinship::kMate:
      return "mate";
  }
  return "unknown";
}

std::int64_t Window::NodesCut() const {
  std::int64_t nodes = 0;
  for (const WindowCut& run : cut) nodes += run.nodes;
  return nodes;
}

}  // namespace coppice
