#include "sweep/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opsight::sweep {

Result<Product> Product::parse(std::string_view text, const std::vector<Parameter>& parameters) {
    const auto refused = [&](std::string why) {
        std::vector<std::string> names;
        for (const Parameter& each : parameters)
            names.push_back(each.name);
        return fail(Error{.what = fmt::format("'{}': {}", text.substr(0, 200), why),
                          .remedy = fmt::format("a product is expected, such as 16*hidden^2*batch; what is "
                                                "varied: {}",
                                                fmt::join(names, ", ")),
                          .exit_code = 2});
    };
    Product out;
    out.text_ = text;
    for (std::string_view rest = text;;) {
        const size_t star = rest.find('*');
        std::string_view factor = rest.substr(0, star);
        Factor read;
        if (const size_t hat = factor.find('^'); hat != factor.npos) {
            if (factor.size() != hat + 2 || factor[hat + 1] < '1' || factor[hat + 1] > '9')
                return refused("after ^ a whole number of 1 to 9 is expected");
            read.power = factor[hat + 1] - '0';
            factor = factor.substr(0, hat);
        }
        const auto named = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& each) { return each.name == factor; });
        if (named != parameters.end()) {
            read.parameter = static_cast<size_t>(named - parameters.begin());
        } else {
            const std::optional<double> number = number_of(factor);
            if (!number || *number <= 0)
                return refused(fmt::format("'{}' is neither varied nor a number above 0", factor));
            read.number = *number;
        }
        out.factors_.push_back(read);
        if (star == rest.npos) return out;
        rest.remove_prefix(star + 1);
    }
}

std::optional<double> Product::of(const Point& point) const {
    double product = 1;
    for (const Factor& each : factors_) {
        double value = each.number;
        if (each.parameter) {
            const std::optional<double> number = number_of(point.at(*each.parameter));
            if (!number) return std::nullopt;
            value = *number;
        }
        product *= std::pow(value, each.power);
    }
    if (!std::isfinite(product) || product <= 0) return std::nullopt;
    return product;
}

}  // namespace opsight::sweep
