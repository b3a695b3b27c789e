#include "eval/torch/trace_task.h"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "eval/formats/axis_expression.h"
#include "eval/formats/safetensors.h"
#include "eval/formats/shapes.h"
#include "eval/formats/trace_json.h"
#include "eval/formats/trace_set.h"
#include "eval/torch/kernelbench.h"
#include "eval/torch/stored_files.h"

namespace coppice::eval {
namespace {

using Json = nlohmann::ordered_json;

// Names by DType; torch has no tensors of 4 bits.
constexpr std::array<std::string_view, 11> kTorchNames = {
    "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "",
    "int64",   "int32",   "int16",    "int8",          "bool"};

constexpr int kMostSteps = 16;  // From one axis's size to another's.

// As FlashInfer-Bench draws them, but under the caller's seed.
constexpr const char* kDrawing = R"(

import mmap as _mmap
import torch as _torch

# For coppice: inputs have their own types.
KEEPS_TYPES = True


def _random(shape, dtype):
    if dtype == _torch.bool:
        return _torch.randint(0, 2, shape).to(dtype)
    if dtype == _torch.int8:
        return _torch.randint(-128, 128, shape).to(dtype)
    if not dtype.is_floating_point:
        return _torch.randint(-1024, 1024, shape).to(dtype)
    values = _torch.randn(shape)
    if dtype.itemsize == 1:
        values = values.clamp(-2, 2)
    return values.to(dtype)


def _stored(path, offset, size, shape, dtype):
    if not size:
        return _torch.empty(shape, dtype=dtype)
    begin = offset - offset % _mmap.ALLOCATIONGRANULARITY
    with open(path, "rb") as file:
        data = _mmap.mmap(file.fileno(), offset - begin + size,
                          offset=begin, access=_mmap.ACCESS_COPY)
    there = _torch.frombuffer(
        data, dtype=_torch.uint8, count=size, offset=offset - begin)
    return there.clone().view(dtype).reshape(shape)  # Theirs to write to.


def get_init_inputs():
    return []
)";

// Draws as SOL-ExecBench does, by Draw's names.
constexpr const char* kNamedDraws = R"(

def _uniform(low, high):
    return lambda shape: _torch.rand(shape) * (high - low) + low


def _angles(shape):
    return _torch.randn(shape).clamp(-_torch.pi, _torch.pi)


_DRAWS = {
    "ones": _torch.ones,
    "zeros": _torch.zeros,
    "bits": lambda shape: _torch.randint(0, 2, shape),
    "cosine": lambda shape: _angles(shape).cos(),
    "sine": lambda shape: _angles(shape).sin(),
    "positive": lambda shape: _torch.randn(shape).abs() + 0.1,
    "decay": _uniform(-1.0, -0.001),
    "log_decay": _uniform(-5.0, -1.0),
    "decay_sums": lambda shape: _uniform(-0.1, 0.0)(shape).cumsum(-1),
    "gate": _uniform(-5.0, 0.0),
    "softmax": lambda shape: _torch.randn(shape).softmax(-1),
    "weight": lambda shape: _torch.randn(shape) / shape[-1] ** 0.5,
}


def _drawn(name, shape, dtype):
    if name == "causal_mask":
        lowest = _torch.finfo(dtype).min
        return _torch.full(shape, lowest, dtype=dtype).triu(1)
    return _DRAWS[name](shape).to(dtype)
)";

// Constraints are expressions, which here can be said no earlier.
constexpr const char* kReading = R"(
for _constraint in _CONSTRAINTS:
    try:
        compile(_constraint, "constraint", "eval")
    except SyntaxError as _error:
        raise ValueError(f"constraint {_constraint!r}: {_error.msg}") from None
)";

