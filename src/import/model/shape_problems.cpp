#include "import/model/shape_problems.h"

#include <fmt/format.h>

namespace opsight::importer::model_import {

void ShapeProblems::misfit(std::string_view name, std::string_view type, std::string_view problem) {
    if (misfits_++ == 0) first_misfit_ = fmt::format("'{}' ({}): {}", name, type, problem);
}

void ShapeProblems::add_notes(std::vector<std::string>& notes) const {
    for (const auto& [type, count] : unknown_)
        notes.push_back(
            fmt::format("{} x {}: its output's shape is not known, nor what depends on it", count, type));
    if (misfits_ > 0)
        notes.push_back(fmt::format("{} ops do not fit their inputs, first {}", misfits_, first_misfit_));
}

}  // namespace opsight::importer::model_import
