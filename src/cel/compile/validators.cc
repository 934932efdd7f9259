#include "cel/compile/validators.h"

#include "base/strings.h"
#include "cel/compile/declarations.h"
#include "cel/library/format_text.h"
#include "cel/library/regex.h"
#include "cel/library/time.h"

namespace allot::cel {
namespace {

class Validator {
 public:
  explicit Validator(const Source& source) : source_(source) {}

  Status Visit(const Expr& expr, bool in_format) {
    switch (expr.kind) {
      case Expr::Kind::kCall:
        TRY(CheckLiteral(expr));
        TRY(CheckFormat(expr));
        in_format = in_format || expr.name == "format";
        break;
      case Expr::Kind::kList:
        if (!in_format) TRY(CheckElements(expr, 0, 1));
        break;
      case Expr::Kind::kMap:
        if (!in_format) {
          TRY(CheckElements(expr, 0, 2));
          TRY(CheckElements(expr, 1, 2));
        }
        break;
      case Expr::Kind::kComprehension:
        for (const Expr* const part : {expr.fold.range, expr.fold.init, expr.fold.condition, expr.fold.step, expr.fold.result}) {
          TRY(Visit(*part, in_format));
        }
        return Status();
      default: break;
    }
    if (expr.target != nullptr) TRY(Visit(*expr.target, in_format));
    for (const Expr* const arg : expr.args) TRY(Visit(*arg, in_format));
    return Status();
  }

 private:
  // A literal argument of duration(), timestamp() and matches() must be valid.
  Status CheckLiteral(const Expr& expr) const {
    if (expr.args.empty() || !expr.args[0]->Is(Expr::Kind::kLiteral)) return Status();
    const Expr& arg = *expr.args[0];
    const Literal& literal = arg.literal;
    const bool text = literal.kind == Literal::Kind::kString;
    if (expr.name == "duration") {
      // A number is never a duration, although its type is allowed.
      if (text && ParseDuration(literal.text)) return Status();
      return source_.Error(arg.at, "not a duration; expected text such as \"1h30m\" or \"500ms\"");
    }
    if (expr.name == "timestamp") {
      bool out_of_range = false;
      if (text && ParseTimestamp(literal.text, &out_of_range)) return Status();
      if (!text && literal.int_value >= kMinUnixSeconds && literal.int_value <= kMaxUnixSeconds) return Status();
      return source_.Error(arg.at, "not a timestamp; expected text such as \"2024-05-01T12:00:00Z\"");
    }
    if (expr.name == "matches" && text) {
      const auto regex = Regex::Compile(literal.text);
      if (!regex.ok()) return source_.Error(arg.at, regex.status().message());
    }
    return Status();
  }

  // Every `stride`-th part from `first` on must have the type of the first one.
  Status CheckElements(const Expr& expr, size_t first, size_t stride) const {
    const Type* wanted = nullptr;
    for (size_t i = first; i < expr.args.size(); i += stride) {
      const Type* type = expr.args[i]->type;
      const bool optional = expr.optional[i / stride] && (stride == 1 || first == 1);
      if (optional) {
        if (type->params.empty()) return source_.Error(expr.args[i]->at, "'?' needs an optional value whose type is known");
        type = type->params[0];
      }
      if (wanted == nullptr) {
        wanted = type;
      } else if (!wanted->Equivalent(*type)) {
        return source_.Error(expr.args[i]->at,
                             StrCat("elements must have the same type: expected ", wanted->ToString(), ", but this is ", type->ToString()));
      }
    }
    return Status();
  }

  // For "...".format([...]), the clauses must match the types of the arguments.
  Status CheckFormat(const Expr& expr) const {
    if (expr.name != "format" || !expr.member || expr.args.size() != 1) return Status();
    if (!expr.target->Is(Expr::Kind::kLiteral) || expr.target->literal.kind != Literal::Kind::kString) return Status();
    if (!expr.args[0]->Is(Expr::Kind::kList)) return Status();
    const std::string problem = CheckFormatText(expr.target->literal.text, expr.args[0]->args);
    return problem.empty() ? Status() : source_.Error(expr.at, problem);
  }

  const Source& source_;
};

}  // namespace

Status Validate(const Source& source, const Expr& root) { return Validator(source).Visit(root, false); }

}  // namespace allot::cel
