// The operations over HTTP: POST /v1/NAME with the request as its body, and
// GET /v1/operations, which lists them.
#pragma once

#include <cstdint>

#include "engine/http/request.h"
#include "engine/service/service.h"

namespace coppice::service {

// Whether such a request is for AnswerWeb.
bool IsOfOperations(const http::Request& request);

enum class Rights : std::uint8_t { kAll, kReading };

// 405 for what changes anything, if only reading is right; 400 for wrong
// arguments, 429 with Retry-After for a new job where 128 wait already; the
// body is an error as JSON lines have it.  Blocks as long as the operation, or
// until the service ends.
http::Answer AnswerWeb(Service& service, const http::Request& request,
                       Rights rights = Rights::kAll);

}  // namespace coppice::service
