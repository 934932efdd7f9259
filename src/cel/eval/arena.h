#pragma once
// The memory of one evaluation, or of a program's constants, freed all at once.
//
// The first bytes are inside the object, so a typical evaluation never uses the heap. The size is limited: an expression that makes a huge
// text out of a small one fails instead of exhausting the process's memory.
// Not thread-safe while it grows.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace allot::cel {

class Arena {
 public:
  static constexpr size_t kLimit = size_t{64} << 20;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (Cleanup* cleanup = cleanups_; cleanup != nullptr; cleanup = cleanup->next) cleanup->run(cleanup->object);
  }

  // Whether `bytes` more are within the limit.
  bool HasRoom(size_t bytes) const { return bytes <= kLimit && used_ <= kLimit - bytes; }

  void* Allocate(size_t bytes) {
    bytes = (bytes + kAlign - 1) & ~(kAlign - 1);
    if (bytes > left_) Grow(bytes);
    char* const memory = next_;
    next_ += bytes;
    left_ -= bytes;
    return memory;
  }

  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(alignof(T) <= kAlign);
    T* const object = ::new (Allocate(sizeof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      cleanups_ = ::new (Allocate(sizeof(Cleanup))) Cleanup{cleanups_, object, [](void* p) { static_cast<T*>(p)->~T(); }};
    }
    return object;
  }

  // Uninitialised memory for `count` trivial objects.
  template <typename T>
  T* Array(size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlign);
    return static_cast<T*>(Allocate(sizeof(T) * count));
  }

  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* const copy = Array<char>(text.size());
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

 private:
  static constexpr size_t kAlign = 16;
  static constexpr size_t kInside = 2048;

  struct Cleanup {
    Cleanup* next;
    void* object;
    void (*run)(void*);
  };

  void Grow(size_t bytes) {
    const size_t size = bytes > block_ ? bytes : block_;
    block_ = block_ < (size_t{1} << 20) ? block_ * 2 : block_;
    used_ += size;
    blocks_.push_back(std::make_unique<char[]>(size));  // new[] of char is aligned for every ordinary type
    next_ = blocks_.back().get();
    left_ = size;
  }

  alignas(kAlign) char inside_[kInside];
  char* next_ = inside_;
  size_t left_ = kInside;
  size_t used_ = 0;
  size_t block_ = 4 * kInside;
  Cleanup* cleanups_ = nullptr;
  std::vector<std::unique_ptr<char[]>> blocks_;
};

}  // namespace allot::cel
