// The Python module that candidates compiled with our look-alike headers are
// loaded by, and the C functions those headers are made of.  Compiled once for
// an installation of torch, with torch's own headers.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <dlfcn.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/DynamicTypes.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/utils/pybind.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#ifdef COPPICE_CUDA
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
// Without their headers, which want those of all of CUDA's libraries.
struct cublasContext;
namespace at::cuda {
TORCH_CUDA_CPP_API cudaDeviceProp* getCurrentDeviceProperties();
TORCH_CUDA_CPP_API cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
TORCH_CUDA_CPP_API cublasContext* getCurrentCUDABlasHandle();
}  // namespace at::cuda
#endif

#include <coppice/bridge.h>

namespace lookalike {
namespace {

static_assert(
    static_cast<int>(at::kByte) == 0 && static_cast<int>(at::kChar) == 1 &&
    static_cast<int>(at::kShort) == 2 && static_cast<int>(at::kInt) == 3 &&
    static_cast<int>(at::kLong) == 4 && static_cast<int>(at::kHalf) == 5 &&
    static_cast<int>(at::kFloat) == 6 && static_cast<int>(at::kDouble) == 7 &&
    static_cast<int>(at::kBool) == 11 && static_cast<int>(at::kBFloat16) == 15);
static_assert(static_cast<int>(at::kCPU) == 0 &&
              static_cast<int>(at::kCUDA) == 1);
static_assert(static_cast<int>(at::MemoryFormat::Contiguous) == 0 &&
              static_cast<int>(at::MemoryFormat::Preserve) == 1 &&
              static_cast<int>(at::MemoryFormat::ChannelsLast) == 2 &&
              static_cast<int>(at::MemoryFormat::ChannelsLast3d) == 3);

using Pointer = c10::intrusive_ptr<at::TensorImpl, at::UndefinedTensorImpl>;

at::TensorImpl* Raw(Impl* impl) { return static_cast<at::TensorImpl*>(impl); }

Impl* Give(at::Tensor tensor) {
  return tensor.defined() ? tensor.unsafeReleaseTensorImpl() : nullptr;
}

at::Tensor Take(Impl* impl) {
  return impl == nullptr ? at::Tensor()
                         : at::Tensor(Pointer::reclaim(Raw(impl)));
}

// A tensor that somebody else keeps alive, without counting.
class Lent {
 public:
  explicit Lent(Impl* impl) : tensor_(Take(impl)) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { Give(std::move(tensor_)); }
  const at::Tensor& operator*() const { return tensor_; }
  const at::Tensor* operator->() const { return &tensor_; }

