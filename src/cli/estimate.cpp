// opsight estimate: what a network must cost, from its file alone.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "cli/commands.h"
#include "cli/model_sizes.h"
#include "cli/new_file.h"
#include "cli/standard_output.h"
#include "cli/table_output.h"
#include "report/estimate_picture.h"
#include "report/render.h"
#include "report/render_estimate.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

class EstimateCommand : public Command {
  public:
    CLI::App* declare(CLI::App& app) override {
        CLI::App* sub = app.add_subcommand(
            "estimate", "Tell what a network must cost, from its file: ONNX, TensorFlow or XLA");
        sub->add_option(
               "MODEL", path_,
               "ONNX file, or TensorFlow's GraphDef, MetaGraph or SavedModel (its folder or file; binary "
               "or text), or a module of XLA's HLO (binary or text, as --xla_dump_to writes it)")
            ->required();
        sub->add_option("--device", devices_, "Devices, with commas between; 'opsight devices' lists them");
        sub->add_option("--devices", device_file_,
                        "YAML file with devices of your own (see docs/DEVICES.md)");
        sub->add_option("--batch", batches_, "Batch sizes, with commas between (default: that of the file)");
        sub->add_option(
            "--dtype", formats_,
            "Number formats, with commas between: fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8, int4 "
            "(default: those of the file)");
        sub->add_flag("--train", train_, "Count forward, backward and optimizer");
        sub->add_option("--optimizer", optimizer_, "With --train: adam, momentum or sgd")
            ->default_str("adam");
        sub->add_flag("--fuse,!--unfused", fuse_,
                      "Bound what one kernel can do at once: elementwise ops with the op before them, moved "
                      "data where it is read, attention (default); --unfused: each op by itself");
        sub->add_flag(
            "--tf32,!--no-tf32", tf32_,
            "Bound FP32 products by the TF32 peak where the device has one (default); --no-tf32: by "
            "the FP32 peak");
        sub->add_option("--sparsity", sparsity_, "2:4: weights with structured sparsity");
        sub->add_option("--derate", derate_, "Part of each peak that can be reached, above 0 and up to 1")
            ->default_str("1");
        sizes_.declare(*sub);
        sub->add_option("--limit", limit_,
                        "Layers in the table, the costliest; 0: all in their order (default: 20)");
        sub->add_flag("--summary", summary_, "Print layers, parameters and sizes as torchinfo does");
        sub->add_option(
            "--picture", picture_,
            "Draw the roofline and the throughput against the batch into this SVG file; needs --device");
        sub->add_flag("--force", force_, "Replace the picture if it is there");
        sub->add_option("--format", format_, "table, csv or json")->default_str("table");
        sub->add_flag_callback(
            "--json", [this] { format_ = "json"; }, "Same as --format json; errors are JSON too");
        sub->footer(
            "Examples:\n"
            "  opsight estimate resnet50.onnx\n"
            "  opsight estimate resnet50.onnx --device h100-sxm,t4 --batch 1,8,64 --dtype fp16\n"
            "  opsight estimate bert.onnx --dim sequence=128 --device a100-80 --dtype bf16 --train\n"
            "  opsight estimate resnet50.onnx --device h100-sxm,l4 --dtype fp16 --picture resnet50.svg\n"
            "  opsight estimate frozen_graph.pb --shape input=1x224x224x3\n"
            "  opsight estimate saved_model_folder/ --dim 'serving_default_input[0]=8'\n"
            "  opsight estimate resnet50.onnx --device l4 --unfused --limit 0 --format csv > layers.csv\n");
        return sub;
    }

    Result<int> run() override {
        OPSIGHT_ASSIGN(const report::Format format, report::parse_format(format_));
        OPSIGHT_ASSIGN(const query::EstimateQuestion question, read_question());
        OPSIGHT_ASSIGN(const importer::ModelOptions options, sizes_.read());
        OPSIGHT_ASSIGN(const ModelGraph graph, importer::import_model(path_, options));
        const cost::Network network(graph);
        const std::vector<query::EstimateAnswer> answers = query::answer_estimates(network, question);
        const std::vector<query::ChangedEstimate> changes = query::what_if(network, answers.front().settings);
        std::string text;
        if (summary_)
            text = report::render_estimate_summary(graph, answers.front());
        else if (format == report::Format::kJson)
            text = report::render_estimate_json(graph, answers, changes);
        else if (format == report::Format::kCsv)
            text = report::render_csv(answers.size() > 1 ? query::configuration_table(answers)
                                                         : query::layer_table(answers.front()));
        else
            text = tables(graph, answers, changes);
        if (!picture_.empty()) OPSIGHT_TRY(draw(graph, network, question, answers.front()));
        OPSIGHT_TRY(print_text(text));
        return 0;
    }

