#include "eval/cuda/bench.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "eval/cuda/adversarial.h"
#include "eval/cuda/host_inputs.h"
#include "eval/host/whole_file.h"
#include "eval/judge/compare.h"
#include "eval/judge/inputs.h"
#include "eval/judge/poison.h"
#include "store/records/evaluation.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kTrustedSeconds = 60.0;
constexpr std::uint32_t kUsualSets = 2;
constexpr std::uint64_t kDataMemory = std::uint64_t{4} << 30;  // Of a bench.
constexpr std::uint64_t kMaxDataSets = 32;
constexpr std::uint64_t kDataStreamsPerBench = std::uint64_t{1} << 40;

// What 64 atomic additions lose in device memory, where they flush subnormal
// numbers (PTX ISA, atom): 2^-126 each.  float16 has none so small.
double Flushed(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kBFloat16 ? 0x1p-120 : 0.0;
}

}  // namespace

CudaBench::CudaBench(const TrustedRunners& runners, CudaBenchOptions options,
                     const Task& task, const Workload& workload)
    : runners_(runners),
      options_(std::move(options)),
      task_(task),
      workload_(workload),
      adversarial_(std::move(options_.adversarial)),
      sets_(options_.batch == 0 ? kUsualSets : options_.batch),
      adversarial_kinds_(
          adversarial_ == nullptr ? 0 : adversarial_->kinds().size()),
      secrets_(options_.seed, Purpose::kInputs,
               (options_.stream + 1) * kDataStreamsPerBench - 1) {}

CudaBench::~CudaBench() = default;

Result<std::unique_ptr<CudaBench>> CudaBench::Open(
    const TrustedRunners& runners, CudaBenchOptions options, const Task& task,
    const Workload& workload) {
  std::unique_ptr<CudaBench> bench(
      new CudaBench(runners, std::move(options), task, workload));
  TRY_DONE(bench->Prepare());
  return bench;
}

tl::unexpected<Error> CudaBench::Broken(const char* role,
                                        const std::string& log) const {
  return Fail(Errc::kUsage, task_.definition.name + ": workload " +
                                workload_.uuid + ": " + role + ": " + log);
}

Result<RunnerAnswer> CudaBench::Keep(const RunnerRequest& request,
                                     std::span<const int> descriptors) {
  RunnerRequest numbered = request;
  numbered.workload = options_.number;
  TRY(answer,
      runners_.trusted_runner->Ask(numbered, kTrustedSeconds, descriptors));
  if (answer.verdict != Verdict::kPassed) return Broken("oracle", answer.log);
  return answer;
}

Result<void> CudaBench::OpenTrustedRunner() {
  TRY_ASSIGN(keeper_control_, WriteControl(options_.oracle, shapes_, sets_));
  std::uint64_t bytes = BytesOf(shapes_.inputs);
  for (std::size_t i = 0; i < shapes_.outputs.size(); ++i) {
    const TensorShape& shape = shapes_.outputs[i];
    bytes += shape.elements * 2 * sizeof(double);
    // AllowedError is scale m + floor, which its values at 1 and at nearly 0
    // give.
    const double tiny = std::numeric_limits<double>::denorm_min();
    keeper_control().scale[i] =
        task_.tolerance.factor * UnitRoundoff(shape.dtype);
    keeper_control().floor[i] =
        AllowedError(0.0, tiny, task_.tolerance, shape.dtype) +
        Flushed(shape.dtype);
  }
  keeper_control().part = Part::kKeeper;
  const std::uint64_t count =
      options_.batch != 0
          ? options_.batch
          : std::clamp(kDataMemory / std::max<std::uint64_t>(bytes, 1),
                       std::uint64_t{4}, kMaxDataSets);
  data_.resize(count + adversarial_kinds_);
  keeper_control().data_sets = static_cast<std::uint32_t>(data_.size());

  TRY(code, OpenToRead(options_.oracle.code));
  const std::array<int, 2> descriptors = {keeper_control_.fd(), code.get()};
  TRY(opened, Keep(RequestFor(RequestKind::kOpen), descriptors));
  tensors_ = std::move(opened.descriptors);
  return {};
}

