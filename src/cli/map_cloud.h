// opsight map --cloud: what many mappings cost, drawn at random.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <optional>
#include <string>

#include "import/timeloop/specification.h"
#include "query/model/mapping_cloud.h"
#include "report/render.h"

namespace opsight::cli {

struct CloudRun {
    uint64_t seed = 1;
    int threads = 1;
    const std::atomic<bool>* stop = nullptr;
};

class CloudOptions {
  public:
    void declare(CLI::App& command);
    bool wanted() const { return tries_ > 0 || draw_; }
    bool of_one_draw() const { return draw_.has_value(); }

    // `name`: the format as it was asked for; `format`: the same, if it is one of tables.
    Result<std::string> text_of(importer::timeloop::Specification given, const CloudRun& run,
                                const std::string& name, report::Format format) const;
    Result<query::MappingAnswer> one_draw(importer::timeloop::Specification given, const CloudRun& run) const;

  private:
    int64_t tries_ = 0, near_ = -1;
    std::optional<uint64_t> draw_;
    size_t points_ = 20'000;
};

// NAME=VALUE, each.
Result<importer::timeloop::TemplateValues> template_values(const std::vector<std::string>& given);

}  // namespace opsight::cli
