#include "eval/formats/value_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "eval/formats/shapes.h"
#include "store/records/random.h"

namespace coppice::eval {
namespace {

constexpr std::array<std::string_view, 5> kForms = {
    "positive:", "sorted:", "probabilities:", "permutation:", "pinned:"};

bool IsOfFloats(ValueForm form) { return form <= ValueForm::kProbabilities; }

}  // namespace

Result<std::map<std::string, ValueForm>> ValueForms(
    const Definition& definition) {
  std::map<std::string, ValueForm> forms;
  for (const std::string& tag : definition.tags) {
    const auto kind = std::ranges::find_if(
        kForms, [&](std::string_view name) { return tag.starts_with(name); });
    if (kind == kForms.end()) continue;
    const auto form = static_cast<ValueForm>(kind - kForms.begin());
    const std::string name = tag.substr(kind->size());
    const auto refuse = [&](const std::string& what) {
      return Fail(Errc::kUsage, definition.name + ": tag " + tag + ": " + what);
    };
    const auto input =
        std::ranges::find(definition.inputs, name, &TensorSpec::name);
    if (input == definition.inputs.end() || !input->shape) {
      return refuse("no input tensor is called so");
    }
    if (IsFloat(input->dtype) != IsOfFloats(form)) {
      return refuse(name + " is no tensor of " +
                    (IsOfFloats(form) ? "floats" : "integers"));
    }
    const std::string range = "range:" + name + ":";
    const bool has_range = std::ranges::any_of(
        definition.tags,
        [&](const std::string& one) { return one.starts_with(range); });
    if (form == ValueForm::kPinned && !has_range) {
      return refuse("a tag " + range + "LOW..HIGH must be there, too");
    }
    if (!forms.emplace(name, form).second) {
      return refuse(name + " has another form already");
    }
  }
  return forms;
}

void GiveForm(ValueForm form, std::size_t row, std::span<float> values) {
  if (form == ValueForm::kSorted) {
    for (std::size_t at = 0; at < values.size(); at += row) {
      std::ranges::sort(values.subspan(at, row));
    }
    return;
  }
  for (float& x : values) {
    x = x == 0.0f ? 1.0f : std::abs(x);
  }
  if (form != ValueForm::kProbabilities) return;
  for (std::size_t at = 0; at < values.size(); at += row) {
    const auto own = values.subspan(at, row);
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    for (float& x : own) x = static_cast<float>(x / sum);
  }
}

void GiveForm(ValueForm form, std::uint64_t seed, std::int64_t low,
              std::int64_t high, std::span<std::int64_t> values) {
  if (values.empty()) return;
  if (form == ValueForm::kPinned) {
    values.front() = low;
    values.back() = high;
    return;
  }
  std::iota(values.begin(), values.end(), 0);
  RandomStream stream(seed, Purpose::kInputs, 0);
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[stream.Below(i)]);
  }
}

}  // namespace coppice::eval
