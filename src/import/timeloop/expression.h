// The arithmetic in Timeloop's 0.4 files, which is Python's: "max(1, ceil(log2(depth))) if depth >= 1 else
// 1". Numbers are doubles; what is written without quotes must evaluate.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace opsight::importer::timeloop {

using Value = std::variant<double, std::string>;

// Names that an expression may use: those of a scope, then those around it.
class Scope {
  public:
    explicit Scope(const Scope* around = nullptr) : around_(around) {}

    void set(const std::string& name, Value value) { own_[name] = std::move(value); }
    const Value* find(const std::string& name) const;
    // Names and values of this scope alone.
    const std::map<std::string, Value>& own() const { return own_; }

  private:
    std::map<std::string, Value> own_;
    const Scope* around_;
};

// What an expression is worth. Fails with what is wrong in it (names that are not there, what cannot be
// computed, results that are no number), without the place. Up to 4096 characters, nested up to 64 deep.
Result<Value> evaluate_expression(std::string_view text, const Scope& scope);

// As it stands in YAML: whole numbers without a point.
std::string text_of(const Value& value);

}  // namespace opsight::importer::timeloop
