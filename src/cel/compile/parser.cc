#include "cel/compile/parser.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/utf8.h"
#include "cel/compile/lexer.h"
#include "cel/compile/literals.h"
#include "cel/compile/macros.h"

namespace allot::cel {
namespace {

constexpr uint64_t kMaxCharacters = 100'000;
constexpr int kMaxDepth = 250;

bool IsReserved(std::string_view word) {
  static constexpr std::array<std::string_view, 17> kReserved = {"as",        "break",  "const",  "continue", "else", "for",
                                                                 "function",  "if",     "import", "let",      "loop", "package",
                                                                 "namespace", "return", "var",    "void",     "while"};
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

// A subtree and its nesting of operators, selections and calls, which Kubernetes limits in addition to the depth of the rules.
struct Part {
  Expr* expr = nullptr;  // nullptr after an error
  int height = 0;

  explicit operator bool() const { return expr != nullptr; }
};

class Parser {
 public:
  Parser(const Source& source, Ast& ast, std::vector<Token> tokens) : source_(source), ast_(ast), tokens_(std::move(tokens)) {}

  Status Run() {
    const Part all = Expression();
    if (!all) return error_;
    if (Kind() != Tok::kEnd) return Unexpected("the end of the expression"), error_;
    if (all.height > kMaxDepth) return source_.Error(0, StrCat("expression is nested deeper than ", kMaxDepth));
    ast_.root = all.expr;
    return Status();
  }

 private:
  // The grammar rules with a limited depth. The right side of an operator is one level deeper than the left.
  enum Rule { kExpr, kRelation, kCalc, kRules };

  class Depth {
   public:
    Depth(Parser& parser, Rule rule) : parser_(parser), rule_(rule) {
      if (++parser_.depth_[rule_] > kMaxDepth) parser_.Fail(parser_.Here().begin, StrCat("expression is nested deeper than ", kMaxDepth));
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ~Depth() { --parser_.depth_[rule_]; }

   private:
    Parser& parser_;
    const Rule rule_;
  };

  Tok Kind(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)].kind; }
  Span Here() const { return tokens_[at_].span; }
  std::string_view Text() const { return source_.At(Here()); }
  uint32_t PreviousEnd() const { return at_ == 0 ? 0 : tokens_[at_ - 1].span.end; }
  bool Accept(Tok kind) {
    if (Kind() != kind) return false;
    ++at_;
    return true;
  }
  bool Failed() const { return !error_.ok(); }
  Part Fail(uint32_t where, std::string_view message) {
    if (!Failed()) error_ = source_.Error(where, message);
    return {};
  }
  Part Unexpected(std::string_view wanted) {
    const std::string got = Kind() == Tok::kEnd ? "the expression ends" : StrCat("unexpected ", Quoted(Text(), 20));
    return Fail(Here().begin, StrCat(got, ", expected ", wanted));
  }
  bool Expect(Tok kind, std::string_view wanted) {
    if (Accept(kind)) return true;
    Unexpected(wanted);
    return false;
  }

  Part Expression() {
    const Depth depth(*this, kExpr);
    if (Failed()) return {};
    const Part condition = Logic(op::kOr);
    if (!condition || Kind() != Tok::kQuestion) return condition;
    const uint32_t at = Here().begin;
    ++at_;
    const Part yes = Logic(op::kOr);
    if (!yes || !Expect(Tok::kColon, "':' of the conditional")) return {};
    const Part no = Expression();
    if (!no) return {};
    Expr* const expr = ast_.NewCall(op::kConditional, {condition.expr, yes.expr, no.expr}, {condition.expr->span.begin, PreviousEnd()}, at);
    return {expr, 1 + std::max({condition.height, yes.height, no.height})};
  }

  // Parses a || b || c, or a && b && c.
  Part Logic(std::string_view function) {
    const bool is_or = function == op::kOr;
    const auto term = [&] { return is_or ? Logic(op::kAnd) : Relation(); };
    const Part first = term();
    if (!first) return {};
    int height = first.height;
    std::vector<Expr*> terms = {first.expr};
    std::vector<uint32_t> operators;
    while (Kind() == (is_or ? Tok::kOr : Tok::kAnd)) {
      operators.push_back(Here().begin);
      ++at_;
      const Part next = term();
      if (!next) return {};
      height = std::max(height, next.height);
      terms.push_back(next.expr);
    }
    if (operators.empty()) return first;
    return {Balanced(function, terms, operators, 0, operators.size() - 1), height};
  }

  // Builds a balanced tree, so that a long chain of operators is not a deep one.
  Expr* Balanced(std::string_view function, const std::vector<Expr*>& terms, const std::vector<uint32_t>& operators, size_t low,
                 size_t high) {
    const size_t middle = (low + high + 1) / 2;
    Expr* const left = middle == low ? terms[middle] : Balanced(function, terms, operators, low, middle - 1);
    Expr* const right = middle == high ? terms[middle + 1] : Balanced(function, terms, operators, middle + 1, high);
    return ast_.NewCall(function, {left, right}, {left->span.begin, right->span.end}, operators[middle]);
  }

  Part Binary(std::string_view function, const Part& left, uint32_t at, const Part& right) {
    if (left.height >= kMaxDepth || right.height >= kMaxDepth) return Fail(at, StrCat("expression is nested deeper than ", kMaxDepth));
    Expr* const expr = ast_.NewCall(function, {left.expr, right.expr}, {left.expr->span.begin, PreviousEnd()}, at);
    return {expr, 1 + std::max(left.height, right.height)};
  }

  std::string_view RelationOperator() const {
    switch (Kind()) {
      case Tok::kLess: return op::kLess;
      case Tok::kLessEqual: return op::kLessEqual;
      case Tok::kGreater: return op::kGreater;
      case Tok::kGreaterEqual: return op::kGreaterEqual;
      case Tok::kEqual: return op::kEqual;
      case Tok::kNotEqual: return op::kNotEqual;
      case Tok::kIn: return op::kIn;
      default: return {};
    }
  }

  Part Relation() {
    const Depth depth(*this, kRelation);
    Part left = Calc(1);
    while (left && !RelationOperator().empty()) {
      const std::string_view function = RelationOperator();
      const uint32_t at = Here().begin;
      ++at_;
      const Depth right_depth(*this, kRelation);
      if (Failed()) return {};
      const Part right = Calc(1);
      if (!right) return {};
      left = Binary(function, left, at, right);
    }
    return left;
  }

  // Returns 2 for '*', '/', '%'; 1 for '+', '-'; 0 for other tokens.
  int CalcPrecedence() const {
    switch (Kind()) {
      case Tok::kStar:
      case Tok::kSlash:
      case Tok::kPercent: return 2;
      case Tok::kPlus:
      case Tok::kMinus: return 1;
      default: return 0;
    }
  }
  std::string_view CalcOperator() const {
    switch (Kind()) {
      case Tok::kStar: return op::kMultiply;
      case Tok::kSlash: return op::kDivide;
      case Tok::kPercent: return op::kModulo;
      case Tok::kPlus: return op::kAdd;
      default: return op::kSubtract;
    }
  }

  Part Calc(int lowest) {
    const Depth depth(*this, kCalc);
    if (Failed()) return {};
    Part left = Unary();
    while (left && CalcPrecedence() >= lowest) {
      const int precedence = CalcPrecedence();
      const std::string_view function = CalcOperator();
      const uint32_t at = Here().begin;
      ++at_;
      const Part right = Calc(precedence + 1);
      if (!right) return {};
      left = Binary(function, left, at, right);
    }
    return left;
  }

  Part Unary() {
    const Tok sign = Kind();
    if (sign != Tok::kNot && sign != Tok::kMinus) return Member();
    // A single minus before a number is part of the number.
    if (sign == Tok::kMinus && (Kind(1) == Tok::kInt || Kind(1) == Tok::kDouble)) return Member();
    const uint32_t at = Here().begin;
    size_t count = 0;
    while (Accept(sign)) ++count;
    const Part operand = Member();
    if (!operand || count % 2 == 0) return operand;
    Expr* const expr = ast_.NewCall(sign == Tok::kNot ? op::kNot : op::kNegate, {operand.expr}, {at, PreviousEnd()}, at);
    return {expr, operand.height};
  }

  Part Member() {
    Part operand = Primary();
    while (operand) {
      const uint32_t at = Here().begin;
      if (operand.height > kMaxDepth) return Fail(at, StrCat("expression is nested deeper than ", kMaxDepth));
      if (Accept(Tok::kDot)) {
        operand = Field(operand, at);
      } else if (Accept(Tok::kLeftBracket)) {
        operand = Index(operand, at);
      } else {
        break;
      }
    }
    return operand;
  }

  // Parses what follows a dot.
  Part Field(const Part& operand, uint32_t at) {
    const bool optional = Accept(Tok::kQuestion);
    const Span name_span = Here();
    const std::string_view name = Text();
    if (!Expect(Tok::kIdentifier, "a field or function name")) return {};
    const uint32_t begin = operand.expr->span.begin;
    if (optional) {
      Literal field;
      field.kind = Literal::Kind::kString;
      field.text = name;
      Expr* const literal = ast_.NewLiteral(field, name_span, name_span.begin);
      return {ast_.NewCall(op::kOptSelect, {operand.expr, literal}, {begin, name_span.end}, at), operand.height + 1};
    }
    if (Kind() != Tok::kLeftParen) {
      Expr* const select = ast_.New(Expr::Kind::kSelect, {begin, name_span.end}, name_span.begin);
      select->target = operand.expr;
      select->name = name;
      return {select, operand.height + 1};
    }
    ++at_;
    std::vector<Expr*> args;
    int height = 0;
    if (!Arguments(&args, &height)) return {};
    const Span span = {begin, PreviousEnd()};
    Expansion macro = ExpandMacro(ast_, name, operand.expr, args, span, name_span.begin);
    if (!macro.error.empty()) return Fail(macro.error_at, macro.error);
    if (macro.expr == nullptr) macro.expr = ast_.NewMemberCall(name, operand.expr, std::move(args), span, name_span.begin);
    return {macro.expr, 1 + std::max(operand.height, height)};
  }

  Part Index(const Part& operand, uint32_t at) {
    const bool optional = Accept(Tok::kQuestion);
    const Part index = Expression();
    if (!index || !Expect(Tok::kRightBracket, "']'")) return {};
    return Binary(optional ? op::kOptIndex : op::kIndex, operand, at, index);
  }

  // Parses what follows an opening parenthesis, through the closing one.
  bool Arguments(std::vector<Expr*>* args, int* height) {
    if (Accept(Tok::kRightParen)) return true;
    do {
      const Part arg = Expression();
      if (!arg) return false;
      args->push_back(arg.expr);
      *height = std::max(*height, arg.height);
    } while (Accept(Tok::kComma));
    return Expect(Tok::kRightParen, "',' or ')'");
  }

  Part Primary() {
    switch (Kind()) {
      case Tok::kDot:
      case Tok::kIdentifier: return Name();
      case Tok::kLeftParen: return Nested();
      case Tok::kLeftBracket: return List();
      case Tok::kLeftBrace: return Map();
      default: return Constant();
    }
  }

  Part Nested() {
    ++at_;
    const Part inner = Expression();
    if (!inner || !Expect(Tok::kRightParen, "')'")) return {};
    return inner;
  }

  // Returns whether a type name and '{' follow: a.b.C{...}.
  bool IsStruct() const {
    size_t i = Kind() == Tok::kDot ? 1 : 0;
    if (Kind(i) != Tok::kIdentifier) return false;
    for (++i; Kind(i) == Tok::kDot && Kind(i + 1) == Tok::kIdentifier;) i += 2;
    return Kind(i) == Tok::kLeftBrace;
  }

  Part Name() {
    if (IsStruct()) return Struct();
    const uint32_t begin = Here().begin;
    const bool dot = Accept(Tok::kDot);
    const Span name_span = Here();
    std::string_view name = Text();
    if (!Expect(Tok::kIdentifier, "a name")) return {};
    if (IsReserved(name)) return Fail(name_span.begin, StrCat(name, " is a reserved word"));
    if (dot) name = ast_.Keep(StrCat(".", name));
    if (!Accept(Tok::kLeftParen)) return {ast_.NewIdent(name, {begin, name_span.end}, name_span.begin), 0};
    std::vector<Expr*> args;
    int height = 0;
    if (!Arguments(&args, &height)) return {};
    const Span span = {begin, PreviousEnd()};
    Expansion macro = ExpandMacro(ast_, name, nullptr, args, span, name_span.begin);
    if (!macro.error.empty()) return Fail(macro.error_at, macro.error);
    if (macro.expr == nullptr) macro.expr = ast_.NewCall(name, std::move(args), span, name_span.begin);
    return {macro.expr, height};
  }

  Part List() {
    const uint32_t begin = Here().begin;
    ++at_;
    Expr* const list = ast_.New(Expr::Kind::kList, {}, begin);
    int height = 0;
    while (Kind() != Tok::kRightBracket && Kind() != Tok::kComma) {
      list->optional.push_back(Accept(Tok::kQuestion));
      const Part element = Expression();
      if (!element) return {};
      list->args.push_back(element.expr);
      height = std::max(height, element.height);
      if (Kind() != Tok::kComma || Kind(1) == Tok::kRightBracket) break;
      ++at_;
      if (Kind() == Tok::kComma) return Unexpected("an element");
    }
    Accept(Tok::kComma);
    if (!Expect(Tok::kRightBracket, "',' or ']'")) return {};
    list->span = {begin, PreviousEnd()};
    return {list, height};
  }

  Part Map() {
    const uint32_t begin = Here().begin;
    ++at_;
    Expr* const map = ast_.New(Expr::Kind::kMap, {}, begin);
    int height = 0;
    while (Kind() != Tok::kRightBrace && Kind() != Tok::kComma) {
      map->optional.push_back(Accept(Tok::kQuestion));
      const Part key = Expression();
      if (!key || !Expect(Tok::kColon, "':'")) return {};
      const Part value = Expression();
      if (!value) return {};
      map->args.push_back(key.expr);
      map->args.push_back(value.expr);
      height = std::max({height, key.height, value.height});
      if (Kind() != Tok::kComma || Kind(1) == Tok::kRightBrace) break;
      ++at_;
      if (Kind() == Tok::kComma) return Unexpected("a key");
    }
    Accept(Tok::kComma);
    if (!Expect(Tok::kRightBrace, "',' or '}'")) return {};
    map->span = {begin, PreviousEnd()};
    return {map, height};
  }

  Part Struct() {
    const uint32_t begin = Here().begin;
    std::string name;
    while (Kind() != Tok::kLeftBrace) {
      name += Text();
      ++at_;
    }
    ++at_;
    Expr* const expr = ast_.New(Expr::Kind::kStruct, {}, begin);
    expr->name = ast_.Keep(std::move(name));
    int height = 0;
    while (Kind() != Tok::kRightBrace && Kind() != Tok::kComma) {
      expr->optional.push_back(Accept(Tok::kQuestion));
      expr->fields.push_back(Text());
      if (!Expect(Tok::kIdentifier, "a field name") || !Expect(Tok::kColon, "':'")) return {};
      const Part value = Expression();
      if (!value) return {};
      expr->args.push_back(value.expr);
      height = std::max(height, value.height);
      if (Kind() != Tok::kComma || Kind(1) == Tok::kRightBrace) break;
      ++at_;
    }
    Accept(Tok::kComma);
    if (!Expect(Tok::kRightBrace, "',' or '}'")) return {};
    expr->span = {begin, PreviousEnd()};
    return {expr, height};
  }

  Part Constant() {
    const uint32_t begin = Here().begin;
    const bool negative = Kind() == Tok::kMinus && (Kind(1) == Tok::kInt || Kind(1) == Tok::kDouble);
    if (negative) ++at_;
    const std::string_view text = Text();
    Literal literal;
    switch (Kind()) {
      case Tok::kTrue:
      case Tok::kFalse:
        literal.kind = Literal::Kind::kBool;
        literal.bool_value = Kind() == Tok::kTrue;
        break;
      case Tok::kNull: break;
      case Tok::kInt: {
        const auto value = ParseIntLiteral(text, negative);
        if (!value) return Fail(begin, "the number does not fit into 64 bits");
        literal.kind = Literal::Kind::kInt;
        literal.int_value = *value;
        break;
      }
      case Tok::kUint: {
        const auto value = ParseUintLiteral(text);
        if (!value) return Fail(begin, "the number does not fit into 64 bits");
        literal.kind = Literal::Kind::kUint;
        literal.uint_value = *value;
        break;
      }
      case Tok::kDouble: {
        const auto value = ParseDoubleLiteral(text);
        if (!value) return Fail(begin, "the number is too large for a double");
        literal.kind = Literal::Kind::kDouble;
        literal.double_value = negative ? -*value : *value;
        break;
      }
      case Tok::kString:
      case Tok::kBytes: {
        const bool bytes = Kind() == Tok::kBytes;
        auto value = Unquote(bytes ? text.substr(1) : text, bytes);
        if (!value) return Fail(begin, "an escape sequence in the text names no character");
        literal.kind = bytes ? Literal::Kind::kBytes : Literal::Kind::kString;
        literal.text = ast_.Keep(std::move(*value));
        break;
      }
      default: return Unexpected("a value, a name, '(', '[' or '{'");
    }
    ++at_;
    return {ast_.NewLiteral(literal, {begin, PreviousEnd()}, begin), 0};
  }

  const Source& source_;
  Ast& ast_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_[kRules] = {};
  Status error_;
};

}  // namespace

Status Parse(const Source& source, Ast& ast) {
  if (const uint64_t characters = CountCharacters(source.text()); characters > kMaxCharacters) {
    return Invalid("expression has ", characters, " characters, more than ", kMaxCharacters);
  }
  ASSIGN_OR_RETURN(auto tokens, Lex(source));
  return Parser(source, ast, std::move(tokens)).Run();
}

}  // namespace allot::cel