Result<void> CudaBench::Prepare() {
  TRY_ASSIGN(shapes_, Resolve(task_.definition, workload_));
  for (const TensorShape& output : shapes_.outputs) {
    if (!output.starts_as) continue;
    return Fail(Errc::kUsage, task_.definition.name + ": tag starts:" +
                                  output.name + ": is of tasks in C++");
  }
  TRY_DONE(OpenTrustedRunner());
  TRY(root, KernelProcess::Open(runners_.root, options_.number, options_.root,
                                shapes_, sets_, tensors_, kTrustedSeconds));
  if (root.opened().verdict != Verdict::kPassed) {
    return Broken("root", root.opened().log);
  }
  root_ = std::move(root);

  for (std::uint32_t data = 0; data < data_sets(); ++data) {
    TRY_DONE(Renew(data));
  }
  // The first answer pays for warming up; the second is like all others.
  TRY_DONE(CheckRoot());
  const auto start = Clock::now();
  TRY_DONE(Renew(0));
  TRY_DONE(Judge(0, 0));
  data_set_cost_s_ = Seconds(Clock::now() - start);
  return TimeRootAlone();
}

Result<void> CudaBench::TimeRootAlone() {
  constexpr int kCalls = 12;
  std::vector<double> seconds;
  for (int i = 0; i < kCalls; ++i) {
    TRY_DONE(Stage(0, 0));
    TRY(call, CallRoot(0, 0));
    seconds.push_back(call.event_s);
  }
  root_alone_s_ = Median(std::move(seconds));
  return {};
}

Result<void> CudaBench::Upload(std::uint32_t data, std::size_t input,
                               const SharedMemory& memory) {
  if (shapes_.inputs[input].scalar) {
    std::memcpy(&data_[data].cells[input], memory.data(), 8);
    return {};
  }
  const std::array<int, 1> descriptors = {memory.fd()};
  TRY_DONE(Keep(
      RequestFor(RequestKind::kUpload, static_cast<std::uint32_t>(input), data),
      descriptors));
  return {};
}

Result<void> CudaBench::Renew(std::uint32_t data) {
  RunnerRequest request = RequestFor(RequestKind::kGenerate, 0, data);
  request.seed = Secret();
  TRY_DONE(Keep(request));
  data_[data].revealed = false;
  // Scalars, and what the workload gives, are made here.
  Shapes given;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < shapes_.inputs.size(); ++i) {
    const bool from_file =
        std::ranges::any_of(workload_.inputs, [&](const auto& input) {
          return input.first == shapes_.inputs[i].name &&
                 std::holds_alternative<SafetensorsInput>(input.second);
        });
    if (!shapes_.inputs[i].scalar && !from_file) continue;
    given.inputs.push_back(shapes_.inputs[i]);
    numbers.push_back(i);
  }
  RandomStream stream(Secret(), Purpose::kInputs, 0);
  TRY(made, MakeInputs(given, workload_, stream));
  TRY(inputs, ShareInputs(made));
  for (std::size_t g = 0; g < inputs.size(); ++g) {
    TRY_DONE(Upload(data, numbers[g], inputs[g]));
  }
  return {};
}

Result<std::uint32_t> CudaBench::AdversarialData(std::size_t kind) {
  const auto data = static_cast<std::uint32_t>(data_sets() + kind);
  if (data_[data].filled) return data;
  TRY(inputs, adversarial_->Take(kind));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    TRY_DONE(Upload(data, i, inputs[i]));
  }
  data_[data].filled = true;
  return data;
}

void CudaBench::MakePatterns() {
  const PoisonKind kind =
      poisonings_++ % 2 == 0 ? PoisonKind::kNan : PoisonKind::kFinite;
  for (std::size_t i = 0; i < shapes_.outputs.size(); ++i) {
    keeper_control().patterns[i] =
        MakePoison(Secret(), shapes_.outputs[i].dtype, kind);
  }
}

Result<void> CudaBench::Stage(std::uint32_t set, std::uint32_t data) {
  MakePatterns();
  TRY_DONE(Keep(RequestFor(RequestKind::kStage, set, data)));
  return {};
}

