#include "store/records/attempt.h"

namespace coppice {

std::string_view Name(Stage stage) {
  switch (stage) {
    case Stage::kReserved:
      return "reserved";
    case Stage::kPlanned:
      return "planned";
    case Stage::kCoded:
      return "coded";
    case Stage::kCommitted:
      return "committed";
  }
  return "unknown";
}

}  // namespace coppice
