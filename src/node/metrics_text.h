#pragma once
// Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/
//
// The format wants all samples of a metric together, so several sources can add samples of the same metric in any order.

#include <list>
#include <string>
#include <string_view>

namespace allot::node {

class MetricsText {
 public:
  class Metric {
   public:
    Metric(std::string name, std::string header) : name_(std::move(name)), text_(std::move(header)) {}
    // Adds a sample of `name` + `suffix`. `labels` is a list of Label, separated by commas.
    void Add(std::string_view labels, std::string_view value, std::string_view suffix = "");

   private:
    friend class MetricsText;
    const std::string name_;
    std::string text_;
  };
  // Returns the metric of this name. The first call for a name sets its type and help.
  Metric& Get(std::string name, std::string_view type, std::string_view help);

  // Returns key="value" with Prometheus' escapes.
  static std::string Label(std::string_view key, std::string_view value);

  std::string ToString() const;

 private:
  std::list<Metric> metrics_;  // in the order of the first calls
};

}  // namespace allot::node