Result<CallErrors> CudaBench::Judge(std::uint32_t set, std::uint32_t data) {
  if (!data_[data].revealed) {
    keeper_control().cells = data_[data].cells;
    TRY_DONE(Keep(RequestFor(RequestKind::kReveal, set, data)));
    data_[data].revealed = true;
  }
  TRY(answer, Keep(RequestFor(RequestKind::kJudge, set, data)));
  return answer.reply.judgement;
}

CallSurroundings CudaBench::SurroundingsOf(std::uint32_t data) {
  return {.cells = data_[data].cells, .scratch_pattern = Secret()};
}

Result<KernelCall> CudaBench::CallRoot(std::uint32_t set, std::uint32_t data) {
  TRY(awake, root_->Wake(kTrustedSeconds));
  if (awake.verdict != Verdict::kPassed) return Broken("root", awake.log);
  TRY(call, root_->Go(set, SurroundingsOf(data), kTrustedSeconds));
  if (call.verdict != Verdict::kPassed) return Broken("root", call.log);
  return call;
}

void CudaBench::ShareScalars() {
  for (Data& data : data_) data.cells = data_.front().cells;
}

Result<CudaBench::Batch> CudaBench::GoAll(KernelProcess& kernel_process,
                                          std::uint32_t count,
                                          double timeout_s) {
  MakePatterns();
  const CallSurroundings surroundings = SurroundingsOf(0);
  TRY(awake, kernel_process.Wake(timeout_s));
  if (awake.verdict != Verdict::kPassed) {
    return Batch{std::move(awake), 0.0};
  }
  const auto start = Clock::now();
  TRY_DONE(Keep(RequestFor(RequestKind::kStageAll)));
  TRY(answer, kernel_process.GoAll(count, surroundings, timeout_s));
  if (answer.verdict != Verdict::kPassed) {
    return Batch{std::move(answer), 0.0};
  }
  TRY_DONE(Keep(RequestFor(RequestKind::kCommitAll)));
  const double wall_s = Seconds(Clock::now() - start);
  kernel_process.Stop();
  return Batch{{}, wall_s};
}

Result<void> CudaBench::CheckRoot(std::uint32_t data) {
  TRY_DONE(Stage(0, data));
  TRY_DONE(CallRoot(0, data));
  TRY(judgement, Judge(0, data));
  for (std::size_t i = 0; i < shapes_.outputs.size(); ++i) {
    const std::string wrong = DescribeFinding(
        judgement.output[i], shapes_.outputs[i], task_.tolerance);
    if (!wrong.empty()) return Broken("root", wrong);
  }
  return {};
}

Outcome OutcomeOf(const OutputErrors& finding, std::string log) {
  if (finding.late != 0) return Rejected(Breach::kWorkedLate, std::move(log));
  const bool is_beside = finding.slack != 0;
  return {is_beside ? Verdict::kCrashed : Verdict::kWrongOutput,
          std::move(log)};
}

std::string DescribeFinding(const OutputErrors& finding,
                            const TensorShape& shape,
                            const Tolerance& tolerance) {
  if (finding.late != 0) {
    return "it changed output " + shape.name + " after its call had returned";
  }
  if (finding.slack != 0) {
    return "it wrote out of bounds of output " + shape.name;
  }
  if (finding.wrong == 0) return "";
  std::vector<std::byte> element(8);
  std::memcpy(element.data(), &finding.got, 8);
  Mismatch mismatch;
  mismatch.element = finding.first_wrong;
  mismatch.got = ElementValue(element.data(), shape.dtype);
  mismatch.expected = std::bit_cast<double>(finding.expected);
  mismatch.allowed =
      AllowedError(mismatch.expected, std::bit_cast<double>(finding.magnitude),
                   tolerance, shape.dtype) +
      (finding.magnitude == 0 ? 0.0 : Flushed(shape.dtype));
  mismatch.wrong = finding.wrong;
  mismatch.unwritten = finding.unwritten;
  return Describe(mismatch, shape);
}

}  // namespace coppice::eval::cuda
