// A product of parameters and numbers, such as "16*hidden^2*batch": how much work, or how many items, a point
// has by what is varied.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/plan.h"

namespace opsight::sweep {

class Product {
  public:
    // Factors with * between; a factor is a number above 0 or a parameter, with ^ and a whole number of 1 to
    // 9 where it is raised. Fails for names that are no parameters.
    static Result<Product> parse(std::string_view text, const std::vector<Parameter>& parameters);
    // Nothing where a parameter in it has no number, or the product is not above 0.
    std::optional<double> of(const Point& point) const;
    const std::string& text() const { return text_; }

  private:
    struct Factor {
        double number = 1;
        std::optional<size_t> parameter;
        int power = 1;
    };
    std::string text_;
    std::vector<Factor> factors_;
};

}  // namespace opsight::sweep
