#include "import/timeloop/socs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/small_file.h"
#include "import/timeloop/architectures_data.h"
#include "import/timeloop/tree.h"

namespace opsight::importer::timeloop {
namespace {

constexpr size_t kMostSocEngines = 8;

class SocReader {
  public:
    explicit SocReader(const std::string& name) { soc_.name = name; }

    Result<Soc> read(const Tree& file) {
        const Tree* part = file.find("soc");
        if (part == nullptr || !part->is_map())
            return fail(file.error("a map with the key soc was expected",
                                   "write soc: {host: ..., engines: [...], links: [...]}"));
        OPSIGHT_TRY(known(*part, {"host", "engines", "links"}));
        OPSIGHT_TRY(read_engines(*part));
        OPSIGHT_ASSIGN(const std::string host, part->text_of("host", soc_.engines.front().name));
        OPSIGHT_ASSIGN(soc_.host, engine(*part, host));
        OPSIGHT_TRY(read_links(*part));
        return std::move(soc_);
    }

  private:
    static Status known(const Tree& map, std::initializer_list<std::string_view> keys) {
        for (const TreeMember& member : map.members)
            if (std::find(keys.begin(), keys.end(), member.key) == keys.end())
                return fail(member.value.error(fmt::format("'{}' is not known here", member.key),
                                               fmt::format("known are {}", fmt::join(keys, ", "))));
        return {};
    }

    static Result<double> above_zero(const Tree& map, const char* key, bool or_zero) {
        OPSIGHT_ASSIGN(const double value, map.number_of({key}, or_zero ? 0 : -1));
        if (!std::isfinite(value) || value < 0 || (value == 0 && !or_zero))
            return fail(
                map.error(fmt::format("{} must be a number {}", key, or_zero ? "of 0 or more" : "above 0"),
                          fmt::format("write {}: 1000000000", key)));
        return value;
    }

    Result<size_t> engine(const Tree& at, const std::string& name) const {
        for (size_t i = 0; i < soc_.engines.size(); ++i)
            if (soc_.engines[i].name == name) return i;
        std::vector<std::string> names;
        for (const SocEngine& each : soc_.engines)
            names.push_back(each.name);
        return fail(at.error(fmt::format("there is no engine '{}'", name),
                             fmt::format("the engines are {}", fmt::join(names, ", "))));
    }

    Status read_engines(const Tree& part) {
        const Tree* engines = part.find("engines");
        if (engines == nullptr || !engines->is_list() || engines->items.empty() ||
            engines->items.size() > kMostSocEngines)
            return fail(part.error(fmt::format("engines must be a list of 1 to {}", kMostSocEngines),
                                   "write engines: [{name: CPU, arch: phone-cpu, clock_hz: 2800000000}]"));
        for (const Tree& each : engines->items) {
            if (!each.is_map())
                return fail(each.error("an engine is a map", "write {name: ..., arch: ..., clock_hz: ...}"));
            OPSIGHT_TRY(known(each, {"name", "arch", "file", "clock_hz"}));
            SocEngine engine;
            OPSIGHT_ASSIGN(engine.name, each.text_of("name", ""));
            OPSIGHT_ASSIGN(engine.arch, each.text_of("arch", ""));
            OPSIGHT_ASSIGN(engine.file, each.text_of("file", ""));
            OPSIGHT_ASSIGN(engine.clock_hz, above_zero(each, "clock_hz", false));
            if (engine.name.empty() || engine.name == "*")
                return fail(each.error("an engine has no name", "write name: CPU"));
            if (engine.arch.empty() == engine.file.empty())
                return fail(each.error(fmt::format("engine {} needs arch or file, and not both", engine.name),
                                       "write arch: NAME of 'opsight map --list', or file: PATH"));
            if (!engine.arch.empty())
                if (const auto found = find_architecture(engine.arch); !found)
                    return fail(each.error(found.error().what, found.error().remedy));
            for (const SocEngine& before : soc_.engines)
                if (before.name == engine.name)
                    return fail(
                        each.error(fmt::format("two engines are called {}", engine.name), "rename one"));
            soc_.engines.push_back(std::move(engine));
        }
        return {};
    }

    // Those that "*" or a name means.
    Result<std::vector<size_t>> ends(const Tree& link, const char* key) const {
        OPSIGHT_ASSIGN(const std::string name, link.text_of(key, "*"));
        std::vector<size_t> all;
        for (size_t i = 0; i < soc_.engines.size(); ++i)
            all.push_back(i);
        if (name == "*") return all;
        OPSIGHT_ASSIGN(const size_t one, engine(link, name));
        return std::vector<size_t>{one};
    }

    // A later one goes before an earlier one.
    Status read_links(const Tree& part) {
        const size_t count = soc_.engines.size();
        soc_.links.resize(count * count);
        const Tree* links = part.find("links");
        if (links != nullptr && !links->is_list())
            return fail(links->error("links must be a list", "write links: [...]"));
        if (links != nullptr)
            for (const Tree& each : links->items) {
                if (!each.is_map())
                    return fail(
                        each.error("a link is a map", "write {from: CPU, to: GPU, bytes_per_s: ...}"));
                OPSIGHT_TRY(known(each, {"from", "to", "bytes_per_s", "latency_s", "pj_per_byte"}));
                SocLink link;
                OPSIGHT_ASSIGN(link.bytes_per_s, above_zero(each, "bytes_per_s", false));
                OPSIGHT_ASSIGN(link.latency_s, above_zero(each, "latency_s", true));
                OPSIGHT_ASSIGN(link.pj_per_byte, above_zero(each, "pj_per_byte", true));
                OPSIGHT_ASSIGN(const std::vector<size_t> from, ends(each, "from"));
                OPSIGHT_ASSIGN(const std::vector<size_t> to, ends(each, "to"));
                for (const size_t a : from)
                    for (const size_t b : to)
                        soc_.links[a * count + b] = link;
            }
        for (size_t i = 0; i < soc_.links.size(); ++i)
            if (i / count != i % count && soc_.links[i].bytes_per_s == 0)
                return fail(part.error(fmt::format("no link goes from {} to {}", soc_.engines[i / count].name,
                                                   soc_.engines[i % count].name),
                                       "add one to links; \"*\" stands for all engines"));
        return {};
    }

    Soc soc_;
};

}  // namespace

std::span<const ShippedArchitecture> shipped_socs() {
    return kShippedSocs;
}

Result<Soc> read_soc_text(const std::string& text, const std::string& name) {
    OPSIGHT_ASSIGN(const Tree tree, parse_yaml(text, name));
    return SocReader(name).read(tree);
}

Result<Soc> read_soc(const std::string& name_or_file) {
    for (const ShippedArchitecture& each : kShippedSocs)
        if (each.name == name_or_file) return read_soc_text(std::string(each.yaml), name_or_file);
    if (!name_or_file.ends_with(".yaml") && !name_or_file.ends_with(".yml"))
        return fail(fmt::format("there is no SoC '{}'", name_or_file), {}, {},
                    "'opsight map --list' names those that are there; others are given as files (*.yaml)");
    OPSIGHT_ASSIGN(const std::string text, small_file(name_or_file, kLargestSettings));
    OPSIGHT_ASSIGN(Soc soc, read_soc_text(text, name_or_file));
    // Files are named from where the SoC's own lies.
    for (SocEngine& engine : soc.engines)
        if (!engine.file.empty())
            engine.file = (std::filesystem::path(name_or_file).parent_path() / engine.file).string();
    return soc;
}

}  // namespace opsight::importer::timeloop
