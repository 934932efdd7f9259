#pragma once
// Cost estimates of calls, by function, from the tables of Kubernetes' libraries.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/compile/ast.h"
#include "cel/compile/cost_range.h"

namespace allot::cel {

// The origin of a value: device, attributes, @values... The estimator knows the maximal size at each path.
//
// Append may overwrite a step of another path that was made from the same one. Kubernetes' estimator shares memory between paths in exactly
// this way, and its numbers depend on it: of two variables over one map, the first is measured as if it were the second.
class Path {
 public:
  Path() = default;
  // `declared` is the type of the variable, unless it is the device.
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

// Returns the maximal size of the value at `path`, or nullopt if the path leads neither into the device nor into the declared type.
std::optional<Range> SizeAt(const Path& path);

struct CostNode {
  const Expr* expr = nullptr;  // nullptr for the elements of a list
  const Type* type = nullptr;
  Path path;
  std::optional<Range> size;  // if the expression itself determines it

  // Returns `size`, else the size allowed at `path`, else an unbounded range.
  Range SizeOrUnknown() const;
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};

// Excludes the cost of the arguments. Returns nullopt if no library has a rule for the function.
std::optional<CallEstimate> EstimateLibraryCall(std::string_view function, std::string_view overload, const CostNode* target,
                                                std::span<const CostNode> args);

}  // namespace allot::cel
