// Feeds any bytes to the readers of Timeloop's files, and what they accept to the model. Seeds:
// tests/fuzz/mappings.
#include "base/fuzz_file.h"
#include "import/timeloop/expression.h"
#include "import/timeloop/specification.h"
#include "map/analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const opsight::FuzzFile file;
    // The same bytes as an expression: a number that it gives is finite.
    opsight::importer::timeloop::Scope scope;
    scope.set("depth", 12.0);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto value = opsight::importer::timeloop::evaluate_expression(text, scope))
        if (const double* number = std::get_if<double>(&*value);
            number != nullptr && !(*number - *number == 0))
            __builtin_trap();
    file.fill(data, size);
    // The constraints of a search, which are not read beside a mapping.
    if (const auto search = opsight::importer::timeloop::read_specification({file.path()}, "", true);
        search && !search->constraints.levels.empty() &&
        search->constraints.levels.size() != search->architecture.levels.size())
        __builtin_trap();
    const auto given = opsight::importer::timeloop::read_specification({file.path()}, "");
    if (!given || !given->mapping) return 0;
    const auto cost = opsight::map::evaluate(given->problem, given->architecture, *given->mapping);
    if (cost && (cost->cycles < 1 || !(cost->energy_pj >= 0))) __builtin_trap();
    return 0;
}
