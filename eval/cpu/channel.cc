#include "eval/cpu/channel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "eval/cpu/bench.h"
#include "eval/cpu/data_set.h"
#include "eval/host/counters.h"
#include "eval/host/machine.h"
#include "eval/judge/compare.h"
#include "eval/judge/poison.h"

namespace coppice::eval {
namespace {

// Processor time over wall time, from which on threads worked side by side.
// What a candidate may gain below is the excess over 1 at most.
constexpr double kParallel = 1.05;
constexpr int kDoorbells = 10;

bool Passed(const Outcome& outcome) {
  return outcome.verdict == Verdict::kPassed;
}

}  // namespace

CpuChannel::CpuChannel(CpuBench& bench, CpuChannelOptions options)
    : bench_(bench),
      options_(std::move(options)),
      fresh_s_(options_.fresh_s),
      collected_(bench.slots()),
      patterns_(bench.slots()) {
  judgement_.calls = 0;
}

std::string CpuChannel::Output() const {
  return session_ == nullptr ? "" : session_->Output();
}

Result<Outcome> CpuChannel::Load() { return Start(); }

// A process that has seen nothing yet.
Result<Outcome> CpuChannel::Start() {
  session_.reset();
  for (auto& slot : collected_) slot.clear();
  deck_.assign(bench_.pool().begin(), bench_.pool().end());
  for (std::size_t i = deck_.size(); i > 1; --i) {
    std::swap(deck_[i - 1], deck_[bench_.Secret() % i]);
  }
  bench_.ClearSlots();
  if (options_.session) {
    TRY(session, CpuRunner::Launch(*options_.session, bench_.plan(),
                                   bench_.inputs(), bench_.slots()));
    TRY_DONE(session->Ready());
    session_ = std::move(session);
  } else {
    TRY_ASSIGN(session_, bench_.TakeRunner());
  }
  session_->KeepTo(bench_.processor());
  TRY(loaded, session_->Load(options_.program));
  return static_cast<Outcome&>(loaded);
}

// Another process, warmed up by a call, which is judged like any other.
Result<Outcome> CpuChannel::Renew() {
  TRY(started, Start());
  if (!Passed(started)) return started;
  first_ = 0;
  TRY_ASSIGN(data_, Draw(1));
  const bool is_counting = std::exchange(is_counting_, false);
  TRY(called, CallCandidate());
  is_counting_ = is_counting;
  if (!Passed(called)) return called;
  TRY(judged, Compare());
  const Outcome outcome = judged;
  judgement_ = std::move(judged);
  return outcome;
}

Result<Outcome> CpuChannel::Arm(std::uint32_t count) {
  TRY(armed, session_->Arm(count));
  return static_cast<Outcome&>(armed);
}

// What this process has not seen.
Result<std::vector<CpuChannel::Data>> CpuChannel::Draw(std::size_t count) {
  std::vector<Data> drawn;
  while (drawn.size() < count) {
    if (!has_begun_ || deck_.empty() || fresh_s_ >= bench_.data_set_cost_s()) {
      fresh_s_ -= bench_.data_set_cost_s();
      TRY(data, bench_.NewDataSet());
      drawn.push_back(std::move(data));
    } else {
      drawn.push_back(std::move(deck_.back()));
      deck_.pop_back();
    }
    has_begun_ = true;
  }
  return drawn;
}

// One of a kind, which this candidate has not seen, anywhere among plain ones.
Result<std::vector<CpuChannel::Data>> CpuChannel::DrawWith(std::uint32_t kind,
                                                           std::size_t count) {
  const Distribution distribution = bench_.adversarial()[kind - 1];
  TRY(adversarial,
      bench_.AdversarialDataSet(distribution, shown_[distribution]++));
  TRY(drawn, Draw(count - 1));
  const std::size_t at = bench_.Secret() % count;
  drawn.insert(drawn.begin() + static_cast<std::ptrdiff_t>(at),
               std::move(adversarial));
  return drawn;
}

Result<Outcome> CpuChannel::Fill(const InputsWanted& wanted) {
  wanted_ = wanted;
  const std::uint32_t usual =
      CallsPerRequest(call_s_ > 0.0 ? call_s_ : bench_.root_call_s());
  const std::uint32_t calls = wanted.calls == CallCount::kFew ? 1 : usual;
  if (deck_.size() < (wanted.kind == 0 ? calls : calls - 1)) {
    TRY(renewed, Renew());
    if (!Passed(renewed)) return renewed;
  }
  // A kernel that knows slots which only checks use would know a check.
  first_ = static_cast<std::uint32_t>(
      calls < usual ? bench_.Secret() % (usual - calls + 1) : 0);
  TRY(armed, Arm(first_ + calls));
  if (!Passed(armed)) return armed;
  TRY_ASSIGN(data_,
             wanted.kind == 0 ? Draw(calls) : DrawWith(wanted.kind, calls));
  return Outcome{};
}

Result<Timing> CpuChannel::Call(Side side) {
  return side == Side::kCandidate ? CallCandidate() : CallTrusted(side);
}

// The candidate's data, over again if that makes more calls: others would be
// seen in the slots before their turn.
Result<Timing> CpuChannel::CallTrusted(Side side) {
  const std::uint32_t calls = CallsPerRequest(root_call_s_);
  // Nothing of a later call while it is called one by one.
  const std::size_t shown = one_by_one_ ? 1 : data_.size();
  for (std::uint32_t slot = 0; slot < calls; ++slot) {
    bench_.LoadSlot(slot, *data_[slot % shown]);
  }
  TRY(seconds,
      side == Side::kRoot ? bench_.TimeRoot(calls) : bench_.TimeControl(calls));
  Timing timing;
  timing.calls = calls;
  timing.wall_s = seconds;
  timing.call_s = WithoutDoorbell(seconds) / calls;
  if (wanted_.kind == 0) root_call_s_ = std::min(root_call_s_, timing.call_s);
  return timing;
}

Result<Timing> CpuChannel::CallCandidate() {
  const bool is_batch = data_.size() > 1;
  std::optional<ProcessCounters> counters;
  if (std::exchange(is_counting_, false)) {
    counters = ProcessCounters::Attach(session_->process());
  }
  Timing timing;
  if (is_batch && one_by_one_) {
    TRY(called, CallOneByOne());
    if (!Passed(called)) return called;
    timing = std::move(called);
  } else {
    TRY(called, Request(0, data_.size()));
    if (!Passed(called)) return called;
    timing = std::move(called);
    // Who works in parallel may hide it until then.
    const bool is_parallel =
        timing.cpu_s && *timing.cpu_s > kParallel * timing.wall_s;
    if (is_timed_ && is_batch && wanted_.kind == 0 && is_parallel) {
      one_by_one_ = timing.begins_anew = true;
    }
  }
  if (counters) counters_ = counters->Read(timing.calls);
  if (wanted_.kind == 0) {
    call_s_ = call_s_ > 0.0 ? std::min(call_s_, timing.call_s) : timing.call_s;
  }
  return timing;
}

Result<Timing> CpuChannel::CallOneByOne() {
  Timing all;
  double cpu_s = 0.0;
  bool has_cpu = true;
  for (std::size_t i = 0; i < data_.size(); ++i) {
    TRY(called, Request(i, 1));
    if (!Passed(called)) return called;
    all.wall_s += called.wall_s;
    all.call_s += called.call_s / static_cast<double>(data_.size());
    all.clock_hz = called.clock_hz;
    has_cpu = has_cpu && called.cpu_s;
    cpu_s += called.cpu_s.value_or(0.0);
  }
  all.calls = static_cast<std::uint32_t>(data_.size());
  if (has_cpu) all.cpu_s = cpu_s;
  all.remark = "one by one";
  return all;
}

// Calls the kernel on `count` of the data at hand, each in its own slot.
Result<Timing> CpuChannel::Request(std::size_t from, std::size_t count) {
  const auto slot = static_cast<std::uint32_t>(first_ + from);
  const auto calls = static_cast<std::uint32_t>(count);
  Timing timing;
  TRY(armed, Arm(slot + calls));
  static_cast<Outcome&>(timing) = armed;
  if (!Passed(timing)) return timing;
  for (std::uint32_t i = 0; i < calls; ++i) {
    bench_.LoadSlot(slot + i, *data_[from + i]);
    if (const auto changed = ChangedLater(slot + i)) {
      static_cast<Outcome&>(timing) = Rejected(Breach::kWorkedLate, *changed);
      return timing;
    }
    PoisonOutputs(slot + i);
  }
  std::unique_lock<std::mutex> lock;
  if (options_.turn != nullptr) lock = std::unique_lock(*options_.turn);
  TRY(called, session_->Call(slot, calls));
  if (lock) lock.unlock();
  static_cast<Outcome&>(timing) = called;
  timing.calls = calls;
  timing.wall_s = called.wall_s;
  if (std::isfinite(called.cpu_s)) timing.cpu_s = called.cpu_s;
  timing.call_s = WithoutDoorbell(called.AloneSeconds()) / calls;
  timing.clock_hz = ProcessorClockMhz().value_or(0.0) * 1e6;
  if (!Passed(timing)) return timing;
  for (std::uint32_t i = 0; i < calls; ++i) Collect(slot + i);
  return timing;
}

// No less than a tenth: a doorbell that was answered late is no call of no
// time.
double CpuChannel::WithoutDoorbell(double seconds) const {
  return std::max(seconds - doorbell_s_, 0.1 * seconds);
}

std::uint32_t CpuChannel::CallsPerRequest(double call_s) const {
  const double wanted = std::ceil(options_.batch_s / std::max(call_s, 1e-9));
  // The pool without the warm-up of a new process.
  const std::size_t most =
      std::min<std::size_t>(bench_.slots(), bench_.pool().size() - 1);
  return static_cast<std::uint32_t>(
      std::clamp(wanted, 1.0, static_cast<double>(most)));
}

Result<void> CpuChannel::BeginHint() {
  if (is_timed_) return {};
  session_->KeepTo(bench_.processor());
  TRY_ASSIGN(doorbell_s_, bench_.RootDoorbell(kDoorbells));
  // Who works in parallel is timed call by call from the start, so that all
  // sessions time it alike; who hides it is found out.
  one_by_one_ = session_->CountThreads() > 1;
  is_timed_ = true;
  options_.turn = nullptr;
  call_s_ = WithoutDoorbell(call_s_);
  root_call_s_ = WithoutDoorbell(bench_.root_call_s());
  return {};
}

Result<void> CpuChannel::BeginTiming() {
  TRY_DONE(BeginHint());
  // The control's first call needs some, of those that the candidate knows.
  bench_.LoadSlot(0, *data_.front());
  return bench_.RenewControl();
}

Result<Outcome> CpuChannel::FillFirstAgain() {
  TRY(started, Start());
  if (!Passed(started)) return started;
  std::erase(deck_, first_data_);
  data_ = {first_data_};
  first_ = 0;
  wanted_ = {.calls = CallCount::kFew};
  return Outcome{};
}

std::string CpuChannel::WhatDiffers() const {
  for (std::size_t i = 0; i < first_outputs_.size(); ++i) {
    const TensorPlace& place = bench_.plan().outputs[i];
    const std::size_t begin = place.offset - place.pages.offset;
    if (std::memcmp(first_outputs_[i].data() + begin,
                    collected_[first_][i].data() + begin, place.bytes) != 0) {
      return "output " + bench_.shapes().outputs[i].name +
             " differs from run to run on the same inputs, within the "
             "tolerance";
    }
  }
  return "";
}

// Whether the outputs are not what was collected when the slot's last call
// returned.
std::optional<std::string> CpuChannel::ChangedLater(std::uint32_t slot) const {
  const auto& collected = collected_[slot];
  for (std::size_t i = 0; i < collected.size(); ++i) {
    if (std::memcmp(collected[i].data(), session_->OutputPages(slot, i).data(),
                    collected[i].size()) != 0) {
      return "it changed output " + bench_.shapes().outputs[i].name +
             " after its call had returned";
    }
  }
  return std::nullopt;
}

void CpuChannel::PoisonOutputs(std::uint32_t slot) {
  const auto& outputs = bench_.shapes().outputs;
  patterns_[slot].clear();
  const PoisonKind kind =
      poisonings_++ % 2 == 0 ? PoisonKind::kNan : PoisonKind::kFinite;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::uint64_t pattern =
        MakePoison(bench_.Secret(), outputs[i].dtype, kind);
    Poison(session_->OutputPages(slot, i), pattern);
    patterns_[slot].push_back(pattern);
  }
  bench_.StartOutputs(slot, *session_);
}

