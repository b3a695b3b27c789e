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
  }
  return "unknown";
}

}  // namespace coppice
