// How every front says that an operation failed.
#pragma once

#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::service {

// "usage", "not_found", "busy": what a program may branch on.
std::string_view CodeWord(Errc code);

// What may be done about it, in a sentence; empty: the message says it.
std::string_view HintOf(Errc code);

// JSON-RPC's code: -32602 for wrong arguments, -32000 for all else.
int RpcCode(Errc code);

// HTTP's status: 400, 404, 429, ...
int HttpStatus(Errc code);

// {"code":-32602,"message":"one line","data":{"code":"usage","hint":""}}.
std::string ErrorJson(const Error& error);
// The same of a request that was not understood.
std::string ErrorJson(int rpc_code, std::string_view message);

}  // namespace coppice::service
