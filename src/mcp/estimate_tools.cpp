// What a network must cost, from its file.
#include <fmt/format.h>

#include "import/model/model_import.h"
#include "mcp/answer.h"
#include "mcp/tool.h"
#include "query/model/estimates.h"

namespace opsight::mcp {
namespace {

constexpr int64_t kDefaultEstimateRows = 20, kMostEstimateRows = 200, kMostBatch = int64_t{1} << 40;

Result<query::EstimateQuestion> question_of(const Arguments& arguments) {
    query::EstimateQuestion question;
    if (const std::string device = arguments.text("device"); !device.empty()) {
        OPSIGHT_ASSIGN(hardware::Device found, hardware::DeviceTable::built_in().find(device));
        question.devices.push_back(std::move(found));
    }
    if (const auto batch = arguments.number("batch")) question.batches.push_back(static_cast<double>(*batch));
    if (const std::string format = arguments.text("dtype"); !format.empty())
        if (const auto precision = hardware::parse_precision(format))
            question.precisions.push_back(*precision);
    question.common.train = arguments.flag("train");
    question.common.fuse = !arguments.flag("unfused");
    question.common.tf32 = true;
    return question;
}

Result<std::string> estimate(Desk& desk, const Arguments& arguments) {
    const Given& model = desk.model(arguments.text("model"));
    OPSIGHT_ASSIGN(const query::EstimateQuestion question, question_of(arguments));
    OPSIGHT_ASSIGN(const ModelGraph graph, importer::import_model(model.path, {}));
    const cost::Network network(graph);
    const std::vector<query::EstimateAnswer> answers = query::answer_estimates(network, question);
    const std::vector<query::ChangedEstimate> changes = query::what_if(network, answers.front().settings);
    Answer answer;
    answer.json().field("model", model.name);
    answer.json().field("what", "an estimate: the least that the network must cost, not a measurement");
    answer.table("totals", query::total_table(graph, answers.front()));
    if (!changes.empty()) answer.table("what_if", query::what_if_table(answers.front(), changes));
    answer.table("costliest_layers",
                 query::costliest_layers(
                     answers.front(), static_cast<size_t>(arguments.number("limit", kDefaultEstimateRows))));
    return answer.take();
}

}  // namespace

std::vector<Tool> estimate_tools(const Files& files) {
    if (files.models.empty()) return {};
    Parameter model{"model", "Which network (default: " + files.models.front().name + ")"};
    for (const Given& each : files.models)
        model.choices.push_back(each.name);
    Parameter format{"dtype", "Number format (default: those of the file)"};
    format.choices = {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4"};
    return {
        {"estimate",
         "Estimate of a network",
         "What a network must cost by its file alone: FLOPs, bytes, memory, and on a device the time that "
         "it takes at least, with its costliest layers.",
         {std::move(model),
          {"device", "Key of a device, such as h100-sxm or t4; without one there is work and no time"},
          {"batch",
           "Batch size (default: that of the file)",
           Parameter::Kind::kWhole,
           false,
           {},
           1,
           kMostBatch},
          std::move(format),
          {"train", "Count forward, backward and optimizer", Parameter::Kind::kYesNo},
          {"unfused", "Each op by itself, in place of what one kernel can do at once",
           Parameter::Kind::kYesNo},
          limit_parameter(kDefaultEstimateRows, kMostEstimateRows)},
         estimate}};
}

}  // namespace opsight::mcp
