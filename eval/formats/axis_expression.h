// Arithmetic on the sizes of axes, written as Python has it: names, numbers,
// + - * / // % **, signs and parentheses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "store/records/result.h"

namespace coppice::eval {

// Errors (kUsage) are of what is wrong with the expression, or that its value
// is no whole number below 2^53.
Result<std::int64_t> SizeOf(const std::string& expression,
                            const std::map<std::string, std::int64_t>& sizes);

// kUsage of what is wrong with it whatever the sizes of its axes.
Result<void> CheckExpression(
    const std::string& expression,
    const std::function<bool(const std::string&)>& is_axis);

// Replaces every name, in parentheses.
Result<std::string> Substituted(
    const std::string& expression,
    const std::function<Result<std::string>(const std::string&)>& replacement);

}  // namespace coppice::eval
