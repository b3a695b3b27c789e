#include "eval/cpu/bench.h"

#include <algorithm>
#include <cstring>

#include "eval/cpu/data_set.h"
#include "eval/judge/poison.h"

namespace coppice::eval {
namespace {

constexpr std::uint64_t kSlotMemory = 48 << 20;         // Of one workload.
constexpr std::uint64_t kPoolMemory = 128 << 20;        // Of one workload.
constexpr std::uint64_t kAdversarialMemory = 64 << 20;  // Of one workload.
constexpr std::uint64_t kMaxSlots = 64;
constexpr std::uint64_t kMaxPool = 256;
constexpr double kReseedSeconds = 0.05;
constexpr double kTrustedTimeout = 120.0;

// Streams of one seed: data sets of a workload count up from its base; the
// secrets of the workload come from the end of its range.
constexpr std::uint64_t kStreamsPerWorkload = std::uint64_t{1} << 40;

}  // namespace

CpuBench::CpuBench(CpuBenchOptions options, const Task& task,
                   const Workload& workload)
    : options_(std::move(options)),
      task_(task),
      workload_(workload),
      root_{"root", options_.root, nullptr},
      control_{"root", options_.root, nullptr},
      oracle_{"oracle", options_.oracle, nullptr},
      secrets_(options_.seed, Purpose::kInputs,
               (options_.stream + 1) * kStreamsPerWorkload - 1),
      next_data_set_(options_.stream * kStreamsPerWorkload) {}

Result<std::unique_ptr<CpuBench>> CpuBench::Open(CpuBenchOptions options,
                                                 const Task& task,
                                                 const Workload& workload) {
  std::unique_ptr<CpuBench> bench(
      new CpuBench(std::move(options), task, workload));
  TRY_DONE(bench->Prepare());
  TRY_DONE(bench->FillPool(bench->options_.pool_s));
  return bench;
}

Result<void> CpuBench::Prepare() {
  TRY_ASSIGN(shapes_, Resolve(task_.definition, workload_));
  TRY_ASSIGN(work_, LeastWork(task_.definition, workload_, shapes_));
  TRY_ASSIGN(plan_, PlanCall(shapes_, Precision::kKernel));
  TRY_ASSIGN(oracle_plan_, PlanCall(shapes_, Precision::kOracle));
  slots_ = static_cast<std::uint32_t>(
      std::clamp(kSlotMemory / (plan_.input_stride + plan_.output_stride),
                 std::uint64_t{2}, kMaxSlots));
  TRY_ASSIGN(inputs_, SharedMemory::Create(
                          "inputs", FileBytes(plan_.input_stride, slots_),
                          Sharing::kReadOnly));
  TRY_ASSIGN(oracle_inputs_,
             SharedMemory::Create("oracle-inputs",
                                  FileBytes(oracle_plan_.input_stride, 1),
                                  Sharing::kReadOnly));

  TRY_ASSIGN(adversarial_, AdversarialDistributions(task_.definition));
  const std::uint64_t data_bytes =
      plan_.input_stride + oracle_plan_.output_stride;
  pool_capacity_ =
      std::clamp(kPoolMemory / data_bytes, std::uint64_t{4}, kMaxPool);
  adversarial_capacity_ = kAdversarialMemory / data_bytes;
  return {};
}

// At least two data sets, one of them for a warm-up, then more while the time
// lasts.
Result<void> CpuBench::FillPool(double seconds) {
  const auto start = Clock::now();
  double elapsed_s = 0.0;
  do {
    TRY(data, NewDataSet());
    const bool first = pool_.empty();
    TRY_DONE(Reveal(*data));
    Keep(std::move(data));
    const double now_s = Seconds(Clock::now() - start);
    // The first one also pays for starting the oracle.
    if (!first || now_s > seconds) data_set_cost_s_ = now_s - elapsed_s;
    elapsed_s = now_s;
  } while (pool_.size() < 2 ||
           (pool_.size() < pool_capacity_ && elapsed_s < seconds));
  return {};
}

Result<void> CpuBench::EstimateRoot() {
  LoadSlot(0, *pool_.front());
  TRY(warm_up_s, TimeRoot(1));
  TRY(second_s, TimeRoot(1));
  root_call_s_ = std::min(warm_up_s, second_s);
  return {};
}

Result<std::shared_ptr<DataSet>> CpuBench::NewDataSet(
    Distribution distribution) {
  RandomStream stream(options_.seed, Purpose::kInputs, next_data_set_++);
  auto data = std::make_shared<DataSet>();
  data->distribution = distribution;
  TRY_ASSIGN(data->inputs,
             MakeInputs(shapes_, workload_, stream, distribution));
  return data;
}

Result<std::shared_ptr<DataSet>> CpuBench::AdversarialDataSet(
    Distribution distribution, std::size_t number) {
  for (const auto& data : adversarial_sets_) {
    if (data->distribution == distribution && number-- == 0) return data;
  }
  return NewDataSet(distribution);
}

Result<void> CpuBench::Reveal(DataSet& data) {
  if (!data.expected.empty()) return {};
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const auto wide = Widen(data.inputs[i], shapes_.inputs[i]);
    std::memcpy(oracle_inputs_.data() + oracle_plan_.inputs[i].offset,
                wide.data(), wide.size());
  }
  TRY_DONE(Call(oracle_, oracle_plan_, oracle_inputs_, 1, 1));
  const std::size_t outputs = shapes_.outputs.size();
  const auto answer = [&](std::size_t i, std::size_t count) {
    const TensorPlace& place = oracle_plan_.outputs[i];
    const auto pages = oracle_.session->OutputPages(0, i);
    return std::span(reinterpret_cast<const double*>(
                         pages.data() + (place.offset - place.pages.offset)),
                     count);
  };
  for (std::size_t i = 0; i < outputs; ++i) {
    const TensorShape& shape = shapes_.outputs[i];
    const auto values = answer(i, shape.elements);
    data.expected.push_back(MakeExpected({values.begin(), values.end()},
                                         answer(outputs + i, shape.elements),
                                         task_.tolerance, shape.dtype));
  }
  return {};
}

