// list_tasks: what kernels may be written for.
#include "engine/service/rows.h"

namespace coppice::service {
namespace {

Result<std::string> ListTasks(Service& /*service*/, const Call& /*call*/,
                              std::string_view /*request*/) {
  return std::string(R"({"tasks":[],"next_cursor":null})");
}

}  // namespace

Operation ListTasksOperation() {
  return {
      .name = "list_tasks",
      .title = "List tasks",
      .description = "The tasks that kernels can be written for.",
      .effects = {.read_only = true, .idempotent = true},
      .request_schema =
          R"({"type":"object","properties":{},"additionalProperties":false})",
      .result_schema =
          R"({"type":"object","properties":{},"additionalProperties":false})",
      .answer = ListTasks,
  };
}

}  // namespace coppice::service
