#include "base/status.h"

namespace allot {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk: return "ok";
    case Code::kInvalid: return "invalid";
    case Code::kNotFound: return "not found";
    case Code::kUnsupported: return "unsupported";
    case Code::kExhausted: return "exhausted";
    case Code::kUnavailable: return "unavailable";
    case Code::kConflict: return "conflict";
  }
  return "unknown";
}

std::string Status::ToString() const { return ok() ? "ok" : StrCat(CodeName(code_), ": ", message_); }

}  // namespace allot