void CpuBench::Keep(std::shared_ptr<DataSet> data) {
  if (data->distribution != Distribution::kPlain) {
    if (adversarial_sets_.size() < adversarial_capacity_) {
      adversarial_sets_.push_back(std::move(data));
    }
    return;
  }
  if (pool_.size() == pool_capacity_) pool_.pop_front();
  pool_.push_back(std::move(data));
}

Result<void> CpuBench::Reseed() {
  pool_.clear();
  return FillPool(kReseedSeconds);
}

Result<void> CpuBench::Prestart(std::size_t count) {
  while (runners_.size() < count) {
    TRY(runner, CpuRunner::Launch(options_.candidate, plan_, inputs_, slots_));
    runners_.push_back(std::move(runner));
  }
  if (next_control_ != nullptr) return {};
  TRY_ASSIGN(next_control_,
             CpuRunner::Launch(TrustedOptions(), plan_, inputs_, slots_));
  return {};
}

Result<std::unique_ptr<CpuRunner>> CpuBench::TakeRunner() {
  if (!runners_.empty()) {
    std::unique_ptr<CpuRunner> runner = std::move(runners_.front());
    runners_.pop_front();
    // It may have died with the thread that started it.
    const auto ready = runner->Ready();
    if (ready) return runner;
    if (ready.error().code == Errc::kCancelled) {
      return tl::unexpected<Error>(ready.error());
    }
  }
  TRY(runner, CpuRunner::Launch(options_.candidate, plan_, inputs_, slots_));
  TRY_DONE(runner->Ready());
  return runner;
}

void CpuBench::ClearSlots() {
  std::memset(inputs_.data(), 0, FileBytes(plan_.input_stride, loaded_slots_));
  loaded_slots_ = 0;
}

void CpuBench::LoadSlot(std::uint32_t slot, const DataSet& data) {
  loaded_slots_ = std::max(loaded_slots_, slot + 1);
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    std::memcpy(
        inputs_.data() + slot * plan_.input_stride + plan_.inputs[i].offset,
        data.inputs[i].data(), data.inputs[i].size());
  }
}

