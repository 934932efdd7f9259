#pragma once
// CHECK stops the program on a bug: one piece of allot's code broke its promise to another. Bad input is never a CHECK.

namespace allot {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace allot

#define CHECK(condition) (static_cast<bool>(condition) ? static_cast<void>(0) : ::allot::CheckFailed(#condition, __FILE__, __LINE__))
