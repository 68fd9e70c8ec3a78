#include "import/timeloop/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace opsight::importer::timeloop {
namespace {

constexpr size_t kLongest = 4096;
constexpr int kDeepestExpression = 64, kMostSigns = 256;

// What ends the evaluation; it does not leave this file.
struct Fault {
    std::string what;
};

double number_of(const Value& value) {
    if (const double* number = std::get_if<double>(&value)) return *number;
    throw Fault{fmt::format("\"{}\" is a text, not a number", std::get<std::string>(value))};
}

bool truth_of(const Value& value) {
    if (const double* number = std::get_if<double>(&value)) return *number != 0;
    return !std::get<std::string>(value).empty();
}

double finite(double value, std::string_view of) {
    if (!std::isfinite(value)) throw Fault{fmt::format("{} is not a finite number", of)};
    return value;
}

double call_one(const std::string& name, double x) {
    if (name == "ceil") return std::ceil(x);
    if (name == "floor") return std::floor(x);
    if (name == "trunc" || name == "int") return std::trunc(x);
    if (name == "float") return x;
    if (name == "bool") return x != 0 ? 1 : 0;
    if (name == "abs" || name == "fabs") return std::abs(x);
    if (name == "round") return std::nearbyint(x);  // ties to even, as Python's
    if (name == "sqrt") return std::sqrt(x);
    if (name == "exp") return std::exp(x);
    if (name == "log") return std::log(x);
    if (name == "log2") return std::log2(x);
    if (name == "log10") return std::log10(x);
    throw Fault{fmt::format("there is no function '{}' of one number", name)};
}

double call_several(const std::string& name, const std::vector<double>& given) {
    if (given.empty()) throw Fault{fmt::format("{}() needs a number", name)};
    if (name == "max") return *std::max_element(given.begin(), given.end());
    if (name == "min") return *std::min_element(given.begin(), given.end());
    if (given.size() == 1) return call_one(name, given[0]);
    if (name == "pow" && given.size() == 2) return std::pow(given[0], given[1]);
    if (name == "log" && given.size() == 2) return std::log(given[0]) / std::log(given[1]);
    throw Fault{fmt::format("there is no function '{}' of {} numbers", name, given.size())};
}

// A part of an expression. What it is worth is asked for later: of a choice only one side is.
struct Node {
    std::string what;  // a sign, "if", "name", "call", or "value"
    Value value;       // of "value"; the name of a "name" or "call"
    std::vector<Node> parts;
};

// From what binds least to what binds most.
class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Node all() {
        Node node = choice();
        skip();
        if (at_ < text_.size()) throw Fault{fmt::format("'{}' was not expected", text_.substr(at_))};
        return node;
    }

  private:
    class Depth {
      public:
        explicit Depth(int& depth) : depth_(depth) {
            if (++depth_ > kDeepestExpression) throw Fault{"it is nested too deep"};
        }
        ~Depth() { --depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;

      private:
        int& depth_;
    };

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }
    static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

    bool take(std::string_view token) {
        skip();
        if (text_.substr(at_, token.size()) != token) return false;
        const size_t end = at_ + token.size();
        if (in_name(token.back()) && end < text_.size() && in_name(text_[end])) return false;
        at_ = end;
        return true;
    }
    // The first of these that stands here; longer ones go before their begins.
    std::string_view take_one(std::initializer_list<std::string_view> tokens) {
        for (const std::string_view token : tokens)
            if (take(token)) return token;
        return {};
    }

    static Node join(std::string_view what, Node a, Node b) {
        Node node{std::string(what), {}, {}};
        node.parts.push_back(std::move(a));
        node.parts.push_back(std::move(b));
        return node;
    }

    Node choice() {
        const Depth depth(depth_);
        Node value = row(0);
        if (!take("if")) return value;
        Node node{"if", {}, {}};
        node.parts.push_back(row(0));
        if (!take("else")) throw Fault{"'else' was expected"};
        node.parts.push_back(std::move(value));
        node.parts.push_back(choice());
        return node;
    }

    // Signs that stand between their parts, from the left: one level of binding after the other.
    Node row(int level) {
        if (level == 2 && take("not")) return negation();
        Node node = level == 4 ? signed_part() : row(level + 1);
        while (true) {
            std::string_view sign;
            switch (level) {
                case 0:
                    sign = take_one({"or"});
                    break;
                case 1:
                    sign = take_one({"and"});
                    break;
                case 2:
                    sign = take_one({"<=", ">=", "==", "!=", "<", ">"});
                    break;
                case 3:
                    sign = take_one({"+", "-"});
                    break;
                default:
                    sign = take_one({"//", "/", "*", "%"});
                    break;
            }
            if (sign.empty()) return node;
            node = join(sign, std::move(node), level == 4 ? signed_part() : row(level + 1));
            if (++joined_ > kMostSigns) throw Fault{"it has too many parts"};
        }
    }

    Node negation() {
        const Depth depth(depth_);
        Node node{"not", {}, {}};
        node.parts.push_back(row(2));
        return node;
    }