void CpuChannel::Collect(std::uint32_t slot) {
  auto& collected = collected_[slot];
  collected.resize(bench_.shapes().outputs.size());
  for (std::size_t i = 0; i < collected.size(); ++i) {
    const auto pages = session_->OutputPages(slot, i);
    collected[i].resize(pages.size());
    std::memcpy(collected[i].data(), pages.data(), pages.size());
  }
}

Result<Judgement> CpuChannel::Compare() {
  for (std::uint32_t i = 0; i < data_.size(); ++i) {
    DataSet& data = *data_[i];
    const bool fresh = data.expected.empty();
    TRY_DONE(bench_.Reveal(data));
    if (fresh) bench_.Keep(data_[i]);
    Judge(first_ + i, data);
    if (!Passed(judgement_)) break;
  }
  if (options_.repeats && first_data_ == nullptr) {
    first_data_ = data_.front();
    first_outputs_ = collected_[first_];
  }
  Judgement judgement = std::exchange(judgement_, {});
  judgement_.calls = 0;
  return judgement;
}

void CpuChannel::Judge(std::uint32_t slot, const DataSet& data) {
  const auto& outputs = bench_.shapes().outputs;
  const std::string inputs(Name(data.distribution));
  const auto fail = [&](Verdict verdict, const std::string& log) {
    judgement_.verdict = verdict;
    judgement_.log = log;
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<std::byte>& pages = collected_[slot][i];
    const TensorPlace& place = bench_.plan().outputs[i];
    const std::uint64_t pattern = patterns_[slot][i];
    const std::size_t offset = place.offset - place.pages.offset;
    if (!SlackIntact(pages, offset, place.bytes, pattern)) {
      return fail(Verdict::kCrashed,
                  "it wrote out of bounds of output " + outputs[i].name);
    }
    const OutputComparison comparison =
        eval::Compare(std::span(pages).subspan(offset, place.bytes), outputs[i],
                      data.expected[i], pattern);
    if (comparison.worst_error_ratio > judgement_.worst_error_ratio) {
      judgement_.worst_error_ratio = comparison.worst_error_ratio;
      judgement_.on = inputs;
    }
    judgement_.max_absolute_error =
        std::max(judgement_.max_absolute_error, comparison.max_absolute_error);
    judgement_.max_relative_error =
        std::max(judgement_.max_relative_error, comparison.max_relative_error);
    if (comparison.wrong > 0) {
      const bool is_plain = data.distribution == Distribution::kPlain;
      return fail(Verdict::kWrongOutput,
                  (is_plain ? "" : "on inputs " + inputs + ": ") +
                      Describe(comparison, outputs[i], data.expected[i]));
    }
  }
  ++judgement_.calls;
}

}  // namespace coppice::eval
