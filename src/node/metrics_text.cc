#include "node/metrics_text.h"

#include <algorithm>

#include "base/strings.h"

namespace allot::node {

void MetricsText::Metric::Add(std::string_view labels, std::string_view value, std::string_view suffix) {
  text_ += StrCat(name_, suffix, "{", labels, "} ", value, "\n");
}

MetricsText::Metric& MetricsText::Get(std::string name, std::string_view type, std::string_view help) {
  const auto known = std::find_if(metrics_.begin(), metrics_.end(), [&](const Metric& metric) { return metric.name_ == name; });
  if (known != metrics_.end()) return *known;
  std::string header = StrCat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
  return metrics_.emplace_back(std::move(name), std::move(header));
}

// Quoted escapes like Prometheus as far as names of Kubernetes and models of devices go.
std::string MetricsText::Label(std::string_view key, std::string_view value) { return StrCat(key, "=", Quoted(value, std::string::npos)); }

std::string MetricsText::ToString() const {
  std::string text;
  for (const Metric& metric : metrics_) text += metric.text_;
  return text;
}

}  // namespace allot::node
