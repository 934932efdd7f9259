#pragma once
// A device selector of Kubernetes' DRA, ready to be asked about devices.
//
// The language is CEL as Kubernetes 1.36 configures it for selectors (StoredExpressions environment, cel-go 0.26). Program agrees with it
// on whether an expression compiles, whether a device matches or the evaluation fails, on the estimated and on the actual cost. Texts of
// errors are our own.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/device.h"

namespace allot::cel {

// Feature gates, with the defaults of 1.36.
struct Options {
  bool list_type_attributes = false;  // DRAListTypeAttributes
  uint64_t cost_limit = 1'000'000;    // of one evaluation
};

// Immutable; may be shared between threads.
class Program {
 public:
  // kInvalid: line:column, what is wrong, the line and a caret.
  static Result<std::shared_ptr<const Program>> Compile(std::string_view expression, const Options& options = {});

  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& expression() const { return expression_; }

  // The worst that an evaluation can cost on any valid device; UINT64_MAX when there is no bound. Kubernetes refuses to store a selector
  // above 1,000,000.
  uint64_t max_cost() const { return max_cost_; }

  // Whether the selector selects `device`, which `driver` publishes. An error is one of the evaluation: a missing attribute, the cost
  // limit, a result that is no bool, an attribute of a kind that is not known.
  Result<bool> Matches(const model::Device& device, std::string_view driver, uint64_t* actual_cost = nullptr) const;

  // Why the selector does not select the device, in a few words: `productName is "NVIDIA L4"`. Names what the first part that is not true
  // has read from the device. Empty when it does select it.
  std::string Explain(const model::Device& device, std::string_view driver) const;

 private:
  struct Parts;

  Program(std::string expression, const Options& options);

  // Not ok when an attribute of the device cannot be converted: then no expression can be evaluated on it.
  Status CheckAttributes(const model::Device& device) const;

  const std::string expression_;
  const Options options_;
  uint64_t max_cost_ = 0;
  std::unique_ptr<Parts> parts_;
};

}  // namespace allot::cel
