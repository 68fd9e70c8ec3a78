#include "import/stacks/pprof.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/utf8.h"
#include "import/stacks/pprof_profile.h"
#include "import/stacks/samples.h"
#include "import/text/clean_text.h"

namespace opsight::importer::stacks {
namespace {

constexpr size_t kMostProfile = size_t{1} << 30;
constexpr const char* kWanted = "give a CPU profile, whose values are samples, or time and a period";

Result<std::string> read_profile(const OneFile& file) {
    std::string bytes;
    for (std::string chunk(size_t{1} << 16, '\0');;) {
        OPSIGHT_ASSIGN(const size_t got, file.source.read(chunk.data(), chunk.size()));
        if (got == 0) return bytes;
        if (bytes.size() + got > kMostProfile)
            return fail("profiles of pprof larger than 1 GiB are not read", file.name, {},
                        "record for a shorter time");
        bytes.append(chunk, 0, got);
        file.tell_progress();
    }
}

// How many samples a row stands for.
struct Counting {
    size_t value = 0;     // which one of the row tells
    int64_t divisor = 1;  // a period, where that is time
};

bool is_time(std::string_view unit) {
    return unit == "nanoseconds" || unit == "microseconds" || unit == "milliseconds" || unit == "seconds";
}

std::optional<Counting> counting_of(const PprofProfile& profile) {
    const auto& types = profile.types();
    for (size_t i = 0; i < types.size(); ++i)
        if (types[i].unit == "count" && (types[i].type == "samples" || types[i].type == "sample"))
            return Counting{i, 1};
    const PprofProfile::ValueType period = profile.period_type();
    for (size_t i = 0; i < types.size(); ++i)
        if (is_time(types[i].unit) && types[i].type == period.type && types[i].unit == period.unit &&
            profile.period() > 0)
            return Counting{i, profile.period()};
    return std::nullopt;
}

class Import {
  public:
    Import(const OneFile& file, ProfileBuilder& builder, int64_t most)
        : file_(file), builder_(builder), most_(most) {}

    Result<ImportFacts> run() {
        OPSIGHT_ASSIGN(const std::string bytes, read_profile(file_));
        const bool whole = profile_.read(bytes);
        const std::optional<Counting> counting = counting_of(profile_);
        if (!counting)
            return fail(fmt::format("is a profile of pprof with {}, not with samples of CPUs", types()),
                        file_.name, {}, kWanted);
        Samples samples(file_, builder_, most_);
        OPSIGHT_TRY(add_all(samples, *counting));
        if (samples.count() == 0)
            return fail("is a profile of pprof without a sample", file_.name, {},
                        "record again, for a longer time");
        if (!whole) samples.note(Diag::kTruncatedInput, "the profile breaks off or is damaged");
        file_.note_damage(builder_);
        add_facts();
        return ImportFacts{1, bytes.size(), samples.count()};
    }

  private:
    // "inuse_space (bytes), ..."
    std::string types() const {
        std::string names;
        for (const auto& [type, unit] : profile_.types())
            names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", clean(type), clean(unit));
        return names.empty() ? "no values" : names.substr(0, 200);
    }

    static std::string clean(std::string_view text) {
        std::string cleaned(text);
        clean_text(cleaned);
        return cleaned;
    }

    Status add_all(Samples& samples, const Counting& counting) {
        PprofProfile::Sample row;
        int64_t number = 0;
        for (const std::string_view message : profile_.samples()) {
            const std::string place = fmt::format("sample {}", ++number);
            const bool good = profile_.read_sample(message, row);
            if (!good || row.values.size() <= counting.value || row.values[counting.value] < 0) {
                samples.note(Diag::kBadEvent, place);
                continue;
            }
            const int64_t value = row.values[counting.value];
            const int64_t count = value / counting.divisor +
                                  (value % counting.divisor * 2 >= counting.divisor && counting.divisor > 1);
            OPSIGHT_TRY(samples.add(stack_of(row, samples, place), count,
                                    samples.thread(0, std::max<int64_t>(0, row.tid), intern(row.thread)),
                                    place));
        }
        return {};
    }

    const std::vector<std::string_view>& stack_of(const PprofProfile::Sample& row, Samples& samples,
                                                  const std::string& place) {
        functions_.clear();
        for (const uint64_t location : row.locations)
            if (functions_.size() <= Samples::kMostFrames &&
                !profile_.add_functions(location, Samples::kMostFrames + 1, functions_)) {
                samples.note(Diag::kDanglingId, fmt::format("{}: location {}", place, location));
                functions_.emplace_back("(name lost)");
            }
        for (std::string_view& function : functions_)
            function = intern(cut_utf8(function, Samples::kMostName + 4));
        if (functions_.empty()) functions_.emplace_back("(no call chain)");
        return functions_;
    }

    // A text that lives as long as the profile.
    std::string_view intern(std::string_view text) {
        return is_clean(text) ? text : builder_.view(builder_.text(clean(text)));
    }

    void add_facts() {
        ProfileInfo& info = builder_.info();
        info.producer = "pprof";
        if (profile_.duration_ns() > 0)
            info.properties.emplace_back("profile duration", fmt::format("{} ns", profile_.duration_ns()));
        const PprofProfile::ValueType period = profile_.period_type();
        if (profile_.period() > 0)
            info.properties.emplace_back(
                "sampling period",
                fmt::format("{} {} of {}", profile_.period(), clean(period.unit), clean(period.type)));
    }

    const OneFile& file_;
    ProfileBuilder& builder_;
    const int64_t most_;
    PprofProfile profile_;
    std::vector<std::string_view> functions_;
};

}  // namespace

Result<ImportFacts> import_pprof(const OneFile& file, ProfileBuilder& builder, int64_t most) {
    return Import(file, builder, most).run();
}

}  // namespace opsight::importer::stacks