void CpuBench::StartOutputs(std::uint32_t slot,
                            const CpuRunner& session) const {
  for (std::size_t i = 0; i < shapes_.outputs.size(); ++i) {
    const auto& input = shapes_.outputs[i].starts_as;
    if (!input) continue;
    const TensorPlace& from = plan_.inputs[*input];
    const TensorPlace& to = plan_.outputs[i];
    std::memcpy(
        session.OutputPages(slot, i).data() + (to.offset - to.pages.offset),
        inputs_.data() + slot * plan_.input_stride + from.offset, to.bytes);
  }
}

void CpuBench::KeepTo(std::optional<int> processor) {
  processor_ = processor;
  for (const Trusted* trusted : {&root_, &control_}) {
    if (trusted->session != nullptr) trusted->session->KeepTo(processor);
  }
}

Result<double> CpuBench::TimeRoot(std::uint32_t count) {
  return Call(root_, plan_, inputs_, slots_, count);
}

void CpuBench::PromoteControl() {
  if (control_.session != nullptr) root_.session = std::move(control_.session);
}

Result<void> CpuBench::RenewControl() {
  control_.session.reset();
  std::unique_ptr<CpuRunner> next = std::move(next_control_);
  // It may have died with the thread that started it: then another is started.
  if (next != nullptr && next->Ready()) {
    TRY_DONE(Load(control_, std::move(next)));
  }
  TRY_DONE(TimeControl(1));  // It warms up.
  return {};
}

Result<double> CpuBench::TimeControl(std::uint32_t count) {
  return Call(control_, plan_, inputs_, slots_, count);
}

Result<double> CpuBench::RootDoorbell(int times) {
  TRY(shortest_s, TimeRoot(0));
  for (int i = 1; i < times; ++i) {
    TRY(seconds, TimeRoot(0));
    shortest_s = std::min(shortest_s, seconds);
  }
  return shortest_s;
}

tl::unexpected<Error> CpuBench::Broken(const Trusted& trusted,
                                       const ObservedCall& observed) const {
  return Fail(Errc::kUsage, task_.definition.name + ": workload " +
                                workload_.uuid + ": " + trusted.role + ": " +
                                observed.log);
}

CpuRunnerOptions CpuBench::TrustedOptions() const {
  CpuRunnerOptions options = options_.session;
  options.timeout_s = kTrustedTimeout;
  return options;
}

Result<void> CpuBench::Start(Trusted& trusted, const CallPlan& plan,
                             const SharedMemory& inputs, std::uint32_t slots) {
  TRY(session, CpuRunner::Launch(TrustedOptions(), plan, inputs, slots));
  TRY_DONE(session->Ready());
  return Load(trusted, std::move(session));
}

Result<void> CpuBench::Load(Trusted& trusted,
                            std::unique_ptr<CpuRunner> session) {
  TRY(loaded, session->Load(trusted.program));
  if (loaded.verdict != Verdict::kPassed) return Broken(trusted, loaded);
  if (&trusted != &oracle_) session->KeepTo(processor_);
  trusted.session = std::move(session);
  return {};
}

Result<double> CpuBench::Call(Trusted& trusted, const CallPlan& plan,
                              const SharedMemory& inputs, std::uint32_t slots,
                              std::uint32_t count) {
  const bool may_have_died = trusted.session != nullptr;
  if (!may_have_died) TRY_DONE(Start(trusted, plan, inputs, slots));
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      Poison(trusted.session->OutputPages(slot, i), kOracleUnwritten);
    }
    if (&trusted != &oracle_) StartOutputs(slot, *trusted.session);
  }
  auto called = trusted.session->Arm(count);
  const auto good = [&] {
    return called && called->verdict == Verdict::kPassed;
  };
  if (good()) called = trusted.session->Call(0, count);
  if (good()) return called->AloneSeconds();
  trusted.session.reset();
  if (!called) return tl::unexpected<Error>(std::move(called).error());
  if (!may_have_died) return Broken(trusted, *called);
  return Call(trusted, plan, inputs, slots, count);
}

}  // namespace coppice::eval
