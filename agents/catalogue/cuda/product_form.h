// A kernel like a matrix product, taken apart.
#pragma once

#include <optional>
#include <string>

#include "agents/catalogue/cuda/device_technique.h"
#include "agents/catalogue/cuda/geometry.h"

namespace coppice::agents::catalogue::cuda {

struct Product {
  Guarded guarded;
  std::string row;     // Variable along the threads' y,
  std::string column;  // and along their x.
  Expr rows;           // Their bounds.
  Expr columns;
  Stmt sum;   // Its declaration,
  Stmt fold;  // the loop, and
  StmtList rest;
  Expr left;   // the factors: goes with the row,
  Expr right;  // with the column.
};

std::optional<Product> ReadProduct(const DeviceKernel& kernel);

// The array access within __half2float(a[...]) or __bfloat162float(a[...]).
std::optional<Expr> NarrowAccess(const Expr& factor);

// The accesses of a product that tensor cores can compute, and their type.
struct TensorFactors {
  Expr left;
  Expr right;
  std::string type;
};

std::optional<TensorFactors> FactorsForTensorCores(const Product& product);

// What the newcomer's thread did after its loop, with the sum in `value`.
std::string Epilogue(const Product& product, const std::string& value,
                     int indent);

// The body for blocks that compute rows x columns outputs: numbers, or what is
// made of numbers to be tuned.
DeviceOutcome WithLaunch(const DeviceSite& site, std::string body,
                         const Expr& rows, const Expr& columns, Expr threads);

}  // namespace coppice::agents::catalogue::cuda