// A text of Python's, which takes JSON's but for the surrogates that dump()
// does not write.
std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Writes a map of texts, or a list of them, as Python does.
std::string LiteralOf(const Json& texts) {
  return texts.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string TorchName(DType dtype) {
  return std::string(kTorchNames[static_cast<std::size_t>(dtype)]);
}

std::string DTypeText(DType dtype) { return "_torch." + TorchName(dtype); }

std::map<std::string, std::int64_t> SizesOf(const Definition& definition,
                                            const Workload& workload) {
  std::map<std::string, std::int64_t> sizes;
  for (const Axis& axis : definition.axes) {
    if (axis.constant) sizes[axis.name] = *axis.constant;
  }
  for (const auto& [name, size] : workload.axes) sizes[name] = size;
  return sizes;
}

// Not by shapes.h, which is for kernels in C++ and knows fewer types.
Result<TensorShape> ShapeOf(const Definition& definition,
                            const Workload& workload,
                            const TensorSpec& tensor) {
  const auto sizes = SizesOf(definition, workload);
  TensorShape shape{tensor.name, tensor.dtype, !tensor.shape, {}, 1};
  if (!tensor.shape) return shape;
  for (const std::string& axis : *tensor.shape) {
    const auto size = sizes.find(axis);
    if (size == sizes.end()) {
      return Fail(Errc::kUsage, definition.name + ": workload " +
                                    workload.uuid + " has no axis " + axis);
    }
    shape.dims.push_back(size->second);
    shape.elements *= static_cast<std::size_t>(size->second);
  }
  return shape;
}

std::string ShapeText(const TensorShape& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape.dims)
    text += std::to_string(size) + ", ";
  return text + "]";
}

std::string ScalarText(const ScalarInput& scalar) {
  if (const auto* truth = std::get_if<bool>(&scalar.value)) {
    return *truth ? "True" : "False";
  }
  if (const auto* number = std::get_if<double>(&scalar.value)) {
    const auto text = NumberJson(*number);  // A string, if it is not finite.
    return "float(" +
           Quoted(text.is_string() ? text.get<std::string>() : text.dump()) +
           ")";
  }
  return std::to_string(std::get<std::int64_t>(scalar.value));
}

Result<std::string> StoredText(const Workload& workload,
                               const SafetensorsInput& input,
                               const TensorShape& shape) {
  TRY(place, FindSafetensor(input, shape));
  return "_stored(\"" + PathInWorker(workload, input) + "\", " +
         std::to_string(place.offset) + ", " + std::to_string(place.size) +
         ", " + ShapeText(shape) + ", " + DTypeText(shape.dtype) + ")" +
         (shape.scalar ? ".item()" : "");
}

// An expression for one input.
Result<std::string> InputText(const Definition& definition,
                              const Workload& workload, std::size_t i,
                              const TensorShape& shape) {
  const TensorSpec& tensor = definition.inputs[i];
  const InputSpec& input = workload.inputs[i].second;
  if (tensor.dtype == DType::kFloat4E2M1) {
    return Fail(Errc::kUsage, definition.name + ": " + tensor.name +
                                  ": tensors of float4_e2m1 cannot be judged");
  }
  if (const auto* scalar = std::get_if<ScalarInput>(&input)) {
    return ScalarText(*scalar);
  }
  if (const auto* file = std::get_if<SafetensorsInput>(&input)) {
    return StoredText(workload, *file, shape);
  }
  if (std::holds_alternative<CustomInput>(input)) {
    return "_made[" + Quoted(tensor.name) + "]";
  }
  if (const Draw draw = std::get<RandomInput>(input).draw;
      draw != Draw::kPlain && tensor.shape) {
    return "_drawn(" + Quoted(std::string(Name(draw))) + ", " +
           ShapeText(shape) + ", " + DTypeText(tensor.dtype) + ")";
  }
  std::string drawn =
      "_random(" + ShapeText(shape) + ", " + DTypeText(tensor.dtype) + ")";
  if (definition.op_type == "sampling" && tensor.name == "probs") {
    drawn = "_torch.softmax(" + drawn + ", dim=-1)";
  }
  return tensor.shape ? drawn : drawn + ".item()";
}

bool IsCustom(const std::pair<std::string, InputSpec>& input) {
  return std::holds_alternative<CustomInput>(input.second);
}

bool IsDrawnByName(const std::pair<std::string, InputSpec>& input) {
  const auto* random = std::get_if<RandomInput>(&input.second);
  return random != nullptr && random->draw != Draw::kPlain;
}

// The call that makes all inputs which are no others; empty if there are none.
std::string MakingText(const Definition& definition, const Workload& workload) {
  if (std::ranges::none_of(workload.inputs, IsCustom)) return "";
  std::string known;
  for (const auto& [name, size] : SizesOf(definition, workload)) {
    known += Quoted(name) + ": " + std::to_string(size) + ", ";
  }
  for (const auto& [name, input] : workload.inputs) {
    if (const auto* scalar = std::get_if<ScalarInput>(&input)) {
      known += Quoted(name) + ": " + ScalarText(*scalar) + ", ";
    }
  }
  return "    _made = " + *definition.custom_inputs_entrypoint + "({" + known +
         "}, _torch.empty(0).device)\n";
}

