// What a look-alike header may ask of the real torch: C functions of bridge.cc,
// which is compiled once, with torch's own headers.
//
// A tensor is at::TensorImpl*, null where it is undefined; a function that
// returns one gives a reference away.  Every function may throw what torch
// throws, through the caller, up to the bridge that called it.
#pragma once

#include <cstddef>
#include <cstdint>

struct _object;  // Python's.

namespace lookalike {

using Impl = void;
using Object = ::_object;

// -1: not said.
struct Choices {
  std::int8_t dtype = -1;
  std::int8_t device_type = -1;
  std::int8_t device_index = -1;
  std::int8_t pinned = -1;
  std::int8_t requires_grad = -1;
};

enum class Kind : std::int32_t {
  kNone,
  kTensor,
  kInt,
  kReal,
  kBool,
  kDevice,  // `integer` is 256 * type + index.
  kInts,
  kTensors,
  kText
};

// An argument of an operator, or its result.
struct Value {
  Kind kind = Kind::kNone;
  union {
    Impl* tensor;
    std::int64_t integer = 0;
    double real;
    const void* list;
  };
  std::size_t size = 0;  // Of the list.
};

struct Parameter {
  const char* name;   // Null: only by its place.
  Object* otherwise;  // Null: must be given.
  const char* type;   // As error messages call it.
};

// A Python function to be.
struct Function {
  const char* name;
  const char* documentation;
  const char* result;  // As error messages call it.
  const Parameter* parameters;
  std::size_t parameter_count;
  // Null if the arguments are of other types.
  Object* (*invoke)(const void* callable, Object* const* arguments,
                    bool convert);
  const void* callable;  // Lives as long as the library.
  bool torch_errors;     // As torch::wrap_pybind_function reports them.
};

enum class Complaint : std::int32_t {
  kError,
  kIndex,
  kValue,
  kType,
  kNotImplemented
};

extern "C" {
Impl* coppice_retain(Impl*);
void coppice_release(Impl*);

void* coppice_data(Impl*, std::int32_t dtype, bool writes);  // -1: any type.
const std::int64_t* coppice_sizes(Impl*, std::size_t* rank);
const std::int64_t* coppice_strides(Impl*, std::size_t* rank);
std::int64_t coppice_size(Impl*, std::int64_t dimension);
std::int64_t coppice_stride(Impl*, std::int64_t dimension);
std::int64_t coppice_numel(Impl*);
std::int64_t coppice_storage_offset(Impl*);
std::size_t coppice_element_size(std::int32_t dtype);
bool coppice_is_contiguous(Impl*, std::int32_t memory_format);
bool coppice_is_alias_of(Impl*, Impl*);
Choices coppice_options(Impl*);
Impl* coppice_contiguous(Impl*, std::int32_t memory_format);
Impl* coppice_empty(const std::int64_t* sizes, std::size_t rank, Choices);
Impl* coppice_empty_like(Impl*, Choices);
Impl* coppice_to(Impl*, Choices, bool non_blocking, bool copy);

// Calls go by torch's dispatcher; arguments that are left out have their
// defaults.
const void* coppice_operator(const char* name, const char* overload);
void coppice_call(const void* op, const Value* arguments, std::size_t count,
                  Value* results, std::size_t result_count);
// Writes up to `room` characters of it; returns its length.
std::size_t coppice_print(Impl*, char* text, std::size_t room);
const char* coppice_type_name(std::int32_t dtype);

[[noreturn]] void coppice_complain(Complaint, const char* function,
                                   const char* file, std::uint32_t line,
                                   const char* text);
void coppice_warn(const char* function, const char* file, std::uint32_t line,
                  const char* text);
void coppice_parallel_for(std::int64_t begin, std::int64_t end,
                          std::int64_t grain,
                          void (*body)(void*, std::int64_t, std::int64_t),
                          void* context);

void* coppice_stream(int device, bool fresh);  // -1: of the current device.
void coppice_cuda_check(int status, const char* file, const char* function,
                        int line);
int coppice_current_device();
int coppice_exchange_device(int device);
void* coppice_device_properties(int device);  // -1: the current one.
void* coppice_blas_handle();

// Conversions as pybind11 makes them.  False, and no Python error: no match.
bool coppice_to_tensor(Object*, Impl**);
bool coppice_to_int(Object*, bool convert, std::int64_t*);
bool coppice_to_real(Object*, bool convert, double*);
bool coppice_to_bool(Object*, bool convert, bool*);
bool coppice_to_text(Object*, const char**, std::size_t*);
bool coppice_to_dtype(Object*, std::int8_t*);
bool coppice_is_none(Object*);
// A borrowed list or tuple of what is in a sequence; null if it is none.
Object* coppice_sequence(Object*, std::size_t* size);
Object* coppice_item(Object* sequence, std::size_t index);  // Borrowed.
void coppice_drop(Object*);

Object* coppice_none();
Object* coppice_from_tensor(Impl*);
Object* coppice_from_int(std::int64_t);
Object* coppice_from_real(double);
Object* coppice_from_bool(bool);
Object* coppice_from_text(const char*, std::size_t);
Object* coppice_from_dtype(std::int8_t);
enum class Row { kList, kTuple };
Object* coppice_row(Row, Object* const* items,
                    std::size_t size);  // Takes them.

void coppice_define(Object* module, const Function*);
void coppice_document(Object* module, const char* text);
}

}  // namespace lookalike
