#include "cli/sweep_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/comparing.h"
#include "cli/model_sizes.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "import/model/model_import.h"
#include "query/model/estimates.h"
#include "report/render.h"
#include "report/render_comparison.h"
#include "report/render_html.h"
#include "report/sweep_pictures.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

constexpr std::array<std::string_view, 6> kSweepFormats = {"table", "csv", "json", "markdown", "html", "svg"};

const std::map<std::string, double> kTimes = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
const std::map<std::string, double> kSizes = {{"B", 1},         {"kB", 1e3},      {"MB", 1e6},
                                              {"GB", 1e9},      {"TB", 1e12},     {"KiB", 1 << 10},
                                              {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1099511627776.0}};

}  // namespace

void SweepFlags::declare(CLI::App& sub) {
    sub.add_option("--x", x_,
                   "The parameter that curves are over (default: the first whose values are numbers)");
    sub.add_option(
           "--items", items_,
           "Items of an iteration, as a product of parameters and numbers, such as batch*seq (default: "
           "batch, where that is varied; else iterations are counted)")
        ->type_name("PRODUCT");
    sub.add_option(
           "--work", work_,
           "The work of an iteration, such as 16*hidden^2*batch: the line through the times and the slope "
           "of counted FLOPs are over it (default: the parameter of the curves)")
        ->type_name("PRODUCT");
    sub.add_option("--max-latency", most_latency_ns_,
                   "Name the point of most throughput whose latency is not above")
        ->type_name("TIME")
        ->transform(CLI::AsNumberWithUnit(kTimes, CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME"));
    sub.add_option("--max-memory", most_memory_bytes_, "... and whose memory is not above")
        ->type_name("SIZE")
        ->transform(CLI::AsNumberWithUnit(kSizes, CLI::AsNumberWithUnit::UNIT_REQUIRED, "SIZE"));
    sub.add_option(
           "--predict", model_,
           "A model's file (as of 'opsight estimate'): its bound at each batch stands beside the measured "
           "latency, also when the sweep is shown again; needs --device")
        ->type_name("MODEL");
    sub.add_option("--device", device_, "With --predict: a device of 'opsight devices', or host");
    sub.add_flag("--train", train_, "With --predict: forward, backward and optimizer");
    sub.add_option("--report", report_,
                   "One table alone, such as points, fit, curve, growth, layers or counted");
    sub.add_option("--format", format_, "table, csv, json, markdown, html or svg (the picture alone)")
        ->default_str("table");
    sub.add_flag_callback(
        "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
    sub.add_option("--limit", limit_,
                   "Rows of the tables of ops, layers and kernels; 0: all (default: 20, 200 in "
                   "html, all in csv and json)");
    sub.add_flag("--wide", wide_, "Whole lines of tables, however long");
}

Status SweepFlags::check() const {
    if (std::find(kSweepFormats.begin(), kSweepFormats.end(), format_) == kSweepFormats.end())
        return fail(usage(fmt::format("unknown format '{}'", format_),
                          "use table, csv, json, markdown, html or svg"));
    if (model_.empty() != device_.empty())
        return fail(usage("--predict and --device belong together",
                          "as in --predict resnet50.onnx --device host; 'opsight devices' lists them"));
    return {};
}

query::TableShape SweepFlags::shape() const {
    query::TableShape shape;
    shape.for_people = format_ != "csv" && format_ != "json";
    shape.limit = limit_ >= 0         ? limit_
                  : format_ == "html" ? kRowsOnPage
                  : shape.for_people  ? kRowsOnTerminal
                                      : 0;
    return shape;
}

Result<query::SweepOptions> SweepFlags::options_for(const query::Sweep& sweep) const {
    query::SweepOptions options;
    options.x = x_;
    options.items = items_;
    options.work = work_;
    if (most_latency_ns_ > 0) options.most_latency_ns = most_latency_ns_;
    if (most_memory_bytes_ > 0) options.most_memory_bytes = most_memory_bytes_;
    options.predicted = sweep.prediction;
    if (!model_.empty()) {
        OPSIGHT_ASSIGN(options.predicted, predict(sweep, options));
    }
    return options;
}

Result<query::Prediction> SweepFlags::predict(const query::Sweep& sweep,
                                              const query::SweepOptions& options) const {
    // A network is estimated at a batch, which items need not be (batch*seq).
    query::SweepOptions of_batch = options;
    of_batch.items.clear();
    OPSIGHT_ASSIGN(query::SweepSummary summary, query::summarize(sweep, of_batch));
    if (summary.items_name.empty()) {
        OPSIGHT_ASSIGN(summary, query::summarize(sweep, options));
    }
    if (summary.items_name.empty())
        return fail(usage("--predict needs to know the batch of each point", "say it with --items"));
    query::EstimateQuestion question;
    OPSIGHT_ASSIGN(hardware::Device device, find_device(hardware::DeviceTable::built_in(), device_));
    question.devices.push_back(device);
    question.common.train = train_;
    std::vector<std::string> points;
    for (const query::PointSummary& each : summary.points)
        if (each.items) {
            question.batches.push_back(*each.items);
            points.push_back(each.point->name);
        }
    OPSIGHT_ASSIGN(const ModelGraph graph, importer::import_model(model_, {}));
    const cost::Network network(graph);
    const std::vector<query::EstimateAnswer> answers = query::answer_estimates(network, question);
    bool complete = true;
    query::Prediction predicted;
    for (size_t i = 0; i < answers.size() && i < points.size(); ++i) {
        complete &= answers[i].estimate.complete();
        if (answers[i].estimate.total.bound_s > 0)
            predicted.ns[points[i]] = answers[i].estimate.total.bound_s * 1e9;
    }
    predicted.by =
        fmt::format("the least time that {} can take on {}, {}, by 'opsight estimate'{}", graph.name,
                    device.name, train_ ? "forward, backward and optimizer" : "forward alone",
                    complete ? "" : "; some of its ops are not counted, and come on top");
    return predicted;
}

Result<int> SweepFlags::show(const query::Sweep& sweep, const query::SweepFolder& folder) const {
    OPSIGHT_ASSIGN(const query::SweepOptions options, options_for(sweep));
    if (!model_.empty())
        if (const Status kept = folder.keep(*options.predicted); !kept)
            print_note("opsight: the prediction is not kept with the sweep: " + kept.error().message() +
                       "\n");
    OPSIGHT_ASSIGN(const query::SweepSummary summary, query::summarize(sweep, options));
    OPSIGHT_ASSIGN(query::Report report, query::sweep_report(sweep, options, shape()));
    const std::string svg =
        format_ == "svg" || format_ == "html" ? report::sweep_svg(sweep, summary, options) : std::string();
    if (format_ == "svg" && svg.empty())
        return fail("there is no picture: no point was measured, or no value is a number", sweep.label);
    const int width = report::terminal_width(report::kWidthWhenPiped);
    OPSIGHT_TRY(write(report, svg, format_ == "table" ? report::sweep_text(summary, width) : std::string()));
    return 0;
}

Result<int> SweepFlags::compare(const query::Sweep& base, const query::Sweep& next) const {
    if (format_ == "svg") return fail(usage("a comparison of sweeps has no picture", "use another --format"));
    query::SweepOptions options;
    options.x = x_;
    options.items = items_;
    options.work = work_;
    OPSIGHT_ASSIGN(const query::Report report, query::compare_sweeps(base, next, options));
    OPSIGHT_TRY(write(report, {}, {}));
    return 0;
}

Status SweepFlags::write(const query::Report& all, const std::string& svg, const std::string& letters) const {
    query::Report report = all;
    if (!report_.empty()) {
        std::vector<std::string> names;
        for (const query::Section& each : all.sections)
            names.push_back(each.table.name);
        std::erase_if(report.sections,
                      [&](const query::Section& each) { return each.table.name != report_; });
        if (report.sections.empty())
            return fail(usage(fmt::format("there is no table '{}' here", report_),
                              fmt::format("the tables are {}", fmt::join(names, ", "))));
    }
    if (format_ == "svg") return print_text(svg);
    if (format_ == "json") {
        OPSIGHT_TRY(report::write_report_json(report, print_text));
        return print_text("\n");
    }
    if (format_ == "csv") return write_tables(report, print_text);
    if (format_ == "markdown") return print_text(report::render_comparison_markdown(report));
    if (format_ == "html")
        return print_text(report::render_html(report.title, "Opsight " OPSIGHT_VERSION, {report}, svg));
    const int width = wide_ ? 0 : report::terminal_width(report::kWidthWhenPiped);
    return print_text(report::render_comparison(report, width) +
                      (letters.empty() || !report_.empty() ? "" : "\n" + letters));
}

}  // namespace opsight::cli
