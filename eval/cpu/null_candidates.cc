#include "eval/cpu/null_candidates.h"

#include <algorithm>

#include "eval/formats/shapes.h"
#include "eval/judge/same_task.h"

namespace coppice::eval::cpu {
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

// The parameters that eval/cpu/call_plan.h describes.
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

// The same, as the root is called with them.
std::string Arguments(const Definition& definition) {
  std::string text;
  const auto add = [&](const std::string& name) {
    text += (text.empty() ? "" : ", ") + name;
  };
  for (const TensorSpec& input : definition.inputs) add(input.name);
  for (const TensorSpec& output : definition.outputs) add(output.name);
  for (const Axis& axis : definition.axes) {
    if (!axis.constant) add(axis.name);
  }
  return text;
}

std::string Kernel(const Definition& definition, const std::string& body) {
  return "extern \"C\" void run(" + Parameters(definition) + ") {\n" + body +
         "}\n";
}

// A kernel that assigns `value` to every element i_ of every output.
std::string Assigning(const Definition& definition, const std::string& value) {
  std::string body;
  for (const TensorSpec& output : definition.outputs) {
    if (value.empty()) break;
    body += "  for (int64_t i_ = 0; i_ < " + ElementCount(definition, output) +
            "; ++i_) {\n    " + output.name + "[i_] = static_cast<" +
            CTypeName(output.dtype) + ">(" + value + ");\n  }\n";
  }
  return "#include <cstdint>\n\n" + Kernel(definition, body);
}

std::string FirstInput(const Definition& definition) {
  const TensorSpec& first = definition.inputs.front();
  if (!first.shape) return first.name;
  return first.name + "[i_ % (" + ElementCount(definition, first) + ")]";
}

// What to do to an output that the root has written: y_ points to its n_
// elements.  `state` is declared once per output.
struct Spoiling {
  const char* name;
  const char* code;
  std::size_t least_elements = 1;  // As NullCandidate has it.
};

constexpr Spoiling kSpoilings[] = {
    {"the mean of the right output", R"(
    double sum_ = 0.0;
    for (int64_t i_ = 0; i_ < n_; ++i_) sum_ += static_cast<double>(y_[i_]);
    for (int64_t i_ = 0; i_ < n_; ++i_) {
      y_[i_] = static_cast<T_>(sum_ / static_cast<double>(n_));
    }
)",
     2},
    {"the previous output", R"(
    static std::vector<T_> previous_(n_);
    for (int64_t i_ = 0; i_ < n_; ++i_) std::swap(y_[i_], previous_[i_]);
)"},
    {"the first half twice", R"(
    for (int64_t i_ = n_ / 2; i_ < n_; ++i_) y_[i_] = y_[i_ - n_ / 2];
)",
     2},
    {"all but the last element", R"(
    y_[n_ - 1] = T_();
)"},
};

// Rounds a float32 to the 8 bits of bfloat16.
constexpr Spoiling kFewerBits = {"rounded to bfloat16", R"(
    for (int64_t i_ = 0; i_ < n_; ++i_) {
      uint32_t bits_;
      std::memcpy(&bits_, y_ + i_, 4);
      bits_ = (bits_ + 0x8000) & 0xffff0000;
      std::memcpy(y_ + i_, &bits_, 4);
    }
)"};

// Rounds a float64 to the bits of a float32.
constexpr Spoiling kHalfTheBits = {"rounded to float32", R"(
    for (int64_t i_ = 0; i_ < n_; ++i_) {
      y_[i_] = static_cast<T_>(static_cast<float>(y_[i_]));
    }
)"};

// The root, under another name, and a kernel that calls and spoils it.
std::string Spoiled(const Task& task, const Spoiling& spoiling) {
  const Definition& definition = task.definition;
  const std::string& entry = task.root.entry_symbol;
  std::string body = "  right_(" + Arguments(definition) + ");\n";
  for (const TensorSpec& output : definition.outputs) {
    const std::string type = CTypeName(output.dtype);
    body += "  {\n    using T_ = " + type + ";\n    T_* y_ = " + output.name +
            ";\n    const int64_t n_ = " + ElementCount(definition, output) +
            ";" + spoiling.code + "  }\n";
  }
  return "#include <cstdint>\n#include <cstring>\n#include <utility>\n"
         "#include <vector>\n#define " +
         entry + " right_\n" + SourceOf(task.root) + "\n#undef " + entry +
         "\n\n" + Kernel(definition, body);
}

}  // namespace

Result<std::vector<NullCandidate>> NullCandidates(const Task& task) {
  const Definition& definition = task.definition;
  if (task.root.language != Language::kCpp) {
    return Fail(Errc::kUnavailable,
                definition.name +
                    ": null candidates are C++ or CUDA C++, and it is neither");
  }
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
  for (const Spoiling& spoiling : kSpoilings) {
    nulls.push_back({spoiling.name, Spoiled(task, spoiling)});
    nulls.back().least_elements = spoiling.least_elements;
  }
  const auto all_are = [&](DType dtype) {
    return std::ranges::all_of(definition.outputs, [&](const auto& output) {
      return output.dtype == dtype;
    });
  };
  if (all_are(DType::kFloat32)) {
    nulls.push_back({kFewerBits.name, Spoiled(task, kFewerBits)});
  }
  if (all_are(DType::kFloat64)) {
    nulls.push_back({kHalfTheBits.name, Spoiled(task, kHalfTheBits)});
  }
  return nulls;
}

}  // namespace coppice::eval::cpu
