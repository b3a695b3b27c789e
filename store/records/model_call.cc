#include "store/records/model_call.h"

namespace coppice {

std::string_view Name(Role role) {
  switch (role) {
    case Role::kPlan:
      return "plan";
    case Role::kCode:
      return "code";
    case Role::kDebug:
      return "debug";
  }
  return "unknown";
}

}  // namespace coppice