 private:
  at::Tensor tensor_;
};

at::TensorOptions Options(const Choices& c) {
  at::TensorOptions options;
  if (c.dtype >= 0) {
    options = options.dtype(static_cast<at::ScalarType>(c.dtype));
  }
  if (c.device_type >= 0) {
    options = options.device(
        at::Device(static_cast<at::DeviceType>(c.device_type), c.device_index));
  }
  if (c.pinned >= 0) options = options.pinned_memory(c.pinned == 1);
  return options;
}

at::Tensor WithGrad(at::Tensor tensor, const Choices& c) {
  if (c.requires_grad == 1) tensor.requires_grad_(true);
  return tensor;
}

at::MemoryFormat Format(std::int32_t format) {
  return static_cast<at::MemoryFormat>(format);
}

c10::IValue ToIValue(const Value& value, const c10::TypePtr& type) {
  switch (value.kind) {
    case Kind::kNone:
      return {};
    case Kind::kTensor:
      return value.tensor == nullptr
                 ? c10::IValue(at::Tensor())
                 : c10::IValue(at::Tensor(*Lent(value.tensor)));
    case Kind::kInt:
      if (type->kind() == c10::TypeKind::FloatType) {
        return static_cast<double>(value.integer);
      }
      return value.integer;
    case Kind::kReal:
      return value.real;
    case Kind::kBool:
      return value.integer != 0;
    case Kind::kDevice:
      return at::Device(
          static_cast<at::DeviceType>((value.integer + 1) / 256),
          static_cast<at::DeviceIndex>((value.integer + 1) % 256 - 1));
    case Kind::kInts: {
      const auto* list = static_cast<const std::int64_t*>(value.list);
      return std::vector<std::int64_t>(list, list + value.size);
    }
    case Kind::kTensors: {
      std::vector<at::Tensor> tensors;
      for (std::size_t i = 0; i < value.size; ++i) {
        tensors.push_back(*Lent(static_cast<Impl* const*>(value.list)[i]));
      }
      return tensors;
    }
    case Kind::kText:
      return std::string(static_cast<const char*>(value.list));
  }
  TORCH_INTERNAL_ASSERT(false);
}

Value ToValue(const c10::IValue& from) {
  Value value;
  if (from.isTensor()) {
    value.kind = Kind::kTensor;
    value.tensor = Give(from.toTensor());
  } else if (from.isInt()) {
    value.kind = Kind::kInt;
    value.integer = from.toInt();
  } else if (from.isDouble()) {
    value.kind = Kind::kReal;
    value.real = from.toDouble();
  } else if (from.isBool()) {
    value.kind = Kind::kBool;
    value.integer = from.toBool();
  } else {
    TORCH_CHECK(false, "look-alike: a result of type ", from.tagKind());
  }
  return value;
}

struct Overload {
  struct Named {
    std::string name;  // Empty: only by its place.
    py::object otherwise;
    std::string type;
  };
  std::vector<Named> parameters;
  std::string result;
  Function function;
};

struct Callable {
  std::string name;
  std::string documentation;
  std::vector<Overload> overloads;
  PyMethodDef method = {};
};

std::string Signature(const Overload& overload) {
  std::string text = "(";
  for (std::size_t i = 0; i < overload.parameters.size(); ++i) {
    const auto& parameter = overload.parameters[i];
    if (i > 0) text += ", ";
    text += parameter.name.empty() ? "arg" + std::to_string(i) : parameter.name;
    text += ": " + parameter.type;
    if (parameter.otherwise) {
      text += " = " + py::repr(parameter.otherwise).cast<std::string>();
    }
  }
  return text + ") -> " + overload.result;
}

// False if the arguments are too few, too many or misnamed.
bool Arrange(const Overload& overload, PyObject* const* given,
             std::size_t positional, PyObject* names,
             std::vector<PyObject*>& row) {
  const std::size_t count = overload.parameters.size();
  if (positional > count) return false;
  row.assign(count, nullptr);
  std::copy(given, given + positional, row.begin());
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t k = 0; k < named; ++k) {
    std::size_t i = 0;
    while (i < count && (overload.parameters[i].name.empty() ||
                         PyUnicode_CompareWithASCIIString(
                             PyTuple_GET_ITEM(names, k),
                             overload.parameters[i].name.c_str()) != 0)) {
      ++i;
    }
    if (i == count || row[i] != nullptr) return false;
    row[i] = given[positional + static_cast<std::size_t>(k)];
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (row[i] == nullptr) row[i] = overload.parameters[i].otherwise.ptr();
    if (row[i] == nullptr) return false;
  }
  return true;
}

// Complains in pybind11's words.
PyObject* Mismatch(const Callable& callable, PyObject* const* given,
                   std::size_t positional, PyObject* names) {
  std::string text = callable.name +
                     "(): incompatible function arguments. The following "
                     "argument types are supported:\n";
  int number = 0;
  for (const Overload& overload : callable.overloads) {
    text +=
        "    " + std::to_string(++number) + ". " + Signature(overload) + "\n";
  }
  text += "\nInvoked with: ";
  for (std::size_t i = 0; i < positional; ++i) {
    if (i > 0) text += ", ";
    text += py::repr(py::handle(given[i])).cast<std::string>();
  }
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  if (named > 0) text += positional > 0 ? "; kwargs: " : "kwargs: ";
  for (Py_ssize_t k = 0; k < named; ++k) {
    if (k > 0) text += ", ";
    text +=
        py::str(PyTuple_GET_ITEM(names, k)).cast<std::string>() + "=" +
        py::repr(py::handle(given[positional + static_cast<std::size_t>(k)]))
            .cast<std::string>();
  }
  PyErr_SetString(PyExc_TypeError, text.c_str());
  return nullptr;
}

// Overloads are resolved as they are there: first without conversions, if there
// is a choice at all.
PyObject* Match(const Callable& callable, PyObject* const* given,
                std::size_t positional, PyObject* names) {
  std::vector<PyObject*> row;
  for (const bool convert : {false, true}) {
    if (!convert && callable.overloads.size() == 1) continue;
    for (const Overload& overload : callable.overloads) {
      if (!Arrange(overload, given, positional, names, row)) continue;
      const Function& function = overload.function;
      PyObject* const result =
          function.invoke(function.callable, row.data(), convert);
      if (result != nullptr || PyErr_Occurred() != nullptr) return result;
    }
  }
  return Mismatch(callable, given, positional, names);
}

PyObject* TorchErrors(const Callable& callable, PyObject* const* given,
                      std::size_t positional, PyObject* names) {
  HANDLE_TH_ERRORS
  return Match(callable, given, positional, names);
  END_HANDLE_TH_ERRORS
}

// Lets pybind11 itself say what an exception is in Python.
PyObject* PybindErrors(std::exception_ptr thrown) {
  const py::cpp_function rethrow([&] { std::rethrow_exception(thrown); });
  return PyObject_CallNoArgs(rethrow.ptr());
}

PyObject* Called(PyObject* self, PyObject* const* given, Py_ssize_t count,
                 PyObject* names) {
  const auto& callable =
      *static_cast<Callable*>(PyCapsule_GetPointer(self, nullptr));
  const auto positional = static_cast<std::size_t>(count);
  if (callable.overloads.front().function.torch_errors) {
    return TorchErrors(callable, given, positional, names);
  }
  try {
    return Match(callable, given, positional, names);
  } catch (...) {
    return PybindErrors(std::current_exception());
  }
}

// A module that holds what the library `path` defines.
py::object Load(const std::string& path, const std::string& name) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw py::import_error(dlerror());
  const auto fill =
      reinterpret_cast<void (*)(Object*)>(dlsym(library, "coppice_extension"));
  if (fill == nullptr) {
    throw py::import_error(
        "dynamic module does not define module export "
        "function (PyInit_" +
        name + ")");
  }
  auto module = py::reinterpret_steal<py::object>(PyModule_New(name.c_str()));
  module.attr("__file__") = path;
  fill(module.ptr());
  return module;
}

}  // namespace

