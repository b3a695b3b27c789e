#include "store/records/session_call.h"

namespace coppice {

std::string_view Name(SessionCallState state) {
  switch (state) {
    case SessionCallState::kBegun:
      return "begun";
    case SessionCallState::kAnswered:
      return "answered";
    case SessionCallState::kRefused:
      return "refused";
  }
  return "unknown";
}

}  // namespace coppice