    Node signed_part() {
        const Depth depth(depth_);
        if (take("-")) {
            Node node{"minus", {}, {}};
            node.parts.push_back(signed_part());
            return node;
        }
        if (take("+")) return signed_part();
        Node node = atom();
        return take("**") ? join("**", std::move(node), signed_part()) : node;
    }

    Node atom() {
        if (take("(")) {
            Node node = choice();
            if (!take(")")) throw Fault{"')' was expected"};
            return node;
        }
        skip();
        if (at_ >= text_.size()) throw Fault{"it ends too early"};
        const char c = text_[at_];
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return {"value", number(), {}};
        if (c == '"' || c == '\'') return {"value", quoted(c), {}};
        if (in_name(c)) return name();
        throw Fault{fmt::format("'{}' was not expected", c)};
    }

    double number() {
        double value = 0;
        const char* end = text_.data() + text_.size();
        const auto [stop, problem] = std::from_chars(text_.data() + at_, end, value);
        if (problem != std::errc() || (stop < end && in_name(*stop)))
            throw Fault{fmt::format("'{}' is not a number", text_.substr(at_))};
        at_ = static_cast<size_t>(stop - text_.data());
        return value;
    }

    std::string quoted(char mark) {
        const size_t end = text_.find(mark, at_ + 1);
        if (end == std::string_view::npos) throw Fault{"a text does not end"};
        std::string text(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return text;
    }

    Node name() {
        const size_t begin = at_;
        while (at_ < text_.size() && in_name(text_[at_]))
            ++at_;
        Node node{"name", std::string(text_.substr(begin, at_ - begin)), {}};
        if (!take("(")) return node;
        node.what = "call";
        while (!take(")")) {
            if (!node.parts.empty() && !take(",")) throw Fault{"')' was expected"};
            node.parts.push_back(choice());
        }
        return node;
    }

    std::string_view text_;
    size_t at_ = 0;
    int depth_ = 0, joined_ = 0;
};

bool compare(const Value& a, std::string_view sign, const Value& b) {
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    const double x = number_of(a), y = number_of(b);
    return sign == "<=" ? x <= y : sign == ">=" ? x >= y : sign == "<" ? x < y : x > y;
}

double compute(double a, std::string_view sign, double b) {
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "**") return std::pow(a, b);
    if (b == 0) throw Fault{"division by zero"};
    // Python's: the rest has the divisor's sign.
    if (sign == "//") return std::floor(a / b);
    if (sign == "%") return a - b * std::floor(a / b);
    return a / b;
}

Value worth_of(const Node& node, const Scope& scope);

Value worth_of_name(const std::string& name, const Scope& scope) {
    if (const Value* value = scope.find(name)) return *value;
    if (name == "True" || name == "true") return 1.0;
    if (name == "False" || name == "false") return 0.0;
    if (name == "pi") return 3.14159265358979323846;
    throw Fault{fmt::format("'{}' is not defined", name)};
}

Value worth_of_call(const Node& node, const Scope& scope) {
    const std::string& name = std::get<std::string>(node.value);
    std::vector<double> given;
    for (const Node& part : node.parts)
        given.push_back(number_of(worth_of(part, scope)));
    return finite(call_several(name, given), name + "()");
}

Value worth_of(const Node& node, const Scope& scope) {
    if (node.what == "value") return node.value;
    if (node.what == "name") return worth_of_name(std::get<std::string>(node.value), scope);
    if (node.what == "call") return worth_of_call(node, scope);
    Value first = worth_of(node.parts[0], scope);
    if (node.what == "if") return worth_of(node.parts[truth_of(first) ? 1 : 2], scope);
    if (node.what == "minus") return -number_of(first);
    if (node.what == "not") return truth_of(first) ? 0.0 : 1.0;
    if (node.what == "or" || node.what == "and")
        return truth_of(first) == (node.what == "or") ? first : worth_of(node.parts[1], scope);
    const Value second = worth_of(node.parts[1], scope);
    for (const std::string_view sign : {"<=", ">=", "==", "!=", "<", ">"})
        if (node.what == sign) return compare(first, sign, second) ? 1.0 : 0.0;
    const double result = compute(number_of(first), node.what, number_of(second));
    return finite(result, fmt::format("'{}'", node.what));
}

}  // namespace

const Value* Scope::find(const std::string& name) const {
    const auto found = own_.find(name);
    if (found != own_.end()) return &found->second;
    return around_ == nullptr ? nullptr : around_->find(name);
}

Result<Value> evaluate_expression(std::string_view text, const Scope& scope) {
    if (text.size() > kLongest) return fail(fmt::format("it is longer than {} characters", kLongest));
    try {
        return worth_of(Parser(text).all(), scope);
    } catch (const Fault& problem) {
        return fail(problem.what);
    }
}

std::string text_of(const Value& value) {
    const double* number = std::get_if<double>(&value);
    if (number == nullptr) return std::get<std::string>(value);
    if (*number == std::floor(*number) && std::abs(*number) < 1e15) return fmt::format("{:.0f}", *number);
    return fmt::format("{:.17g}", *number);
}

}  // namespace opsight::importer::timeloop
