#include "exports/stacks/speedscope.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "exports/format/output.h"
#include "exports/stacks/stacks.h"

namespace opsight::exports {
namespace {

class Writer {
  public:
    Writer(const Stacks& stacks, Output& output) : stacks_(stacks), output_(output) {}

    Status run(const std::string& name) {
        json_.begin_object().field("$schema", "https://www.speedscope.app/file-format-schema.json");
        json_.field("name", name).field("exporter", "opsight " OPSIGHT_VERSION);
        json_.object("shared", [&] {
            json_.list("frames", [&] {
                for (const std::string& frame : stacks_.frames)
                    json_.object([&] { json_.field("name", frame); });
            });
        });
        json_.key("profiles").begin_list();
        if (stacks_.device_ns > 0)
            OPSIGHT_TRY(profile("Device time", &StackNode::device_ns, stacks_.device_ns));
        OPSIGHT_TRY(profile("CPU time of ops", &StackNode::cpu_ns, stacks_.cpu_ns));
        json_.end_list().end_object();
        return move();
    }

  private:
    Status profile(std::string_view name, int64_t StackNode::*weight, int64_t sum) {
        json_.begin_object().field("type", "sampled").field("name", name).field("unit", "nanoseconds");
        json_.field("startValue", 0).field("endValue", sum);
        json_.key("samples").begin_list();
        for (size_t i = 0; i < stacks_.nodes.size(); ++i) {
            if (stacks_.nodes[i].*weight <= 0) continue;
            json_.value(stacks_.path_of(i));
            OPSIGHT_TRY(move());
        }
        json_.end_list().key("weights").begin_list();
        for (const StackNode& node : stacks_.nodes)
            if (node.*weight > 0) json_.value(node.*weight);
        json_.end_list().end_object();
        return move();
    }

    Status move() {
        output_.buffer() += json_.take();
        return output_.flush_some();
    }

    const Stacks& stacks_;
    Output& output_;
    JsonWriter json_;
};

Result<std::string> write(const Job& job) {
    OPSIGHT_ASSIGN(const Stacks stacks, read_stacks(job));
    OPSIGHT_ASSIGN(Output output, Output::create(job));
    OPSIGHT_TRY(Writer(stacks, output).run(job.profile));
    OPSIGHT_TRY(output.finish());
    return fmt::format("{} stacks of {} frames", stacks.nodes.size(), stacks.frames.size());
}

}  // namespace

Format speedscope_format() {
    return {"speedscope",
            ".speedscope.json",
            "the same stacks for speedscope.app: one profile of the CPU's time, one of the devices'",
            false,
            true,
            write};
}

}  // namespace opsight::exports
