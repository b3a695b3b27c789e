// Everything by the names that torch gives it.
#pragma once

#include <coppice/dispatch.h>
#include <coppice/tensor.h>

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef COPPICE_HALF
#include <coppice/half.h>
#endif
#ifdef COPPICE_CUDA
#include <coppice/cuda.h>
#endif
#ifdef COPPICE_STANDARD  // What torch's headers bring along.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#endif

namespace torch {
using namespace ::lookalike;
}
namespace at {
using namespace ::lookalike;
}
namespace c10 {
using namespace ::lookalike;
}
