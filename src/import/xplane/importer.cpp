#include "import/xplane/importer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "import/protobuf/parts.h"
#include "import/text/clean_text.h"
#include "import/xplane/device_plane.h"
#include "import/xplane/host_plane.h"

namespace opsight::importer::xplane {
namespace {

using protobuf::Part;
using protobuf::PartReader;

// Field numbers of XSpace. A plane is held whole, for the names of its events stand behind them.
constexpr int kPlane = 1, kErrors = 2, kWarnings = 3, kHostnames = 4;

// Lines count their times from 1970, or (today) from the begin of the profile; none lasts a year.
constexpr int64_t kYear = int64_t{365} * 24 * 3600 * 1'000'000'000;

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder)
        : file_(file),
          reader_(file.source),
          builder_(builder),
          before_(builder.row_counts()),
          sink_(builder, file.begin_rank(builder), file.name) {}

    Result<ImportFacts> run() {
        Part part;
        for (;;) {
            OPSIGHT_ASSIGN(const bool any, reader_.next(part));
            if (!any) break;
            OPSIGHT_TRY(take(part));
            file_.tell_progress();
        }
        if (sink_.events == 0 && was_cut_)
            return fail(
                "ends within its first plane of events, before their names: nothing of it can be read",
                file_.name, fmt::format("byte {}", reader_.bytes()), "copy the file again, or record again");
        if (sink_.events == 0)
            return fail("is a profile in XPlane form without events", file_.name, {},
                        "profile while the program works: at least one step between start and stop");
        sink_.add_steps();
        add_facts();
        return ImportFacts{1, reader_.bytes(), sink_.events};
    }

  private:
    Status take(const Part& part) {
        if (part.is_cut) {
            was_cut_ = true;
            sink_.note(Diag::kTruncatedInput,
                       fmt::format("ends within what begins at byte {}, which was left out", part.begin));
            return {};
        }
        if (part.number == kErrors || part.number == kWarnings)
            sink_.note(Diag::kSourceWarning, clean(part.bytes));
        if (part.number == kHostnames) builder_.rank(sink_.rank).host = clean(part.bytes);
        return part.number == kPlane ? take_plane(part) : Status();
    }

    static std::string clean(std::string text) {
        clean_text(text);
        return text;
    }

    Status take_plane(const Part& part) {
        Plane plane;
        if (!plane.read(part.bytes))
            return fail(fmt::format("is damaged: the plane \"{}\" holds no messages of one",
                                    clean(std::string(plane.name()))),
                        file_.name, fmt::format("byte {}", part.begin),
                        "copy the file again, in binary mode: what has passed through a text editor or a "
                        "text column is lost");
        for (const auto& [stat, value] : plane.stats())
            if (stat == Stat::kProfileStart) sink_.profile_start = value.integer;
        if (const DevicePlane device = device_of_name(plane.name()); device.type != DeviceType::kNone)
            read_device_plane(plane, device, sink_);
        else if (plane.name() == "/host:metadata")
            take_programs(plane);
        else if (plane.name().starts_with("/host:"))
            read_host_plane(plane, sink_);
        else
            pass_over(plane);
        return {};
    }

    void take_programs(const Plane& plane) {
        if (const int64_t unread = sink_.programs.read(plane); unread > 0)
            builder_.diagnostics().add(Diag::kBadHeader, {file_.name, -1, -1, "a program of XLA"}, unread);
    }

    // Planes of other devices and of networks, which Opsight does not know.
    void pass_over(const Plane& plane) {
        int64_t events = 0;
        for (const Line& line : plane.lines())
            events += std::ssize(line.events);
        if (events > 0)
            builder_.diagnostics().add(Diag::kUnreadTable,
                                       {file_.name, -1, -1, clean(std::string(plane.name()))}, events);
    }

    void add_facts() {
        const std::string damage = file_.source.damage();
        if (!damage.empty()) sink_.note(Diag::kTruncatedInput, damage);
        ProfileInfo& info = builder_.info();
        info.producer = "XLA profiler (XPlane)";
        info.sources.push_back(file_.name);
        if (sink_.has_jax) name_framework("JAX");
        if (sink_.has_tensorflow) name_framework("TensorFlow");
        const int64_t start = sink_.profile_start;
        if (start > kYear && start < kMaxNs && sink_.latest < kYear && !builder_.shift_times(before_, start))
            sink_.note(Diag::kBadHeader, "profile_start_time");
    }

    void name_framework(const std::string& name) {
        std::vector<std::string>& all = builder_.info().frameworks;
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }

    const OneFile& file_;
    PartReader reader_;
    ProfileBuilder& builder_;
    const RowCounts before_;
    Sink sink_;
    bool was_cut_ = false;
};

}  // namespace

Result<ImportFacts> import_profile(const OneFile& file, ProfileBuilder& builder) {
    return Import(file, builder).run();
}

}  // namespace opsight::importer::xplane
