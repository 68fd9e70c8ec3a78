// What a builder of a graph could not tell of shapes, for the notes of the graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace opsight::importer::model_import {

class ShapeProblems {
  public:
    // An op whose inputs do not fit it.
    void misfit(std::string_view name, std::string_view type, std::string_view problem);
    // An op of that type whose outputs' shapes stay unknown, though those of its inputs are known.
    void unknown(const std::string& type) { ++unknown_[type]; }
    void add_notes(std::vector<std::string>& notes) const;

  private:
    std::map<std::string, int64_t> unknown_;
    int64_t misfits_ = 0;
    std::string first_misfit_;
};

}  // namespace opsight::importer::model_import
