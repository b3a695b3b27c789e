// Headers of a host's that device code is used to including, as NVRTC, which
// has no host's, shall find them.
//
// What they declare is built in (printf, assert, sqrtf), or is libcu++'s, which
// comes with the toolkit as <cuda/std/...> and becomes std's.
#pragma once

namespace coppice::eval::cuda {

struct HostHeader {
  const char* name;  // As sources include it.
  const char* text;
};

// Some of libcu++'s define macros alone.
#define COPPICE_AS_STD                   \
  "namespace cuda { namespace std {}}\n" \
  "namespace std { using namespace ::cuda::std; }\n"
#define COPPICE_FLOAT_LIMITS                     \
  "#ifndef FLT_MAX\n"                            \
  "#define FLT_MAX 3.402823466e+38f\n"           \
  "#define FLT_MIN 1.175494351e-38f\n"           \
  "#define FLT_EPSILON 1.192092896e-07f\n"       \
  "#define DBL_MAX 1.7976931348623158e+308\n"    \
  "#define DBL_MIN 2.2250738585072014e-308\n"    \
  "#define DBL_EPSILON 2.2204460492503131e-16\n" \
  "#endif\n"
#define COPPICE_OF_LIBCUXX(name) "#include <cuda/std/" name ">\n" COPPICE_AS_STD

inline constexpr HostHeader kHostHeaders[] = {
    {"assert.h", ""},
    {"cassert", ""},
    {"cuda.h", ""},
    {"cuda_runtime.h", ""},
    {"device_launch_parameters.h", ""},
    {"cstdio", ""},
    {"stdio.h", ""},
    {"math.h", ""},
    {"cmath", COPPICE_OF_LIBCUXX("cmath")},
    {"cfloat", COPPICE_OF_LIBCUXX("cfloat") COPPICE_FLOAT_LIMITS},
    {"float.h", COPPICE_OF_LIBCUXX("cfloat") COPPICE_FLOAT_LIMITS},
    {"climits", COPPICE_OF_LIBCUXX("climits")},
    {"limits.h", COPPICE_OF_LIBCUXX("climits")},
    {"cstddef", COPPICE_OF_LIBCUXX("cstddef")},
    {"stddef.h", COPPICE_OF_LIBCUXX("cstddef")},
    {"cstdint", COPPICE_OF_LIBCUXX("cstdint")},
    {"stdint.h", COPPICE_OF_LIBCUXX("cstdint")},
    // Not all toolkits have the whole of it.
    {"algorithm",
     "#if __has_include(<cuda/std/algorithm>)\n"
     "#include <cuda/std/algorithm>\n"
     "#else\n"
     "#include <cuda/std/__algorithm/clamp.h>\n"
     "#include <cuda/std/__algorithm/max.h>\n"
     "#include <cuda/std/__algorithm/min.h>\n"
     "#endif\n" COPPICE_AS_STD},
    {"array", COPPICE_OF_LIBCUXX("array")},
    {"functional", COPPICE_OF_LIBCUXX("functional")},
    {"limits", COPPICE_OF_LIBCUXX("limits")},
    {"tuple", COPPICE_OF_LIBCUXX("tuple")},
    {"type_traits", COPPICE_OF_LIBCUXX("type_traits")},
    {"utility", COPPICE_OF_LIBCUXX("utility")},
};

#undef COPPICE_OF_LIBCUXX
#undef COPPICE_FLOAT_LIMITS
#undef COPPICE_AS_STD

}  // namespace coppice::eval::cuda
