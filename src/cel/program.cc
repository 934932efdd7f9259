#include "cel/program.h"

#include "base/strings.h"
#include "cel/compile/ast.h"
#include "cel/compile/checker.h"
#include "cel/compile/cost_estimate.h"
#include "cel/compile/parser.h"
#include "cel/compile/planner.h"
#include "cel/compile/source.h"
#include "cel/compile/types.h"
#include "cel/compile/validators.h"
#include "cel/eval/attribute.h"
#include "cel/eval/explain.h"

namespace allot::cel {

struct Program::Parts {
  Parts(std::string_view expression, uint64_t cost_limit) : source(expression), constants(nullptr, "", cost_limit, 0) {}

  const Source source;
  Frame constants;  // owns what the nodes refer to
  Plan plan;
};

Program::Program(std::string expression, const Options& options)
    : expression_(std::move(expression)), options_(options), parts_(std::make_unique<Parts>(expression_, options.cost_limit)) {}

Program::~Program() = default;

Result<std::shared_ptr<const Program>> Program::Compile(std::string_view expression, const Options& options) {
  std::shared_ptr<Program> program(new Program(std::string(expression), options));
  Parts& parts = *program->parts_;
  const Source& source = parts.source;
  Ast ast;
  TypePool types;
  TRY(Parse(source, ast));
  TRY(Check(source, ast, types, options.list_type_attributes));
  TRY(Validate(source, *ast.root));
  const Type& result = *ast.root->type;
  const bool accepted = result.kind == Type::Kind::kBool || result.kind == Type::Kind::kAny ||
                        (options.list_type_attributes && result.kind == Type::Kind::kDyn);
  if (!accepted) return source.Error(ast.root->at, StrCat("a selector must be a bool, but this is ", result.ToString()));
  ASSIGN_OR_RETURN(parts.plan, MakePlan(source, *ast.root, parts.constants));
  program->max_cost_ = EstimateMaxCost(*ast.root);
  return std::shared_ptr<const Program>(std::move(program));
}

Status Program::CheckAttributes(const model::Device& device) const {
  using K = model::AttributeValue::Kind;
  for (const model::Attribute& attribute : device.attributes) {
    bool usable = false;
    switch (attribute.value.kind) {
      case K::kInt:
      case K::kBool:
      case K::kString: usable = true; break;
      case K::kVersion: usable = attribute.value.version != nullptr; break;
      case K::kInts:
      case K::kBools:
      case K::kStrings: usable = options_.list_type_attributes; break;
      case K::kVersions:
        usable = options_.list_type_attributes;
        for (const auto& version : attribute.value.list->versions) usable = usable && version.has_value();
        break;
      case K::kNone: break;
    }
    if (usable) continue;
    const bool version = attribute.value.kind == K::kVersion || attribute.value.kind == K::kVersions;
    return Invalid("attribute ", attribute.name.full, version ? ": not a semantic version" : ": unsupported attribute value");
  }
  return Status();
}

Result<bool> Program::Matches(const model::Device& device, std::string_view driver, uint64_t* actual_cost) const {
  if (actual_cost != nullptr) *actual_cost = 0;
  if (!device.plain_attributes) TRY(CheckAttributes(device));
  Frame frame(&device, driver, options_.cost_limit, parts_->plan.slots);
  const Value result = parts_->plan.root->Eval(frame);
  if (actual_cost != nullptr) *actual_cost = frame.cost();
  if (result.Is(Kind::kBool)) return result.boolean;
  if (result.IsFatal()) return Exhausted(result.Text());
  if (result.IsError()) return Invalid(result.Text());
  return Invalid("the result is ", TypeNameOf(result), ", not bool");
}

NotTrue Program::Explain(const model::Device& device, std::string_view driver) const {
  if (const Status usable = CheckAttributes(device); !usable.ok()) return {{}, "", usable.message()};
  return ExplainPlan(parts_->plan, parts_->source, device, driver, options_.cost_limit);
}

}  // namespace allot::cel
