// get_job, cancel_job: what goes on after its caller was told to wait.
#include "engine/service/arguments.h"
#include "engine/service/kernel_request.h"
#include "engine/service/operation_context.h"
#include "engine/service/rows.h"
#include "engine/service/schemas.h"
#include "engine/service/service.h"

namespace coppice::service {
namespace {

Result<std::string> GetJob(Service& service, const Call& call,
                           std::string_view text) {
  Arguments arguments(text);
  const std::string job = arguments.Text("job");
  const double wait_s = ReadWait(arguments);
  TRY_DONE(arguments.Done());
  return AnswerOf(OperationContextOf(service).jobs().Wait(call, job, wait_s));
}

Result<std::string> CancelJob(Service& service, const Call& call,
                              std::string_view text) {
  Arguments arguments(text);
  const std::string job = arguments.Text("job");
  TRY_DONE(arguments.Done());
  TRY(view, OperationContextOf(service).jobs().Cancel(call, job));
  return R"({"job":")" + view.id + R"(","state":")" +
         std::string(Name(view.state)) + "\"}";
}

}  // namespace

Operation GetJobOperation() {
  static const std::string request = ObjectSchema(
      Listed({R"("job":{"type":"string"})", kWaitProperty}), R"("job")");
  static const std::string result = R"({"type":"object","properties":{)" +
                                    std::string(kJobProperties) +
                                    R"(},"required":["job","state"]})";
  return {
      .name = "get_job",
      .title = "Wait for a job",
      .description =
          "The answer of a job that was begun before, once it is done: that "
          "of the operation which began it. Until then its state.",
      .effects = {.read_only = true, .idempotent = true},
      .request_schema = request,
      .result_schema = result,
      .answer = GetJob,
  };
}

Operation CancelJobOperation() {
  static const std::string request =
      ObjectSchema(R"("job":{"type":"string"})", R"("job")");
  static const std::string result =
      ObjectSchema(kJobProperties, R"("job","state")");
  return {
      .name = "cancel_job",
      .title = "Cancel a job",
      .description =
          "Ends a job: its kernel's processes are killed, and the device is "
          "free within a second. One that has ended stays as it is, and one "
          "that others have asked for, too, goes on for them.",
      .effects = {.idempotent = true},
      .request_schema = request,
      .result_schema = result,
      .answer = CancelJob,
  };
}

}  // namespace coppice::service
