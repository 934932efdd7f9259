#pragma once
// Builds a device for tests from attributes and capacities.

#include <deque>
#include <string>

#include "cel/program.h"
#include "model/device.h"

namespace allot::cel {

class TestDevice {
 public:
  TestDevice& Int(std::string name, int64_t value) {
    auto& attribute = New(std::move(name), model::AttributeValue::Kind::kInt);
    attribute.int_value = value;
    return *this;
  }
  TestDevice& Bool(std::string name, bool value) {
    auto& attribute = New(std::move(name), model::AttributeValue::Kind::kBool);
    attribute.bool_value = value;
    return *this;
  }
  TestDevice& Text(std::string name, std::string value) {
    auto& attribute = New(std::move(name), model::AttributeValue::Kind::kString);
    attribute.text = texts_.emplace_back(std::move(value));
    return *this;
  }
  TestDevice& Version(std::string name, std::string value) {
    auto& attribute = New(std::move(name), model::AttributeValue::Kind::kVersion);
    attribute.text = texts_.emplace_back(std::move(value));
    if (auto version = model::Version::Parse(attribute.text); version.ok())
      attribute.version = std::make_shared<const model::Version>(*std::move(version));
    return *this;
  }
  TestDevice& Texts(std::string name, std::initializer_list<std::string> values) {
    auto& attribute = New(std::move(name), model::AttributeValue::Kind::kStrings);
    model::AttributeValue::List list;
    for (const std::string& value : values) list.texts.push_back(texts_.emplace_back(value));
    attribute.list = std::make_shared<const model::AttributeValue::List>(std::move(list));
    return *this;
  }
  TestDevice& Unknown(std::string name) {
    New(std::move(name), model::AttributeValue::Kind::kNone);
    return *this;
  }
  TestDevice& Capacity(std::string name, std::string_view amount) {
    model::Capacity capacity;
    capacity.name = model::QualifiedName::Of(texts_.emplace_back(std::move(name)));
    capacity.value = *model::Quantity::Parse(amount);
    device_.capacity.push_back(std::move(capacity));
    return *this;
  }

  const model::Device& device() const { return device_; }

 private:
  model::AttributeValue& New(std::string name, model::AttributeValue::Kind kind) {
    model::Attribute& attribute = device_.attributes.emplace_back();
    attribute.name = model::QualifiedName::Of(texts_.emplace_back(std::move(name)));
    attribute.value.kind = kind;
    return attribute.value;
  }

  model::Device device_;
  std::deque<std::string> texts_;
};

inline constexpr std::string_view kTestDriver = "gpu.nvidia.com";

// The GPU of most tests.
inline TestDevice TestGpu() {
  TestDevice gpu;
  gpu.Text("productName", "NVIDIA L4").Int("index", 3).Bool("ecc", true).Version("driverVersion", "550.54.15");
  gpu.Text("resource.kubernetes.io/pcieRoot", "pci0000:01").Capacity("memory", "24Gi");
  return gpu;
}

// "true", "false", "error: ..." or "does not compile: ...".
inline std::string Ask(std::string_view expression, const TestDevice& device = TestGpu(), const Options& options = {}) {
  const auto program = Program::Compile(expression, options);
  if (!program.ok()) return "does not compile: " + program.status().message();
  const auto match = (*program)->Matches(device.device(), kTestDriver);
  if (!match.ok()) return "error: " + match.status().message();
  return *match ? "true" : "false";
}

}  // namespace allot::cel
