// The options that fix sizes which a model's file leaves open.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "import/model/model_import.h"

namespace opsight::cli {

Error usage(std::string what, std::string remedy);
// A number of at least `least`; `what` names the option in messages.
Result<int64_t> whole_number(const std::string& text, const std::string& what, int64_t least = 1);

class ModelSizes {
  public:
    void declare(CLI::App& sub);
    Result<importer::ModelOptions> read() const;
    bool given() const { return !dims_.empty() || !shapes_.empty() || !values_.empty(); }

  private:
    std::vector<std::string> dims_, shapes_, values_;
};

}  // namespace opsight::cli
