#include "eval/cuda/null_candidates.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "eval/cuda/launch_plan.h"
#include "eval/formats/shapes.h"
#include "eval/judge/same_task.h"

namespace coppice::eval::cuda {
namespace {

constexpr std::pair<DType, const char*> kTypeNames[] = {
    {DType::kFloat32, "float"},    {DType::kFloat16, "__half"},
    {DType::kInt64, "long long"},  {DType::kBFloat16, "__nv_bfloat16"},
    {DType::kInt32, "int"},        {DType::kInt16, "short"},
    {DType::kInt8, "signed char"}, {DType::kBool, "bool"}};

// Null: CUDA kernels do not take it here.
const char* TypeName(DType dtype) {
  for (const auto& [type, name] : kTypeNames) {
    if (type == dtype) return name;
  }
  return nullptr;
}

// The expression `value`, of that type, as a double.
std::string ToDouble(DType dtype, const std::string& value) {
  if (dtype == DType::kFloat16) return "double(__half2float(" + value + "))";
  if (dtype == DType::kBFloat16) {
    return "double(__bfloat162float(" + value + "))";
  }
  return "static_cast<double>(" + value + ")";
}

// The other way.
std::string FromDouble(DType dtype, const std::string& value) {
  if (dtype == DType::kFloat16) return "__double2half(" + value + ")";
  if (dtype == DType::kBFloat16) return "__double2bfloat16(" + value + ")";
  return "static_cast<" + std::string(TypeName(dtype)) + ">(" + value + ")";
}

// "M * K" of a launch plan, "1" for rank 0.
std::string ElementCount(const TensorSpec& spec) {
  std::string product;
  for (const std::string& axis :
       spec.shape.value_or(std::vector<std::string>{})) {
    product += (product.empty() ? "" : " * ") + axis;
  }
  return product.empty() ? "1" : product;
}

// What 16-bit floats are declared in.
std::string Includes(const Definition& definition) {
  const auto has = [&](DType dtype) {
    return std::ranges::find(definition.inputs, dtype, &TensorSpec::dtype) !=
               definition.inputs.end() ||
           std::ranges::find(definition.outputs, dtype, &TensorSpec::dtype) !=
               definition.outputs.end();
  };
  return std::string(has(DType::kFloat16) ? "#include <cuda_fp16.h>\n" : "") +
         (has(DType::kBFloat16) ? "#include <cuda_bf16.h>\n" : "");
}

// One kernel, null_NUMBER_, launched on one output: y_, of n_ elements.
struct Deed {
  bool one_block = false;  // Of 1024 threads; or else a thread per element, i_.
  std::string body;        // Lines.
  std::string before{};    // Declarations.
  // The other arguments: ", x, N" of the launch, and as the kernel declares
  // them.
  std::string arguments{};
  std::string parameters{};
};

std::string Written(std::size_t number, const TensorSpec& output,
                    const Deed& deed) {
  const std::string kernel = "null_" + std::to_string(number) + "_";
  const std::string count = ElementCount(output);
  std::string text = "//@ launch " + kernel + "<<<";
  text += deed.one_block ? "1, 1024" : "ceil_div(" + count + ", 256), 256";
  text += ">>>(" + output.name + ", " + count + deed.arguments + ")\n";
  text += deed.before + "extern \"C\" __global__ void " + kernel + "(" +
          TypeName(output.dtype) + "* y_, long long n_" + deed.parameters +
          ") {\n";
  if (!deed.one_block) {
    text +=
        "  const long long i_ = blockIdx.x * 256LL + threadIdx.x;\n"
        "  if (i_ >= n_) return;\n";
  }
  return text + deed.body + "}\n";
}

using DeedOn =
    std::function<Deed(std::size_t number, const TensorSpec& output)>;

std::string OnEveryOutput(const Definition& definition, const DeedOn& deed) {
  std::string text;
  for (std::size_t i = 0; i < definition.outputs.size(); ++i) {
    const TensorSpec& output = definition.outputs[i];
    text += "\n" + Written(i, output, deed(i, output));
  }
  return text;
}

std::string Assigning(const Definition& definition, const char* value) {
  return Includes(definition) +
         OnEveryOutput(definition, [&](std::size_t, const TensorSpec& output) {
           return Deed{.body = "  y_[i_] = " + FromDouble(output.dtype, value) +
                               ";\n"};
         });
}

std::string CopyingFirstInput(const Definition& definition) {
  const TensorSpec& input = definition.inputs.front();
  const std::string type = TypeName(input.dtype);
  return Includes(definition) +
         OnEveryOutput(definition, [&](std::size_t, const TensorSpec& output) {
           const std::string value = input.shape ? "x_[i_ % of_]" : "x_";
           Deed deed{
               .body = "  y_[i_] = " +
                       FromDouble(output.dtype, ToDouble(input.dtype, value)) +
                       ";\n"};
           deed.arguments = ", " + input.name;
           deed.parameters = ", " + type + " x_";
           if (input.shape) {
             deed.arguments += ", " + ElementCount(input);
             deed.parameters = ", const " + type + "* x_, long long of_";
           }
           return deed;
         });
}

Deed TakeMean(std::size_t, const TensorSpec& output) {
  return {.one_block = true,
          .body =
              "  __shared__ double sums_[1024];\n"
              "  double sum_ = 0.0;\n"
              "  for (long long i_ = threadIdx.x; i_ < n_; i_ += 1024) {\n"
              "    sum_ += " +
              ToDouble(output.dtype, "y_[i_]") +
              ";\n"
              "  }\n"
              "  sums_[threadIdx.x] = sum_;\n"
              "  for (unsigned half_ = 512; half_ > 0; half_ /= 2) {\n"
              "    __syncthreads();\n"
              "    if (threadIdx.x < half_) {\n"
              "      sums_[threadIdx.x] += sums_[threadIdx.x + half_];\n"
              "    }\n"
              "  }\n"
              "  __syncthreads();\n"
              "  for (long long i_ = threadIdx.x; i_ < n_; i_ += 1024) {\n"
              "    y_[i_] = " +
              FromDouble(output.dtype, "sums_[0] / n_") +
              ";\n"
              "  }\n"};
}

// Neither overlaps the other, whatever the order of threads.
Deed RepeatFirstHalf(std::size_t, const TensorSpec&) {
  return {.body =
              "  const long long kept_ = n_ - n_ / 2;\n"
              "  if (i_ >= kept_) y_[i_] = y_[i_ - kept_];\n"};
}

Deed DropLast(std::size_t, const TensorSpec& output) {
  return {.body = "  if (i_ == n_ - 1) y_[i_] = " +
                  FromDouble(output.dtype, "0.0") + ";\n"};
}

bool IsFloating(const TensorSpec& output) { return IsFloat(output.dtype); }

// float32 and float16 to the 8 significant bits of bfloat16, that to 4.
Deed RoundToFewerBits(std::size_t, const TensorSpec& output) {
  if (output.dtype == DType::kFloat32) {
    return {.body =
                "  const unsigned bits_ = __float_as_uint(y_[i_]);\n"
                "  y_[i_] = __uint_as_float((bits_ + 0x8000u) & "
                "0xffff0000u);\n"};
  }
  if (output.dtype == DType::kFloat16) {
    return {.body =
                "  const unsigned bits_ = __half_as_ushort(y_[i_]);\n"
                "  y_[i_] = __ushort_as_half((bits_ + 4u) & 0xfff8u);\n"};
  }
  if (output.dtype == DType::kBFloat16) {
    return {.body =
                "  const unsigned bits_ = __bfloat16_as_ushort(y_[i_]);\n"
                "  y_[i_] = __ushort_as_bfloat16((bits_ + 8u) & "
                "0xfff0u);\n"};
  }
  return {};
}

// Device memory that keeps its values from call to call, as long as the module
// is loaded: elements of the largest workload.
Result<std::vector<std::size_t>> MostElements(const Task& task) {
  std::vector<std::size_t> most(task.definition.outputs.size(), 1);
  for (const Workload& workload : task.workloads) {
    TRY(shapes, Resolve(task.definition, workload));
    for (std::size_t i = 0; i < most.size(); ++i) {
      most[i] = std::max(most[i], shapes.outputs[i].elements);
    }
  }
  return most;
}

Deed SwapWithPrevious(std::size_t number, const TensorSpec& output,
                      std::size_t most) {
  const std::string previous = "previous_" + std::to_string(number) + "_";
  const std::string type = TypeName(output.dtype);
  return {.body = "  const " + type + " right_ = y_[i_];\n  y_[i_] = " +
                  previous + "[i_];\n  " + previous + "[i_] = right_;\n",
          .before = "__device__ " + type + " " + previous + "[" +
                    std::to_string(most) + "];\n"};
}

Result<void> CheckTypes(const Definition& definition) {
  for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
    for (const TensorSpec& tensor : *tensors) {
      if (TypeName(tensor.dtype) != nullptr) continue;
      return Fail(Errc::kUsage, definition.name + ": tensor " + tensor.name +
                                    ": its dtype is not one that CUDA "
                                    "kernels take");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<NullCandidate>> NullCandidates(const Task& task) {
  const Definition& definition = task.definition;
  TRY_DONE(CheckTypes(definition));
  TRY(most, MostElements(task));
  const std::string& root = SourceOf(task.root);
  if (!HasLaunchPlan(root)) {
    return Fail(Errc::kUsage,
                definition.name + ": its root has no launch plan to add to");
  }
  std::vector<NullCandidate> nulls = {
      {"zeros", Assigning(definition, "0.0")},
      {"ones", Assigning(definition, "1.0")},
      {"nothing written",
       "//@ launch null_<<<1, 1>>>()\n"
       "extern \"C\" __global__ void null_() {}\n"}};
  if (!definition.inputs.empty()) {
    nulls.push_back({"copy of the first input", CopyingFirstInput(definition)});
  }
  const std::string before = Includes(definition) + root;
  const auto add = [&](const char* name, const DeedOn& deed,
                       std::size_t least_elements = 1) {
    nulls.push_back({.name = name,
                     .source = before + OnEveryOutput(definition, deed),
                     .least_elements = least_elements});
  };
  // The mean of one number is that number, and so is its first half twice.
  add("the mean of the right output", TakeMean, 2);
  add("the previous output", [&](std::size_t i, const TensorSpec& output) {
    return SwapWithPrevious(i, output, most[i]);
  });
  add("the first half twice", RepeatFirstHalf, 2);
  add("all but the last element", DropLast);
  if (std::ranges::any_of(definition.outputs, IsFloating)) {
    add("rounded to fewer bits", RoundToFewerBits);
  }
  return nulls;
}

}  // namespace coppice::eval::cuda
