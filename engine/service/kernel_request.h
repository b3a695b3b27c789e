// What the operations on one kernel have in common: which kernel for which
// task, how long to wait, and what is answered while it is not done.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "store/digest.h"
#include "store/records/candidate.h"
#include "store/records/result.h"

namespace coppice::service {

class Arguments;
struct Call;
class EvaluatorPool;
class Service;
struct JobView;
struct KnownTask;
class OperationContext;

struct Written {
  std::string source;
  std::string path;      // Instead, if it is not empty.
  std::string language;  // Empty: that of the task.
};

// The fields source, path and language; one of the first two must be there.
Written ReadWritten(Arguments& arguments);

// The field wait_s, in seconds.
double ReadWait(Arguments& arguments);

// What is asked of one kernel: the fields task and all of the above.
struct KernelRequest {
  std::string task;
  Written written;
  double wait_s = 0.0;
};
KernelRequest ReadKernelRequest(Arguments& arguments);

struct RequestedKernel {
  std::shared_ptr<const KnownTask> task;
  Candidate candidate;
};

// kUsage, about `task` or the source: it is not there, or not of its kind, or
// its file is not to be opened for this caller.
Result<RequestedKernel> FindKernel(Service& service, const std::string& task,
                                   const Written& written, const Call& call);

// A digest of all that a verdict on the kernel depends on.  None: it is not
// known where it will be judged, so that no verdict from before counts.
Result<std::optional<store::Digest>> KeyOf(EvaluatorPool& evaluator_pool,
                                           const RequestedKernel& kernel,
                                           std::string_view tier);

// What is known of a kernel of that key from before, as FieldsOf has it.  None:
// it is to be judged.
std::optional<std::string> FindVerdict(OperationContext& room,
                                       const std::optional<store::Digest>& key);

// The same from now, kept for later if it would be the same then.
Result<std::string> JudgeAndKeep(OperationContext& room,
                                 const RequestedKernel& kernel,
                                 std::string_view tier,
                                 const std::optional<store::Digest>& key,
                                 const Call& call);

// The answer to who waited: the job's own once it is done, with its id and
// state; else these alone.
Result<std::string> AnswerOf(const Result<JobView>& job);

// `fields` is a JSON object with none of the names in `more`, which is the
// inside of another: {"a":1} and "b":2 make {"b":2,"a":1}.
std::string Joined(std::string_view more, std::string_view fields);

}  // namespace coppice::service
