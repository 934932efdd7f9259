#include "model/reader.h"

namespace allot::model {
namespace {

const json::Value kNull{};

}  // namespace

void Reader::Expect(json::Kind kind) {
  if (value_->IsNull() || value_->kind() == kind) return;
  WrongKind("", *value_, kind == json::Kind::kArray ? "a list" : "an object");
  value_ = &kNull;
}

void Reader::WrongKind(std::string_view key, const json::Value& value, std::string_view wanted) const {
  Fail(key, StrCat("expected ", wanted, ", not ", json::KindName(value.kind())));
}

void Reader::Fail(std::string_view key, std::string_view message) const {
  if (!status_->ok()) return;
  std::string path = Path();
  if (!key.empty()) path += StrCat(path.empty() ? "" : ".", key);
  *status_ = Invalid(path, path.empty() ? "" : ": ", message);
}

// The root's name is left to the caller, which knows where the object came from.
std::string Reader::Path() const {
  if (parent_ == nullptr) return "";
  std::string path = parent_->Path();
  if (index_ != kNoIndex) return StrCat(path, "[", index_, "]");
  return path.empty() ? std::string(name_) : StrCat(path, ".", name_);
}

std::optional<std::string_view> Reader::OptionalText(std::string_view key) const {
  const json::Value& field = (*value_)[key];
  if (field.IsNull()) return std::nullopt;
  if (field.IsString()) return field.AsString();
  WrongKind(key, field, "a string");
  return std::nullopt;
}

std::optional<bool> Reader::OptionalBool(std::string_view key) const {
  const json::Value& field = (*value_)[key];
  if (field.IsNull()) return std::nullopt;
  if (field.IsBool()) return field.AsBool();
  WrongKind(key, field, "true or false");
  return std::nullopt;
}

std::optional<int64_t> Reader::OptionalInt(std::string_view key) const {
  const json::Value& field = (*value_)[key];
  if (field.IsNull()) return std::nullopt;
  if (!field.IsNumber()) {
    WrongKind(key, field, "an integer");
    return std::nullopt;
  }
  const std::optional<int64_t> number = field.AsInt64();
  if (!number) Fail(key, StrCat("expected a 64-bit integer, not ", field.NumberText()));
  return number;
}

std::optional<Quantity> Reader::ToQuantity(std::string_view key, const json::Value& value) const {
  if (value.IsNull()) return std::nullopt;
  if (!value.IsString() && !value.IsNumber()) {
    WrongKind(key, value, "a quantity such as \"6Gi\"");
    return std::nullopt;
  }
  // Kubernetes takes a JSON number for a quantity too, and drops space around the text.
  Result<Quantity> quantity = Quantity::Parse(value.IsNumber() ? value.NumberText() : Trim(value.AsString()));
  if (quantity.ok()) return *std::move(quantity);
  Fail(key, quantity.status().message());
  return std::nullopt;
}

std::optional<Quantity> Reader::OptionalQuantity(std::string_view key) const { return ToQuantity(key, (*value_)[key]); }

std::vector<Quantity> Reader::Quantities(std::string_view key) const {
  std::vector<Quantity> quantities;
  size_t index = 0;
  for (const json::Value& item : Items(key)) {
    quantities.push_back(ToQuantity(StrCat(key, "[", index++, "]"), item).value_or(Quantity()));
  }
  return quantities;
}

std::vector<std::string_view> Reader::Texts(std::string_view key) const {
  std::vector<std::string_view> texts;
  size_t index = 0;
  for (const json::Value& item : Items(key)) {
    if (item.IsString()) {
      texts.push_back(item.AsString());
    } else {
      WrongKind(StrCat(key, "[", index, "]"), item, "a string");
    }
    ++index;
  }
  return texts;
}

std::span<const json::Value> Reader::Items(std::string_view key) const {
  const Reader list(*this, (*value_)[key], key, json::Kind::kArray);
  return list.IsPresent() ? list.value_->Items() : std::span<const json::Value>();
}

}  // namespace allot::model
