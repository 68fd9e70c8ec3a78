#include <fmt/format.h>

#include <algorithm>

#include "import/timeloop/readers.h"

namespace opsight::importer::timeloop {
namespace {

using map::DataSpace;
using map::Problem;
using map::Term;

// What a problem without a shape is to Timeloop.
constexpr const char* kConvolution = R"(
name: CNN_Layer
dimensions: [ R, S, P, Q, C, K, N ]
coefficients: [ {name: Wstride, default: 1}, {name: Hstride, default: 1},
                {name: Wdilation, default: 1}, {name: Hdilation, default: 1} ]
data_spaces:
- {name: Weights, projection: [ [[C]], [[K]], [[R]], [[S]] ]}
- {name: Inputs, projection: [ [[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]] ]}
- {name: Outputs, projection: [ [[N]], [[K]], [[Q]], [[P]] ], read_write: true}
)";

class ProblemReader {
  public:
    // `bounds` holds what the problem says of dimensions and coefficients.
    ProblemReader(const Tree& shape, const Tree& bounds) : shape_(shape), bounds_(bounds) {}

    Result<Problem> read() {
        OPSIGHT_ASSIGN(problem_.name, shape_.text_of("name", "problem"));
        OPSIGHT_TRY(read_dimensions());
        OPSIGHT_TRY(read_coefficients());
        OPSIGHT_TRY(check_sizes());
        const Tree* spaces = shape_.find({"data_spaces", "data-spaces"});
        if (spaces == nullptr || !spaces->is_list())
            return fail(shape_.error("the shape of a problem needs data_spaces, a list"));
        for (const Tree& space : spaces->items)
            OPSIGHT_TRY(read_space(space));
        if (const Status good = map::check(problem_); !good)
            return fail(bounds_.error(good.error().what, good.error().remedy));
        return problem_;
    }

  private:
    Status read_dimensions() {
        const Tree* dimensions = shape_.find("dimensions");
        if (dimensions == nullptr || !dimensions->is_list())
            return fail(shape_.error("the shape of a problem needs dimensions, a list of names"));
        for (const Tree& name : dimensions->items) {
            if (!name.is_text() || name.text.empty())
                return fail(name.error("the name of a dimension was expected"));
            if (problem_.dimension(name.text) >= 0)
                return fail(name.error(fmt::format("dimension {} is there twice", name.text)));
            const Tree* bound = bounds_.find(name.text);
            if (bound == nullptr)
                return fail(bounds_.error(
                    fmt::format("the problem does not say how large dimension {} is", name.text),
                    fmt::format("add '{}: N' to it", name.text)));
            OPSIGHT_ASSIGN(const int64_t size, bound->whole());
            problem_.dimensions.push_back({name.text, size});
        }
        return {};
    }

    Status read_coefficients() {
        const Tree* coefficients = shape_.find("coefficients");
        if (coefficients == nullptr) return {};
        for (const Tree& coefficient : coefficients->items) {
            OPSIGHT_ASSIGN(const std::string name, coefficient.text_of("name", ""));
            if (name.empty()) return fail(coefficient.error("a coefficient needs a name"));
            OPSIGHT_ASSIGN(int64_t value, coefficient.whole_of({"default"}, 1));
            OPSIGHT_ASSIGN(value, bounds_.whole_of({name}, value));
            coefficients_.emplace_back(name, value);
        }
        return {};
    }

    // A size of nothing is a slip of the pen, or a problem of another shape; one of 1 changes nothing. Tools
    // that write convolutions also say how large their input and its padding is, which follows from the
    // others.
    Status check_sizes() const {
        constexpr std::string_view kUnused[] = {"version", "H", "W", "Hpad", "Wpad"};
        for (const auto& [name, value] : bounds_.members) {
            const bool known = problem_.dimension(name) >= 0 ||
                               std::any_of(coefficients_.begin(), coefficients_.end(),
                                           [&name = name](const auto& each) { return each.first == name; });
            if (known || std::find(std::begin(kUnused), std::end(kUnused), name) != std::end(kUnused) ||
                !value.is_text() || !value.whole() || *value.whole() == 1)
                continue;
            std::string names;
            for (const map::Dimension& dimension : problem_.dimensions)
                names += (names.empty() ? "" : ", ") + dimension.name;
            for (const auto& [coefficient, unused] : coefficients_)
                names += ", " + coefficient;
            return fail(value.error(fmt::format("there is no dimension '{}' and no coefficient", name),
                                    fmt::format("take it out, or add it to the shape, which has {}", names)));
        }
        return {};
    }

    Status read_space(const Tree& tree) {
        DataSpace space;
        OPSIGHT_ASSIGN(space.name, tree.text_of("name", ""));
        if (space.name.empty() || problem_.space(space.name) >= 0)
            return fail(tree.error("a data space needs a name of its own"));
        OPSIGHT_ASSIGN(std::string written,
                       tree.text_of("read_write", tree.find("read-write") ? "true" : "false"));
        std::transform(written.begin(), written.end(), written.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        space.written = written == "true";
        const Tree* projection = tree.find("projection");
        if (projection == nullptr || !projection->is_list())
            return fail(
                tree.error(fmt::format("data space {} needs a projection: a list of axes, each a list of "
                                       "[dimension] or [dimension, coefficient]",
                                       space.name)));
        for (const Tree& axis : projection->items) {
            space.axes.emplace_back();
            for (const Tree& term : axis.items) {
                OPSIGHT_ASSIGN(const Term read, read_term(term));
                space.axes.back().push_back(read);
            }
        }
        problem_.spaces.push_back(std::move(space));
        return {};
    }

    Result<Term> read_term(const Tree& tree) const {
        if (!tree.is_list() || tree.items.empty() || tree.items.size() > 2 || !tree.items[0].is_text())
            return fail(tree.error("[dimension] or [dimension, coefficient] was expected here"));
        Term term;
        term.dimension = problem_.dimension(tree.items[0].text);
        if (term.dimension < 0)
            return fail(tree.error(fmt::format("there is no dimension '{}'", tree.items[0].text)));
        if (tree.items.size() == 1) return term;
        for (const auto& [name, value] : coefficients_)
            if (name == tree.items[1].text) {
                term.coefficient = value;
                return term;
            }
        OPSIGHT_ASSIGN(term.coefficient, tree.items[1].whole());
        return term;
    }

    const Tree &shape_, &bounds_;
    Problem problem_;
    std::vector<std::pair<std::string, int64_t>> coefficients_;
};

}  // namespace

Result<Problem> read_problem(const Tree& problem, const Tree* shape) {
    if (!problem.is_map()) return fail(problem.error("the problem must be a map of dimensions"));
    if (const Tree* own = problem.find("shape"); own != nullptr && own->is_map()) shape = own;
    const Tree* instance = problem.find("instance");
    const Tree& bounds = instance != nullptr ? *instance : problem;
    for (const Tree* part : {&problem, &bounds})
        if (const Tree* densities = part->find("densities");
            densities != nullptr && !densities->members.empty())
            return fail(densities->error("sparse data (densities) is not supported", "leave densities out"));
    if (shape != nullptr) return ProblemReader(*shape, bounds).read();
    OPSIGHT_ASSIGN(const Tree convolution, parse_yaml(kConvolution, "the shape of a convolution"));
    return ProblemReader(convolution, bounds).read();
}

}  // namespace opsight::importer::timeloop
