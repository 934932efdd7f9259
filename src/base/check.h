#pragma once
// CHECK stops the program on a bug: a broken promise between two pieces of our own code, never bad input.

namespace allot {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace allot

#define CHECK(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : ::allot::CheckFailed(#condition, __FILE__, __LINE__))
