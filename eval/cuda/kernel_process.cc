#include "eval/cuda/kernel_process.h"

#include "eval/host/whole_file.h"

namespace coppice::eval::cuda {

Result<KernelProcess> KernelProcess::Open(
    std::shared_ptr<RunnerProcess> process, std::uint32_t number,
    const RunnerProgram& runner_program, const Shapes& shapes,
    std::uint32_t sets, std::span<const UniqueFd> tensors, double timeout_s) {
  KernelProcess kernel_process;
  kernel_process.process_ = std::move(process);
  kernel_process.number_ = number;
  kernel_process.part_ = runner_program.part;
  TRY_ASSIGN(kernel_process.control_,
             WriteControl(runner_program, shapes, sets));
  TRY(code, OpenToRead(runner_program.code));
  std::vector<int> descriptors = {kernel_process.control_.fd(), code.get()};
  for (const UniqueFd& tensor : tensors) descriptors.push_back(tensor.get());
  TRY_ASSIGN(kernel_process.opened_,
             kernel_process.process_->Ask(RequestFor(RequestKind::kOpen),
                                          timeout_s, descriptors));
  kernel_process.guarded_ = kernel_process.part_ == Part::kSharedObject;
  if (kernel_process.guarded_ &&
      kernel_process.opened_.verdict == Verdict::kPassed) {
    kernel_process.process_->Stop();
  }
  return kernel_process;
}

Result<RunnerAnswer> KernelProcess::Wake(double timeout_s) {
  if (!guarded_) return RunnerAnswer{};
  return process_->Ask(RequestFor(RequestKind::kWake, 0, 0, number_),
                       timeout_s);
}

void KernelProcess::Surround(const CallSurroundings& surroundings) {
  auto& control = *reinterpret_cast<Control*>(control_.data());
  control.cells = surroundings.cells;
  control.scratch_pattern = surroundings.scratch_pattern;
}

Result<RunnerAnswer> KernelProcess::AskToGo(
    std::uint32_t set, const CallSurroundings& surroundings,
    std::uint32_t flags, double timeout_s) {
  Surround(surroundings);
  RunnerRequest request = RequestFor(RequestKind::kGo, set, 0, number_);
  request.flags = flags;
  // A library's first call may wait for the device, to load what it calls.
  const bool with_host_code = part_ == Part::kSharedObject;
  if (holds_ && !(with_host_code && first_)) request.flags |= kHold;
  first_ = false;
  TRY(answer, process_->Ask(request, timeout_s));
  if (guarded_ && answer.verdict == Verdict::kPassed) process_->Stop();
  return answer;
}

Result<RunnerAnswer> KernelProcess::TakeInventory(
    std::uint32_t set, const CallSurroundings& surroundings, double timeout_s) {
  TRY(answer, AskToGo(set, surroundings, kInventory, timeout_s));
  if ((answer.reply.flags & kHeldTooLong) != 0) holds_ = false;
  return answer;
}

Result<KernelCall> KernelProcess::Go(std::uint32_t set,
                                     const CallSurroundings& surroundings,
                                     double timeout_s) {
  TRY(answer, AskToGo(set, surroundings, 0, timeout_s));
  KernelCall call{std::move(static_cast<Outcome&>(answer))};
  if (call.verdict != Verdict::kPassed) return call;
  const Sample& sample = answer.reply.sample;
  call.wall_s = answer.wall_s;
  call.event_s = static_cast<double>(sample.event_ps) * 1e-12;
  call.after_s = static_cast<double>(sample.after_ps) * 1e-12;
  call.whole_s = static_cast<double>(sample.whole_ps) * 1e-12;
  if (sample.begin[0] != 0 && sample.end[0] > sample.begin[0]) {
    const auto cycles = static_cast<double>(sample.end[1] - sample.begin[1]);
    const auto ns = static_cast<double>(sample.end[0] - sample.begin[0]);
    call.clock_hz = cycles / ns * 1e9;
  }
  call.held_too_long = (answer.reply.flags & kHeldTooLong) != 0;
  if (call.held_too_long) holds_ = false;
  return call;
}

Result<RunnerAnswer> KernelProcess::GoAll(std::uint32_t count,
                                          const CallSurroundings& surroundings,
                                          double timeout_s) {
  Surround(surroundings);
  return process_->Ask(RequestFor(RequestKind::kGoAll, count, 0, number_),
                       timeout_s);
}

void KernelProcess::Stop() {
  if (guarded_) process_->Stop();
}

}  // namespace coppice::eval::cuda
