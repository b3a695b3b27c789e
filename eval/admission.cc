#include "eval/admission.h"

#include <algorithm>

#include "eval/shapes.h"

namespace coppice::eval {
namespace {

// "int64_t(M) * int64_t(64)", or "1" for rank 0.
std::string ElementCount(const Definition& definition, const TensorSpec& spec) {
  std::string product = "int64_t(1)";
  for (const std::string& name :
       spec.shape.value_or(std::vector<std::string>{})) {
    const auto axis = std::ranges::find(definition.axes, name, &Axis::name);
    const bool constant =
        axis != definition.axes.end() && axis->constant.has_value();
    product += " * int64_t(" +
               (constant ? std::to_string(*axis->constant) : name) + ")";
  }
  return product;
}

// The parameters that eval/call_plan.h describes.
std::string Parameters(const Definition& definition) {
  std::string text;
  const auto add = [&](const std::string& parameter) {
    text += (text.empty() ? "" : ", ") + parameter;
  };
  for (const TensorSpec& input : definition.inputs) {
    const std::string type = CTypeName(input.dtype);
    add(input.shape ? "const " + type + "* " + input.name
                    : type + " " + input.name);
  }
  for (const TensorSpec& output : definition.outputs) {
    add(std::string(CTypeName(output.dtype)) + "* " + output.name);
  }
  for (const Axis& axis : definition.axes) {
    if (!axis.constant) add("int64_t " + axis.name);
  }
  return text;
}

// A kernel that assigns `value` to every element i of every output.
std::string Assigning(const Definition& definition, const std::string& value) {
  std::string source = "#include <cstdint>\n\nextern \"C\" void run(" +
                       Parameters(definition) + ") {\n";
  for (const TensorSpec& output : definition.outputs) {
    if (value.empty()) break;
    source += "  for (int64_t i_ = 0; i_ < " +
              ElementCount(definition, output) + "; ++i_) {\n    " +
              output.name + "[i_] = static_cast<" + CTypeName(output.dtype) +
              ">(" + value + ");\n  }\n";
  }
  return source + "}\n";
}

std::string FirstInput(const Definition& definition) {
  const TensorSpec& first = definition.inputs.front();
  if (!first.shape) return first.name;
  return first.name + "[i_ % (" + ElementCount(definition, first) + ")]";
}

void CheckNull(const NullCandidate& null, const Evaluation& evaluation,
               std::vector<Objection>& objections) {
  if (evaluation.workloads.empty()) {
    objections.push_back({null.name, "", evaluation.log});
  }
  for (const WorkloadResult& result : evaluation.workloads) {
    if (result.verdict == Verdict::kWrongOutput) continue;
    objections.push_back(
        {null.name, result.workload,
         "expected wrong_output, found " + std::string(Name(result.verdict))});
  }
}

}  // namespace

Result<std::vector<NullCandidate>> NullCandidates(
    const Definition& definition) {
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      if (CTypeName(tensor.dtype) == nullptr) {
        return Fail(Errc::kUsage, definition.name + ": tensor " + tensor.name +
                                      ": its dtype is not one that CPU "
                                      "kernels take");
      }
    }
  }
  std::vector<NullCandidate> nulls = {
      {"zeros", Assigning(definition, "0")},
      {"ones", Assigning(definition, "1")},
      {"nothing written", Assigning(definition, "")}};
  if (!definition.inputs.empty()) {
    nulls.push_back({"copy of the first input",
                     Assigning(definition, FirstInput(definition))});
  }
  return nulls;
}

Result<std::vector<Objection>> CheckTask(Evaluator& evaluator,
                                         const Task& task) {
  std::vector<Objection> objections;
  TRY(nulls, NullCandidates(task.definition));
  for (const NullCandidate& null : nulls) {
    TRY(evaluation,
        evaluator.Evaluate(task, {Language::kCpp, null.source, "run"},
                           Tier::kFast));
    CheckNull(null, evaluation, objections);
  }
  const Candidate root{Language::kCpp, task.root.sources.front().content,
                       task.root.entry_symbol};
  TRY(evaluation, evaluator.Evaluate(task, root, Tier::kFast));
  if (evaluation.verdict != Verdict::kPassed) {
    objections.push_back({"root", "", evaluation.log});
  }
  return objections;
}

}  // namespace coppice::eval
