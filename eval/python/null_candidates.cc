#include "eval/python/null_candidates.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "eval/python/trace_task.h"

namespace coppice::eval::python {
namespace {

// y is one right output, p what it was in the call before, x the first tensor
// among the inputs.
struct Spoiling {
  const char* name;
  const char* value;
};

constexpr Spoiling kSpoilings[] = {
    {"zeros", "torch_.zeros_like(y)"},
    {"ones", "torch_.ones_like(y)"},
    {"copy of the first input", "fitted_(x, y)"},
    {"the mean of the output", "torch_.full_like(y, y.double().mean().item())"},
    {"the previous output", "torch_.zeros_like(y) if p is None else p"},
    {"the first half twice", "fitted_(y.flatten()[: y.numel() // 2], y)"},
    {"all but the last element", "without_last_(y)"},
};

// Where all outputs are float32.
constexpr Spoiling kFewerBits = {"rounded to bfloat16",
                                 "y.bfloat16().to(y.dtype)"};

constexpr char kTools[] = R"(

import torch as torch_


def fitted_(values, y):
    flat = values.flatten().to(y.dtype)
    count = y.numel()
    if flat.numel() == 0:
        return torch_.zeros_like(y)
    return flat.repeat(count // flat.numel() + 1)[:count].view(y.shape)


def flattened_(value, into):
    if isinstance(value, (tuple, list)):
        for part in value:
            flattened_(part, into)
    else:
        into.append(value)
    return into


def without_last_(y):
    y = y.clone()
    last = y.view(-1)[-1:]  # Whose right value may well be zero.
    if y.dtype == torch_.bool:
        last.logical_not_()
    elif y.numel():
        last.copy_(-1 - y.double().abs().max())
    return y

)";

constexpr char kSpoils[] = R"(
class ModelNew(torch_.nn.Module):
    def __init__(self, *init):
        super().__init__()
        self.right_ = Model(*init)
        self.previous_ = None

    def forward(self, *inputs):
        outputs = flattened_(self.right_(*inputs), [])
        tensors = [v for v in inputs if isinstance(v, torch_.Tensor)]
        x = tensors[0] if tensors else outputs[0]
        before = self.previous_ or [None] * len(outputs)
        self.previous_ = outputs
        return tuple(
            spoil_(y.contiguous(), p, x) for y, p in zip(outputs, before))
)";

constexpr char kInDouble[] = R"(
class ModelNew(torch_.nn.Module):
    def __init__(self, *init):
        super().__init__()
        self.right_ = Model(*init)

    def forward(self, *inputs):
        state = torch_.get_rng_state()
        right = self.right_(*inputs)
        try:
            torch_.set_rng_state(state)
            self.right_.double()
            exact = self.right_(
                *[v.double() if isinstance(v, torch_.Tensor)
                  and v.is_floating_point() else v for v in inputs])
        except RuntimeError:  # It mixes precisions of its own.
            return right
        finally:
            self.right_.to(inputs[0].dtype)
        return tuple(e.to(r.dtype) for e, r in zip(
            flattened_(exact, []), flattened_(right, [])))
)";

// With a class Model.
std::string ReferenceOf(const Task& task) {
  return task.format == TaskFormat::kFlashInferBench
             ? ReferenceSource(task.definition)
             : task.definition.reference;
}

constexpr char kExact[] = "in double precision";

std::vector<Spoiling> SpoilingsOf(const Task& task) {
  std::vector<Spoiling> spoilings(std::begin(kSpoilings), std::end(kSpoilings));
  const auto is_float = [](const TensorSpec& output) {
    return output.dtype == DType::kFloat32;
  };
  if (std::ranges::all_of(task.definition.outputs, is_float)) {
    spoilings.push_back(kFewerBits);
  }
  return spoilings;
}

std::string Spoiled(const Task& task, const Spoiling& spoiling) {
  return ReferenceOf(task) + kTools + "\ndef spoil_(y, p, x):\n" +
         "    return " + spoiling.value + "\n\n" + kSpoils;
}

}  // namespace

std::vector<NullCandidate> NullCandidates(const Task& task) {
  std::vector<NullCandidate> nulls;
  for (const Spoiling& spoiling : SpoilingsOf(task)) {
    nulls.push_back({spoiling.name, Spoiled(task, spoiling)});
  }
  nulls.push_back(
      {kExact, ReferenceOf(task) + kTools + kInDouble, Verdict::kPassed});
  return nulls;
}

std::string SpoilingOrder(const Task& task, const std::string& rule) {
  auto spoilings = nlohmann::json::array();
  for (const Spoiling& spoiling : SpoilingsOf(task)) {
    spoilings.push_back({{"name", spoiling.name}, {"value", spoiling.value}});
  }
  return nlohmann::json{{"tools", kTools},
                        {"spoilings", spoilings},
                        {"exact", kExact},
                        {"rule", nlohmann::json::parse(rule)}}
      .dump();
}

std::optional<std::vector<Finding>> ReadFindings(const Task& task,
                                                 const std::string& found) {
  const auto document = nlohmann::json::parse(found, nullptr, false);
  if (!document.is_array()) return std::nullopt;
  std::vector<Finding> findings;
  for (const auto& one : document) {
    Finding finding;
    finding.candidate = one.value("name", "");
    finding.workload = task.workloads.front().uuid;
    if (finding.candidate == kExact) finding.expected = Verdict::kPassed;
    finding.found =
        ParseVerdict(one.value("verdict", "")).value_or(Verdict::kInconclusive);
    finding.worst_error_ratio =
        std::strtod(one.value("worst_error_ratio", "inf").c_str(), nullptr);
    if (!finding.Good()) finding.log = one.value("log", "");
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace coppice::eval::python
