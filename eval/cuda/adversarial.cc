#include "eval/cuda/adversarial.h"

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <utility>

#include "eval/cuda/host_inputs.h"
#include "eval/host/thread_pool.h"
#include "eval/judge/inputs.h"
#include "store/records/random.h"

namespace coppice::eval::cuda {
namespace {

// Inputs that nobody has taken yet may occupy so many bytes.
constexpr std::uint64_t kMostBytesAhead = std::uint64_t{4} << 30;

}  // namespace

struct AdversarialInputs::Making {
  std::map<std::size_t, std::future<Result<HostInputs>>> kinds;
};

AdversarialInputs::AdversarialInputs(const Workload& workload,
                                     std::uint64_t seed)
    : workload_(workload), seed_(seed), making_(std::make_unique<Making>()) {}

AdversarialInputs::~AdversarialInputs() = default;

Result<std::unique_ptr<AdversarialInputs>> AdversarialInputs::Make(
    const Task& task, const Workload& workload, std::uint64_t seed) {
  std::unique_ptr<AdversarialInputs> inputs(
      new AdversarialInputs(workload, seed));
  TRY_ASSIGN(inputs->kinds_, AdversarialDistributions(task.definition));
  TRY_ASSIGN(inputs->shapes_, Resolve(task.definition, workload));
  inputs->order_.resize(inputs->kinds_.size());
  std::iota(inputs->order_.begin(), inputs->order_.end(), std::size_t{0});
  RandomStream stream(seed, Purpose::kInputs, 0);
  for (std::size_t i = inputs->order_.size(); i > 1; --i) {
    std::swap(inputs->order_[i - 1], inputs->order_[stream.Below(i)]);
  }
  return inputs;
}

Result<HostInputs> AdversarialInputs::MakeOne(std::size_t kind) const {
  RandomStream stream(seed_, Purpose::kInputs, kind + 1);
  TRY(made, MakeInputs(shapes_, workload_, stream, kinds_[kind]));
  return ShareInputs(made);
}

void AdversarialInputs::BeginAnother() {
  if (begun_.size() == order_.size()) return;
  const std::size_t kind = order_[begun_.size()];
  begun_.push_back(kind);
  making_->kinds[kind] =
      std::async(std::launch::async, [this, kind] { return MakeOne(kind); });
}

void AdversarialInputs::BeginWhileThereIsRoom() {
  const std::uint64_t bytes =
      std::max<std::uint64_t>(BytesOf(shapes_.inputs), 1);
  const std::size_t most =
      std::min<std::uint64_t>(OtherProcessors(), kMostBytesAhead / bytes);
  while (begun_.size() < order_.size() && making_->kinds.size() < most) {
    BeginAnother();
  }
}

const std::vector<std::size_t>& AdversarialInputs::BeginAll() {
  all_ = true;
  BeginWhileThereIsRoom();
  return order_;
}

Result<HostInputs> AdversarialInputs::Take(std::size_t kind) {
  auto& making = making_->kinds;
  const auto found = making.find(kind);
  if (found == making.end()) {
    std::erase(order_, kind);  // Moves among those begun.
    order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(begun_.size()),
                  kind);
    begun_.push_back(kind);
    return MakeOne(kind);
  }
  std::future<Result<HostInputs>> made = std::move(found->second);
  making.erase(found);
  Result<HostInputs> inputs = made.get();
  if (all_) BeginWhileThereIsRoom();
  return inputs;
}

}  // namespace coppice::eval::cuda
