#include "agents/repair.h"

#include <string>

namespace coppice::agents {

ModelRequest RepairRequest(const ModelRequest& request, std::string_view answer,
                           std::string_view why) {
  ModelRequest repair = request;
  repair.user_prompt +=
      "\n\n# Your last answer could not be used\n\nReason: " +
      std::string(why) +
      "\n\nThe answer was, between the lines of equal signs:\n\n"
      "==========\n" +
      std::string(answer) +
      "\n==========\n\n"
      "Answer again, in full and in the form that was asked for above. Change "
      "nothing else about it.\n";
  return repair;
}

}  // namespace coppice::agents