// A module that calls `run`; see eval/torch/trace_function.py.
std::string ModuleText(const Definition& definition, const std::string& name) {
  Json dtypes = Json::array();
  for (const TensorSpec& output : definition.outputs) {
    dtypes.push_back(TorchName(output.dtype));
  }
  return "\n\nfrom trace_function import module_of as _module_of\n\n" + name +
         " = _module_of(globals(), " + LiteralOf(dtypes) + ")\n";
}

// Where a size is to be had at run time: "inputs[2].shape[0]", a constant, or
// what a constraint `AXIS == EXPRESSION` says of such.
Result<std::string> SizeText(const Definition& definition,
                             const std::string& axis, int depth = 0) {
  for (const Axis& known : definition.axes) {
    if (known.name == axis && known.constant) {
      return std::to_string(*known.constant);
    }
  }
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    const auto& shape = definition.inputs[i].shape;
    for (std::size_t k = 0; shape && k < shape->size(); ++k) {
      if ((*shape)[k] == axis) {
        return "inputs[" + std::to_string(i) + "].shape[" + std::to_string(k) +
               "]";
      }
    }
  }
  const std::string is = axis + " == ";
  const auto says = std::ranges::find_if(
      definition.constraints,
      [&](const std::string& text) { return text.starts_with(is); });
  if (says != definition.constraints.end() && depth < kMostSteps) {
    return Substituted(says->substr(is.size()), [&](const std::string& other) {
      return SizeText(definition, other, depth + 1);
    });
  }
  return Fail(Errc::kUsage, definition.name + ": the size of axis \"" + axis +
                                "\" does not follow from the inputs");
}

// A function that makes room for the outputs and passes it.
Result<std::string> PassingText(const Definition& definition) {
  std::string outputs;
  for (const TensorSpec& output : definition.outputs) {
    if (!output.shape) {
      return Fail(Errc::kUsage, definition.name + ": " + output.name +
                                    ": a number cannot be passed to be "
                                    "filled; return it");
    }
    std::string sizes;
    for (const std::string& axis : *output.shape) {
      TRY(size, SizeText(definition, axis));
      sizes += size + ", ";
    }
    outputs += "        _torch.empty((" + sizes +
               "), dtype=" + DTypeText(output.dtype) + ", device=_device),\n";
  }
  return "import torch as _torch\n\n\ndef run(*inputs):\n"
         "    _device = next((value.device for value in inputs\n"
         "                    if isinstance(value, _torch.Tensor)), None)\n"
         "    outputs = (\n" +
         outputs + "    )\n    _entry(*inputs, *outputs)\n    return outputs\n";
}

// Else by tvm-ffi, which is FlashInfer-Bench's default.
bool IsTorchBound(const Solution& solution) {
  return solution.binding == "torch";
}

// "pkg/main.py" is pkg.main.
std::string ModuleName(std::string path) {
  if (path.ends_with(".py")) path.resize(path.size() - 3);
  for (char& c : path) {
    if (c == '/') c = '.';
  }
  return path;
}

constexpr const char* kFinding =
    "\n\nfrom coppice_modules import offer as _offer\n\n_offer(_SOURCES)\n";

}  // namespace

Result<Candidate> TraceModule(const Task& task, const Candidate& candidate) {
  Candidate module = candidate;
  if (candidate.entry_symbol == kModule) return module;  // Null candidates.
  if (IsSolutionDocument(candidate.source)) {
    TRY(solution, ParseSolution(candidate.source, task.definition.name));
    TRY_ASSIGN(module.source, FunctionSource(task.definition, solution));
  } else if (candidate.language != Language::kPython &&
             candidate.language != Language::kTriton) {
    return Fail(Errc::kUsage,
                task.definition.name +
                    ": a candidate of this task is in Python, or the document "
                    "of a solution");
  }
  module.language = Language::kPython;
  module.source = ModuleSource(task.definition, module.source);
  module.entry_symbol = kModule;
  return module;
}

