// Complex numbers of C and C++ under names that are one word, which the reader
// of functions takes as a type like any other.
#pragma once

#include <string>

namespace coppice::engine::own {

inline constexpr const char* kComplexFloat = "ComplexFloat";
inline constexpr const char* kComplexDouble = "ComplexDouble";

// `std::complex<float>` and `float complex` become ComplexFloat; of C, `I` and
// functions such as cabsf what C++ has.  A text without them is as it was.
std::string WithNamedComplex(const std::string& text);

bool NamesComplex(const std::string& text);

// What those names are, and products with other numbers, which C++ lacks.
std::string ComplexNames();

// A body as what reads loops knows it: a complex number is a float.
std::string WithoutComplex(const std::string& body);

}  // namespace coppice::engine::own