extern "C" {

Impl* coppice_retain(Impl* impl) {
  return Pointer::reclaim_copy(Raw(impl)).release();
}
void coppice_release(Impl* impl) { Take(impl); }

void* coppice_data(Impl* impl, std::int32_t dtype, bool writes) {
  const Lent tensor(impl);
  if (dtype >= 0) {
    // The message is data_ptr<T>()'s.
    TORCH_CHECK(tensor->scalar_type() == static_cast<at::ScalarType>(dtype),
                "expected scalar type ", static_cast<at::ScalarType>(dtype),
                " but found ", tensor->scalar_type());
  }
  return writes ? tensor->mutable_data_ptr()
                : const_cast<void*>(tensor->const_data_ptr());
}
const std::int64_t* coppice_sizes(Impl* impl, std::size_t* rank) {
  const at::IntArrayRef sizes = Lent(impl)->sizes();
  *rank = sizes.size();
  return sizes.data();
}
const std::int64_t* coppice_strides(Impl* impl, std::size_t* rank) {
  const at::IntArrayRef strides = Lent(impl)->strides();
  *rank = strides.size();
  return strides.data();
}
std::int64_t coppice_size(Impl* impl, std::int64_t dimension) {
  return Lent(impl)->size(dimension);
}
std::int64_t coppice_stride(Impl* impl, std::int64_t dimension) {
  return Lent(impl)->stride(dimension);
}
std::int64_t coppice_numel(Impl* impl) { return Lent(impl)->numel(); }
std::int64_t coppice_storage_offset(Impl* impl) {
  return Lent(impl)->storage_offset();
}
std::size_t coppice_element_size(std::int32_t dtype) {
  return c10::elementSize(static_cast<at::ScalarType>(dtype));
}
bool coppice_is_contiguous(Impl* impl, std::int32_t memory_format) {
  return Lent(impl)->is_contiguous(Format(memory_format));
}
bool coppice_is_alias_of(Impl* a, Impl* b) {
  return Lent(a)->is_alias_of(*Lent(b));
}
Choices coppice_options(Impl* impl) {
  const Lent tensor(impl);
  TORCH_CHECK(tensor->defined(), "tensor does not have a device");
  Choices choices;
  choices.dtype = static_cast<std::int8_t>(tensor->scalar_type());
  choices.device_type = static_cast<std::int8_t>(tensor->device().type());
  choices.device_index = static_cast<std::int8_t>(tensor->device().index());
  choices.requires_grad = tensor->requires_grad();
  return choices;
}
Impl* coppice_contiguous(Impl* impl, std::int32_t memory_format) {
  return Give(Lent(impl)->contiguous(Format(memory_format)));
}
Impl* coppice_empty(const std::int64_t* sizes, std::size_t rank, Choices c) {
  return Give(WithGrad(at::empty(at::IntArrayRef(sizes, rank), Options(c)), c));
}
Impl* coppice_empty_like(Impl* impl, Choices c) {
  return Give(WithGrad(at::empty_like(*Lent(impl), Options(c)), c));
}
Impl* coppice_to(Impl* impl, Choices c, bool non_blocking, bool copy) {
  return Give(Lent(impl)->to(Options(c), non_blocking, copy));
}

const void* coppice_operator(const char* name, const char* overload) {
  return new c10::OperatorHandle(
      c10::Dispatcher::singleton().findSchemaOrThrow(name, overload));
}
void coppice_call(const void* op, const Value* arguments, std::size_t count,
                  Value* results, std::size_t result_count) {
  const auto& handle = *static_cast<const c10::OperatorHandle*>(op);
  const auto& schema = handle.schema().arguments();
  torch::jit::Stack stack;
  stack.reserve(schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (i < count) {
      c10::TypePtr type = schema[i].type();
      if (const auto maybe = type->cast<c10::OptionalType>()) {
        type = maybe->getElementType();
      }
      stack.push_back(ToIValue(arguments[i], type));
    } else {
      TORCH_CHECK(schema[i].default_value().has_value(), handle.schema().name(),
                  ": no argument ", schema[i].name());
      stack.push_back(*schema[i].default_value());
    }
  }
  handle.callBoxed(stack);
  for (std::size_t i = 0; i < result_count; ++i) {
    results[i] = ToValue(stack.at(i));
  }
}
std::size_t coppice_print(Impl* impl, char* text, std::size_t room) {
  std::ostringstream stream;
  stream << *Lent(impl);
  return stream.str().copy(text, room), stream.str().size();
}
const char* coppice_type_name(std::int32_t dtype) {
  return c10::scalarTypeToTypeMeta(static_cast<at::ScalarType>(dtype))
      .name()
      .data();
}

void coppice_complain(Complaint complaint, const char* function,
                      const char* file, std::uint32_t line, const char* text) {
  const c10::SourceLocation where{function, file, line};
  switch (complaint) {
    case Complaint::kIndex:
      throw c10::IndexError(where, text);
    case Complaint::kValue:
      throw c10::ValueError(where, text);
    case Complaint::kType:
      throw c10::TypeError(where, text);
    case Complaint::kNotImplemented:
      throw c10::NotImplementedError(where, text);
    default:
      throw c10::Error(where, text);
  }
}
void coppice_warn(const char* function, const char* file, std::uint32_t line,
                  const char* text) {
  c10::warn(
      c10::Warning(c10::UserWarning(), {function, file, line}, text, false));
}
void coppice_parallel_for(std::int64_t begin, std::int64_t end,
                          std::int64_t grain,
                          void (*body)(void*, std::int64_t, std::int64_t),
                          void* context) {
  at::parallel_for(begin, end, grain, [&](std::int64_t from, std::int64_t to) {
    body(context, from, to);
  });
}

#ifdef COPPICE_CUDA
void* coppice_stream(int device, bool fresh) {
  const auto index = static_cast<c10::DeviceIndex>(device);
  return fresh ? c10::cuda::getStreamFromPool(false, index).stream()
               : c10::cuda::getCurrentCUDAStream(index).stream();
}
void coppice_cuda_check(int status, const char* file, const char* function,
                        int line) {
  c10::cuda::c10_cuda_check_implementation(
      status, file, function, static_cast<std::uint32_t>(line), true);
}
int coppice_current_device() { return c10::cuda::current_device(); }
int coppice_exchange_device(int device) {
  return c10::cuda::ExchangeDevice(static_cast<c10::DeviceIndex>(device));
}
void* coppice_device_properties(int device) {
  return device < 0 ? at::cuda::getCurrentDeviceProperties()
                    : at::cuda::getDeviceProperties(
                          static_cast<c10::DeviceIndex>(device));
}
void* coppice_blas_handle() { return at::cuda::getCurrentCUDABlasHandle(); }
#else
[[noreturn]] static void NoCuda() {
  TORCH_CHECK(false, "Torch not compiled with CUDA enabled");
}
void* coppice_stream(int, bool) { NoCuda(); }
void coppice_cuda_check(int, const char*, const char*, int) { NoCuda(); }
int coppice_current_device() { NoCuda(); }
int coppice_exchange_device(int) { NoCuda(); }
void* coppice_device_properties(int) { NoCuda(); }
void* coppice_blas_handle() { NoCuda(); }
#endif

// pybind11's own casters, so that what they take is what is taken.
#define COPPICE_LOAD(type, from, convert, assign) \
  py::detail::make_caster<type> caster;           \
  if (!caster.load(from, convert)) return false;  \
  assign;                                         \
  return true

bool coppice_to_tensor(Object* from, Impl** to) {
  if (!THPVariable_Check(from)) return false;
  *to = Give(THPVariable_Unpack(from));
  return true;
}
bool coppice_to_int(Object* from, bool convert, std::int64_t* to) {
  COPPICE_LOAD(std::int64_t, from, convert,
               *to = py::detail::cast_op<std::int64_t>(caster));
}
bool coppice_to_real(Object* from, bool convert, double* to) {
  COPPICE_LOAD(double, from, convert,
               *to = py::detail::cast_op<double>(caster));
}
bool coppice_to_bool(Object* from, bool convert, bool* to) {
  COPPICE_LOAD(bool, from, convert, *to = py::detail::cast_op<bool>(caster));
}
bool coppice_to_text(Object* from, const char** text, std::size_t* size) {
  Py_ssize_t length = 0;
  if (PyBytes_Check(from)) {
    *text = PyBytes_AS_STRING(from);
    length = PyBytes_GET_SIZE(from);
  } else if (PyUnicode_Check(from)) {
    *text = PyUnicode_AsUTF8AndSize(from, &length);
    if (*text == nullptr) PyErr_Clear();
  } else {
    return false;
  }
  *size = static_cast<std::size_t>(length);
  return *text != nullptr;
}
bool coppice_to_dtype(Object* from, std::int8_t* to) {
  if (!THPDtype_Check(from)) return false;
  *to =
      static_cast<std::int8_t>(reinterpret_cast<THPDtype*>(from)->scalar_type);
  return true;
}
bool coppice_is_none(Object* object) { return object == Py_None; }
Object* coppice_sequence(Object* from, std::size_t* size) {
  if (!PySequence_Check(from) || PyUnicode_Check(from) || PyBytes_Check(from)) {
    return nullptr;
  }
  PyObject* const row = PySequence_Fast(from, "not a sequence");
  if (row == nullptr) {
    PyErr_Clear();
    return nullptr;
  }
  *size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(row));
  return row;
}
Object* coppice_item(Object* sequence, std::size_t index) {
  return PySequence_Fast_GET_ITEM(sequence, static_cast<Py_ssize_t>(index));
}
void coppice_drop(Object* object) { Py_DECREF(object); }

