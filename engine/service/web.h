// The operations over HTTP: POST /v1/NAME with the request as its body, and
// GET /v1/operations, which lists them.
#pragma once

#include "engine/http/request.h"
#include "engine/service/service.h"

namespace coppice::service {

// Whether such a request is for AnswerWeb.
bool IsOfOperations(const http::Request& request);

// 400 for wrong arguments, 429 with Retry-After where 64 jobs wait already; the
// body is an error as JSON lines have it.  Blocks as long as the operation.
http::Answer AnswerWeb(Service& service, const http::Request& request);

}  // namespace coppice::service
