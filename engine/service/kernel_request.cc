#include "engine/service/kernel_request.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "agents/prompt/describe.h"
#include "engine/documents/kernel_file.h"
#include "engine/process/version.h"
#include "engine/service/arguments.h"
#include "engine/service/evaluation_fields.h"
#include "engine/service/operation_context.h"
#include "engine/service/remote_caller.h"
#include "eval/host/whole_file.h"
#include "store/kernel_hash.h"
#include "store/records/evaluation.h"
#include "store/records/language.h"
#include "store/records/tier.h"

namespace coppice::service {
namespace {

constexpr std::uintmax_t kMostFile_bytes = 16 << 20;
constexpr double kWait_s = 40.0;
constexpr double kMostWait_s = 55.0;
constexpr std::size_t kMostSource = 256 << 10;

void AddPlace(const Environment& place, store::FieldHasher& hasher) {
  for (const std::string* text :
       {&place.hardware, &place.system, &place.driver, &place.facts,
        &place.compiler, &place.flags}) {
    hasher.Add(*text);
  }
  hasher.Add(static_cast<std::int64_t>(place.threads));
  for (const auto& [name, version] : place.libraries) {
    hasher.Add(name);
    hasher.Add(version);
  }
}

// A compiler tells lines of what it cannot read: so no file is read that is
// none of a kernel's, as the environment of this process, with its keys.
Result<void> CheckMayOpen(const std::filesystem::path& path, const Call& call) {
  if (call.is_remote) {
    return Fail(Errc::kUsage,
                "path: no file is opened for who asks over a network; give "
                "source");
  }
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error).string();
  for (const char* folder : {"/proc/", "/sys/", "/dev/"}) {
    if (!error && !whole.starts_with(folder)) continue;
    return Fail(Errc::kUsage,
                "path: " + path.string() + " is no kernel's file");
  }
  return {};
}

}  // namespace

Written ReadWritten(Arguments& arguments) {
  Written written{arguments.OptionalText("source").value_or(""),
                  arguments.OptionalText("path").value_or(""),
                  arguments.OptionalText("language").value_or("")};
  if (written.source.empty() == written.path.empty()) {
    arguments.Fault("source: give it or path, one of them");
  }
  if (written.source.size() > kMostSource) {
    arguments.Fault("source: has more than 256 KiB");
  }
  return written;
}

double ReadWait(Arguments& arguments) {
  return arguments.Number("wait_s", 0.0, kMostWait_s, kWait_s);
}

KernelRequest ReadKernelRequest(Arguments& arguments) {
  return {arguments.Text("task"), ReadWritten(arguments), ReadWait(arguments)};
}

Result<RequestedKernel> FindKernel(Service& service, const std::string& task,
                                   const Written& written, const Call& call) {
  TRY_DONE(CheckMayNameTask(service, task, call));
  auto found = OperationContextOf(service).evaluator_pool().FindTask(task);
  if (!found && found.error().code == Errc::kUsage) {
    return Fail(Errc::kUsage, "task: " + found.error().what);
  }
  TRY(known, std::move(found));
  std::string source = written.source;
  if (!written.path.empty()) {
    TRY_DONE(CheckMayOpen(written.path, call));
    auto read = eval::ReadWhole(written.path, kMostFile_bytes);
    if (!read) return Fail(Errc::kUsage, read.error().what);
    source = *std::move(read);
  }
  const std::string name = written.path.empty() ? "source" : written.path;
  TRY(candidate, cli::KernelOf(std::move(source), name, known->task));
  if (!written.language.empty() &&
      written.language != WordFor(candidate.language)) {
    return Fail(Errc::kUsage, "language: kernels of " + task +
                                  " are written in " +
                                  std::string(WordFor(candidate.language)));
  }
  return RequestedKernel{std::move(known), std::move(candidate)};
}

Result<std::optional<store::Digest>> KeyOf(EvaluatorPool& evaluator_pool,
                                           const RequestedKernel& kernel,
                                           std::string_view tier) {
  TRY(place, evaluator_pool.WhereFor(kernel.task->task));
  if (!place) return std::optional<store::Digest>();
  const Candidate& candidate = kernel.candidate;
  store::FieldHasher hasher;
  hasher.Add(engine::Version());
  hasher.Add(std::string_view(
      reinterpret_cast<const char*>(kernel.task->digest.data()),
      kernel.task->digest.size()));
  hasher.Add(WordFor(candidate.language));
  hasher.Add(candidate.entry_symbol);
  hasher.Add(store::TokensOf(candidate.language, candidate.source));
  hasher.Add(tier);
  AddPlace(*place, hasher);
  return std::optional(hasher.Finish());
}

std::optional<std::string> FindVerdict(
    OperationContext& room, const std::optional<store::Digest>& key) {
  if (!key) return std::nullopt;
  auto fields = room.verdicts().Find(*key);
  if (!fields || !KnownOf(*fields)) return std::nullopt;
  return WithoutLostFile(*std::move(fields));
}

Result<std::string> JudgeAndKeep(OperationContext& room,
                                 const RequestedKernel& kernel,
                                 std::string_view tier,
                                 const std::optional<store::Digest>& key,
                                 const Call& call) {
  TRY(evaluation, room.evaluator_pool().Judge(
                      kernel.task->task, kernel.candidate,
                      tier == "check" ? Aim::kCheck : Aim::kTime,
                      tier == "full" ? Tier::kFull : Tier::kFast, call));
  const std::string name =
      store::ToHex(key.value_or(store::Sha256(kernel.candidate.source)));
  std::string fields =
      FieldsOf(kernel.task->task, evaluation, room, name.substr(0, 24));
  if (key && IsForGood(evaluation)) room.verdicts().Keep(*key, fields);
  return fields;
}

std::string Joined(std::string_view more, std::string_view fields) {
  std::string text = "{" + std::string(more);
  fields.remove_prefix(1);
  if (!more.empty() && fields != "}") text += ',';
  return text + std::string(fields);
}

Result<std::string> AnswerOf(const Result<JobView>& job) {
  if (!job) return tl::unexpected<Error>(job.error());
  const std::string more = R"("job":")" + job->id + R"(","state":")" +
                           std::string(Name(job->state)) + '"';
  if (job->state != JobState::kDone) return "{" + more + "}";
  if (!job->answer) return tl::unexpected<Error>(job->answer.error());
  return Joined(more, *job->answer);
}

}  // namespace coppice::service
