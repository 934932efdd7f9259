#pragma once
// What a call may cost, by function: the tables of Kubernetes' libraries.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/cost_range.h"

namespace allot::cel {

// Where a value comes from: device, attributes, @values... The estimator knows how large each place may be.
//
// Appending may overwrite what another path, made from the same one, has behind it. Kubernetes' estimator shares memory between paths in
// exactly this way, and its numbers show it: of two variables over one map the first is measured as if it were the second.
class Path {
 public:
  Path() = default;
  // `declared`: the type of the variable where that is not the device.
  static Path Root(std::string_view variable, const Type* declared);

  Path Append(std::string_view step) const;
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  std::string_view operator[](size_t i) const { return (*shared_)[i]; }
  const Type* declared() const { return declared_; }

 private:
  std::shared_ptr<std::vector<std::string_view>> shared_;  // its size is the capacity
  size_t size_ = 0;
  const Type* declared_ = nullptr;
};

// How large the value at `path` may be; nothing when the path leads neither into the device nor into what was declared.
std::optional<Range> SizeAt(const Path& path);

struct CostNode {
  const Expr* expr = nullptr;  // nullptr for the elements of a list
  const Type* type = nullptr;
  Path path;
  std::optional<Range> size;  // known from the expression itself

  // The size, or what the place allows, or anything.
  Range SizeOrUnknown() const;
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};

// Without the cost of the arguments. Nothing when no library has a rule for the function.
std::optional<CallEstimate> EstimateLibraryCall(std::string_view function, std::string_view overload, const CostNode* target,
                                                std::span<const CostNode> args);

}  // namespace allot::cel
