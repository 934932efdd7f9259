#pragma once
// A compiled device selector of Kubernetes' DRA.
//
// The language is CEL as Kubernetes 1.36 configures it for selectors (StoredExpressions environment, cel-go 0.26). Program agrees with
// Kubernetes on whether an expression compiles, whether a device matches or the evaluation fails, and on the estimated and the actual cost.
// The texts of errors are allot's own.

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/device.h"

namespace allot::cel {

// Feature gates, with the defaults of 1.36.
struct Options {
  bool list_type_attributes = false;  // DRAListTypeAttributes
  uint64_t cost_limit = 1'000'000;    // per evaluation
};

// Why a selector does not select a device: what its first term that is not true has read.
struct NotTrue {
  struct Read {
    std::string name;                  // name of the attribute or capacity
    std::optional<std::string> value;  // as a CEL literal; nullopt: the device does not have it

    auto operator<=>(const Read&) const = default;
  };
  std::vector<Read> reads;  // without repetitions, in the order of the reads
  std::string term;         // the term's text; empty if `reads` is not
  std::string error;        // of the evaluation; may be empty

  auto operator<=>(const NotTrue&) const = default;
};

// Immutable; may be shared between threads.
class Program {
 public:
  // Returns kInvalid with line:column, what is wrong, the line and a caret.
  static Result<std::shared_ptr<const Program>> Compile(std::string_view expression, const Options& options = {});

  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& expression() const { return expression_; }

  // The maximal cost of an evaluation on any valid device; UINT64_MAX if unbounded. Kubernetes rejects a selector above 1,000,000.
  uint64_t max_cost() const { return max_cost_; }

  // Returns whether the selector selects `device`, which `driver` publishes. An error comes from the evaluation: a missing attribute, the
  // cost limit, a result that is not a bool, an attribute of an unknown kind.
  Result<bool> Matches(const model::Device& device, std::string_view driver, uint64_t* actual_cost = nullptr) const;

  // Returns why the selector does not select the device. All members are empty if it does.
  NotTrue Explain(const model::Device& device, std::string_view driver) const;

 private:
  struct Parts;

  Program(std::string expression, const Options& options);

  // Fails if an attribute of the device cannot be converted: no expression can then be evaluated on it.
  Status CheckAttributes(const model::Device& device) const;

  const std::string expression_;
  const Options options_;
  uint64_t max_cost_ = 0;
  std::unique_ptr<Parts> parts_;
};

}  // namespace allot::cel
