// How a kernel's array accesses move with a variable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/expr.h"
#include "agents/catalogue/poly.h"

namespace coppice::agents::catalogue::cuda {

// The element accesses in an expression, outermost first.
std::vector<Expr> AccessesIn(const Expr& expr);

// True if a step of the variable is a step of one element.
bool HasUnitStride(const Expr& access, std::string_view variable,
                   const Definitions& definitions = {});

// Bytes of an element of this C type.
std::int64_t BytesOf(const std::string& element);

// Source of Pack<T, kCount>: neighbouring elements, loaded and stored together.
extern const std::string_view kPack;

}  // namespace coppice::agents::catalogue::cuda