Object* coppice_none() { return Py_NewRef(Py_None); }
Object* coppice_from_tensor(Impl* impl) { return THPVariable_Wrap(Take(impl)); }
Object* coppice_from_int(std::int64_t value) {
  return PyLong_FromLongLong(value);
}
Object* coppice_from_real(double value) { return PyFloat_FromDouble(value); }
Object* coppice_from_bool(bool value) { return PyBool_FromLong(value); }
Object* coppice_from_text(const char* text, std::size_t size) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), nullptr);
}
Object* coppice_from_dtype(std::int8_t dtype) {
  return Py_NewRef(reinterpret_cast<PyObject*>(
      torch::getTHPDtype(static_cast<at::ScalarType>(dtype))));
}
Object* coppice_row(Row kind, Object* const* items, std::size_t size) {
  const auto length = static_cast<Py_ssize_t>(size);
  PyObject* const row =
      kind == Row::kList ? PyList_New(length) : PyTuple_New(length);
  for (Py_ssize_t i = 0; row != nullptr && i < length; ++i) {
    if (kind == Row::kList) {
      PyList_SET_ITEM(row, i, items[i]);
    } else {
      PyTuple_SET_ITEM(row, i, items[i]);
    }
  }
  return row;
}

void coppice_define(Object* module, const Function* function) {
  Overload overload;
  overload.result = function->result;
  for (std::size_t i = 0; i < function->parameter_count; ++i) {
    const Parameter& parameter = function->parameters[i];
    overload.parameters.push_back(
        {parameter.name == nullptr ? "" : parameter.name,
         py::reinterpret_steal<py::object>(parameter.otherwise),
         parameter.type});
  }
  overload.function = *function;
  py::module_ where = py::reinterpret_borrow<py::module_>(module);
  // Another of the same name is one more overload.
  if (py::hasattr(where, function->name)) {
    const py::object there = where.attr(function->name);
    PyObject* const self = PyCFunction_Check(there.ptr())
                               ? PyCFunction_GetSelf(there.ptr())
                               : nullptr;
    if (self != nullptr && PyCapsule_CheckExact(self)) {
      static_cast<Callable*>(PyCapsule_GetPointer(self, nullptr))
          ->overloads.push_back(std::move(overload));
      return;
    }
  }
  auto callable = std::make_unique<Callable>();
  callable->name = function->name;
  callable->documentation = callable->name + Signature(overload) + "\n\n" +
                            function->documentation + "\n";
  callable->overloads.push_back(std::move(overload));
  callable->method = {
      callable->name.c_str(),
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Called)),
      METH_FASTCALL | METH_KEYWORDS, callable->documentation.c_str()};
  PyMethodDef* const method = &callable->method;
  // Kept for good: a function may outlive its module.
  const py::capsule self(callable.release());
  where.attr(function->name) =
      py::reinterpret_steal<py::object>(PyCFunction_New(method, self.ptr()));
}
void coppice_document(Object* module, const char* text) {
  py::reinterpret_borrow<py::object>(module).attr("__doc__") = text;
}

}  // extern "C"

PYBIND11_MODULE(coppice_bridge, module) { module.def("load", &Load); }

}  // namespace lookalike