  private:
    Status draw(const ModelGraph& graph, const cost::Network& network, query::EstimateQuestion question,
                const query::EstimateAnswer& first) const {
        if (!first.settings.device)
            return fail(usage("a picture needs a device, whose peaks make the roofline",
                              "add --device; 'opsight devices' lists them"));
        if (question.batches.size() < 2) question.batches = report::picture_batches(graph);
        const std::string svg =
            report::render_estimate_picture(graph, first, query::answer_estimates(network, question));
        return write_new_file(picture_, force_, [&](const TakeText& take) { return take(svg); });
    }

    std::string tables(const ModelGraph& graph, const std::vector<query::EstimateAnswer>& answers,
                       const std::vector<query::ChangedEstimate>& changes) const {
        const int width = report::terminal_width(report::kWidthWhenPiped);
        std::string text = report::render_table(query::total_table(graph, answers.front()), width);
        if (answers.size() > 1)
            text += "\n" + report::render_table(query::configuration_table(answers), width);
        if (!changes.empty())
            text += "\n" + report::render_table(query::what_if_table(answers.front(), changes), width);
        return text + "\n" + report::render_table(shown_layers(answers.front()), width);
    }

    query::ResultTable shown_layers(const query::EstimateAnswer& answer) const {
        return query::costliest_layers(answer, static_cast<size_t>(limit_ < 0 ? kRowsOnTerminal : limit_));
    }

    Result<query::EstimateQuestion> read_question() const {
        query::EstimateQuestion question;
        hardware::DeviceTable table = hardware::DeviceTable::built_in();
        if (!device_file_.empty()) {
            OPSIGHT_ASSIGN(table, hardware::DeviceTable::with_file(device_file_));
        }
        for (const std::string& key : split_lists(devices_)) {
            OPSIGHT_ASSIGN(hardware::Device device, find_device(table, key));
            question.devices.push_back(std::move(device));
        }
        for (const std::string& text : split_lists(batches_)) {
            OPSIGHT_ASSIGN(const int64_t batch, whole_number(text, "--batch"));
            question.batches.push_back(static_cast<double>(batch));
        }
        for (const std::string& text : split_lists(formats_)) {
            const auto precision = hardware::parse_precision(text);
            if (!precision)
                return fail(usage(fmt::format("'{}' is not a number format", text),
                                  "use fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 or int4"));
            question.precisions.push_back(*precision);
        }
        if (!sparsity_.empty() && sparsity_ != "2:4")
            return fail(usage(fmt::format("sparsity '{}' is not known", sparsity_), "use 2:4"));
        if (!(derate_ > 0 && derate_ <= 1))
            return fail(usage("--derate must be above 0 and at most 1", "use 0.8"));
        question.common.train = train_;
        question.common.fuse = fuse_ && !summary_;  // torchinfo's layers are ops
        question.common.tf32 = tf32_;
        question.common.sparse = !sparsity_.empty();
        question.common.derate = derate_;
        if (optimizer_ == "sgd")
            question.common.optimizer = cost::Optimizer::kSgd;
        else if (optimizer_ == "momentum")
            question.common.optimizer = cost::Optimizer::kMomentum;
        else if (optimizer_ != "adam")
            return fail(
                usage(fmt::format("optimizer '{}' is not known", optimizer_), "use adam, momentum or sgd"));
        return question;
    }

    std::string path_, device_file_, sparsity_, optimizer_ = "adam", format_ = "table", picture_;
    std::vector<std::string> devices_, batches_, formats_;
    ModelSizes sizes_;
    double derate_ = 1;
    int64_t limit_ = -1;
    bool train_ = false, fuse_ = true, tf32_ = true, summary_ = false, force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_estimate_command() {
    return std::make_unique<EstimateCommand>();
}

}  // namespace opsight::cli