Result<Task> TraceProblem(const Task& task, std::size_t workload) {
  const Workload& chosen = task.workloads[workload];
  Task problem = task;
  problem.definition.name = task.definition.name + " " + chosen.uuid;
  TRY_ASSIGN(problem.definition.reference,
             ProblemSource(task.definition, chosen));
  problem.workloads = {chosen};
  problem.root.entry_symbol = kModule;
  problem.root.sources = {
      {problem.root.entry_file,
       ModuleSource(task.definition, task.definition.reference)}};
  return problem;
}

Result<std::string> ProblemSource(const Definition& definition,
                                  const Workload& workload) {
  std::string inputs;
  std::string stored;
  for (std::size_t i = 0; i < definition.inputs.size(); ++i) {
    if (std::holds_alternative<SafetensorsInput>(workload.inputs[i].second) ||
        IsCustom(workload.inputs[i])) {
      stored += std::to_string(i) + ", ";
    }
    TRY(shape, ShapeOf(definition, workload, definition.inputs[i]));
    TRY(text, InputText(definition, workload, i, shape));
    inputs += "        " + text + ",\n";
  }
  const bool is_any_named = std::ranges::any_of(workload.inputs, IsDrawnByName);
  return ReferenceSource(definition) + kDrawing +
         (is_any_named ? kNamedDraws : "") +
         "\n\n_CONSTRAINTS = " + LiteralOf(definition.constraints) + kReading +
         "\n\nAS_THEY_ARE = (" + stored +
         ")\nOUTPUTS_OF_RUN = " + std::to_string(definition.outputs.size()) +
         "\n\n\ndef get_inputs():\n" + MakingText(definition, workload) +
         "    return [\n" + inputs + "    ]\n";
}

std::string ReferenceSource(const Definition& definition) {
  return definition.reference + ModuleText(definition, "Model");
}

std::string ModuleSource(const Definition& definition,
                         const std::string& source) {
  return source + ModuleText(definition, kModule);
}

namespace {

// Files of Python's, by the names of their modules, and the entry.
std::string PythonEntry(const Solution& solution) {
  Json sources = Json::object();
  for (const SourceFile& file : solution.sources) {
    sources[ModuleName(file.path)] = file.content;
  }
  return "_SOURCES = " + LiteralOf(sources) + kFinding + "\n\nfrom " +
         ModuleName(solution.entry_file) + " import " + solution.entry_symbol +
         " as _entry\n";
}

// Files that the worker has compiled; see eval/torch/extensions.py.
std::string CompiledEntry(const Solution& solution) {
  Json sources = Json::object();
  for (const SourceFile& file : solution.sources) {
    sources[file.path] = file.content;
  }
  const bool cuda = solution.language == Language::kCuda;
  return "from extensions import load_solution as _load_solution\n"
         "from extensions import tensors_of as _tensors_of\n\n"
         "_entry = _load_solution(\n    " +
         LiteralOf(sources) + ",\n    " + (cuda ? "True" : "False") + ", " +
         (IsTorchBound(solution) ? "False" : "True") + ", " +
         Quoted(solution.entry_symbol) + ", " +
         LiteralOf({{"extra_cflags", solution.compile_options.cflags},
                    {"extra_cuda_cflags", solution.compile_options.cuda_cflags},
                    {"extra_ldflags", solution.compile_options.ld_flags}}) +
         ")\n";
}

}  // namespace

Result<std::string> FunctionSource(const Definition& definition,
                                   const Solution& solution) {
  if (solution.definition != definition.name) {
    return Fail(Errc::kUsage, solution.name + ": is a solution of " +
                                  solution.definition + ", not of " +
                                  definition.name);
  }
  std::string entry;
  bool returns_its_own = false;  // Tensors that are not torch's.
  switch (solution.language) {
    case Language::kPython:
    case Language::kTriton:
      entry = PythonEntry(solution);
      break;
    case Language::kCpp:
    case Language::kCuda:
      entry = CompiledEntry(solution);
      returns_its_own = !IsTorchBound(solution);
      break;
    case Language::kTilelang:
    case Language::kSim:
      return Fail(Errc::kUsage,
                  solution.name +
                      ": solutions in Python, Triton, C++ and CUDA C++ can be "
                      "judged on a task whose reference is Python");
  }
  if (solution.destination_passing_style.value_or(true)) {
    TRY(passing, PassingText(definition));
    return entry + passing;
  }
  return entry + (returns_its_own ? "\n\ndef run(*inputs):\n"
                                    "    return _tensors_of(_entry(*inputs))\n"
                                  : "\nrun = _entry\n");
}

}  // namespace coppice::eval
