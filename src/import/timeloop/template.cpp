#include "import/timeloop/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/small_file.h"

namespace opsight::importer::timeloop {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFiles = 256;
constexpr size_t kMostParts = 1 << 20;  // as of one file
constexpr size_t kDeepestInclude = 16, kLongest = size_t{16} << 20;

// The name and the quoted arguments of "include('a.yaml', 'b')".
struct Call {
    std::string name;
    std::vector<std::string> arguments;
};

std::string trimmed(const std::string& text) {
    constexpr const char* kBlanks = " \t\r\n";
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Nothing where it is not of this form.
std::optional<Call> call_of(const std::string& text) {
    const size_t open = text.find('(');
    if (open == std::string::npos || text.back() != ')') return std::nullopt;
    Call call{trimmed(text.substr(0, open)), {}};
    std::string rest = trimmed(text.substr(open + 1, text.size() - open - 2));
    while (!rest.empty()) {
        const char mark = rest[0];
        const size_t end = mark == '\'' || mark == '"' ? rest.find(mark, 1) : std::string::npos;
        if (end == std::string::npos) return std::nullopt;
        call.arguments.push_back(rest.substr(1, end - 1));
        rest = trimmed(rest.substr(end + 1));
        if (rest.empty()) break;
        if (rest[0] != ',') return std::nullopt;
        rest = trimmed(rest.substr(1));
    }
    return call;
}

size_t parts_in(const Tree& tree) {
    size_t parts = 1;
    for (const Tree& item : tree.items)
        parts += parts_in(item);
    for (const TreeMember& member : tree.members)
        parts += parts_in(member.value);
    return parts;
}

// One file, and what it includes.
class Renderer {
  public:
    struct Shared {
        const TemplateValues& values;
        int files = 0;
        size_t parts = 0;               // of all that was included
        std::vector<std::string> open;  // the files that are being read, each included by the one before
    };

    Renderer(Shared& shared, std::string path, std::vector<fs::path> folders)
        : shared_(shared), path_(std::move(path)), folders_(std::move(folders)) {
        folders_.insert(folders_.begin(), fs::path(path_).parent_path());
    }

    Result<Tree> tree(const std::string& text) {
        OPSIGHT_ASSIGN(const std::string plain, render(text));
        return parse_yaml(plain, path_, included_);
    }

    Result<std::string> render(const std::string& text) {
        std::string out;
        size_t at = 0, counted = 0;
        line_ = 1;
        while (true) {
            const size_t open = next_mark(text, at);
            out.append(text, at, open == std::string::npos ? open : open - at);
            if (open == std::string::npos) return out;
            const char kind = text[open + 1];
            const size_t close = text.find(kind == '{' ? "}}" : kind == '%' ? "%}" : "#}", open + 2);
            line_ += static_cast<int>(std::count(text.begin() + static_cast<long>(counted),
                                                 text.begin() + static_cast<long>(open), '\n'));
            counted = open;
            if (close == std::string::npos)
                return refuse(fmt::format("'{}' is not closed", text.substr(open, 2)),
                              "close it, or quote it");
            if (kind == '%')
                return refuse("statements of Jinja ({% ... %}) are not supported",
                              "write the file out, as 'python3 -c \"import jinja2; ...\"' does");
            if (kind == '{') {
                OPSIGHT_ASSIGN(const std::string filled,
                               fill(trimmed(text.substr(open + 2, close - open - 2))));
                out += filled;
            } else {  // the lines of a comment stay, so that those behind it have their numbers
                out.append(static_cast<size_t>(std::count(text.begin() + static_cast<long>(open),
                                                          text.begin() + static_cast<long>(close), '\n')),
                           '\n');
            }
            if (out.size() > kLongest) return refuse("it becomes larger than 16 MiB", "include less");
            at = close + 2;
        }
    }

  private:
    // Where "{{", "{%" or "{#" stands next, if not in a comment of YAML.
    static size_t next_mark(const std::string& text, size_t at) {
        for (size_t i = at; i + 1 < text.size(); ++i) {
            const bool comment =
                text[i] == '#' && (i == 0 || std::isspace(static_cast<unsigned char>(text[i - 1])) != 0);
            if (comment) {
                i = text.find('\n', i);
                if (i == std::string::npos) return i;
            } else if (text[i] == '{' && (text[i + 1] == '{' || text[i + 1] == '%' || text[i + 1] == '#')) {
                return i;
            }
        }
        return std::string::npos;
    }

    tl::unexpected<Error> refuse(std::string what, std::string remedy) const {
        return fail(std::move(what), path_, fmt::format("line {}", line_), std::move(remedy));
    }

    Result<std::string> fill(const std::string& inside) {
        if (const auto value = shared_.values.find(inside); value != shared_.values.end())
            return value->second;
        const std::optional<Call> call = call_of(inside);
        const size_t count = call ? call->arguments.size() : 0;
        if (call && call->name == "add_to_path" && count == 1) return add_folder(call->arguments[0]);
        if (call && call->name == "include_text" && count == 1) return text_of(call->arguments[0]);
        if (call && call->name == "include" && (count == 1 || count == 2))
            return include(call->arguments[0], count == 2 ? call->arguments[1] : std::string());
        if (call)
            return refuse(fmt::format("'{}' is not supported in a template", inside),
                          "include('FILE'), include('FILE', 'KEY'), include_text('FILE') and "
                          "add_to_path('FOLDER') are");
        return refuse(fmt::format("'{{{{{}}}}}' has no value", inside),
                      fmt::format("give one with --set {}=VALUE", inside.empty() ? "NAME" : inside));
    }

    Result<std::string> add_folder(const std::string& folder) {
        const fs::path found = fs::path(path_).parent_path() / folder;
        std::error_code problem;
        if (!fs::is_directory(found, problem))
            return refuse(fmt::format("there is no folder '{}'", found.string()), "check the path");
        folders_.push_back(found);
        return std::string();
    }

    Result<std::string> find(const std::string& name) const {
        std::string looked;
        for (const fs::path& folder : folders_) {
            const fs::path file = folder / name;
            std::error_code problem;
            if (fs::is_regular_file(file, problem)) return file.lexically_normal().string();
            looked += (looked.empty() ? "" : ", ") + file.lexically_normal().string();
        }
        return refuse(fmt::format("there is no file '{}' to include", name), "looked for: " + looked);
    }

    // Does something with an included file while it is open, so that it is not opened in itself.
    template <class Do>
    auto with_file(const std::string& name, const Do& what)
        -> decltype(what(std::declval<Renderer&>(), name)) {
        OPSIGHT_ASSIGN(const std::string file, find(name));
        std::error_code problem;
        const std::string same = fs::weakly_canonical(file, problem).string();
        if (std::find(shared_.open.begin(), shared_.open.end(), same) != shared_.open.end())
            return refuse(
                fmt::format("'{}' includes itself: {} > {}", name, fmt::join(shared_.open, " > "), same),
                "take out one of these includes");
        if (shared_.open.size() >= kDeepestInclude || ++shared_.files > kMostFiles)
            return refuse("too many files are included", "at most 256, nested up to 16 deep");
        OPSIGHT_ASSIGN(const std::string text, small_file(file, kLargestSettings));
        shared_.open.push_back(same);
        Renderer renderer(shared_, file, folders_);
        auto result = what(renderer, text);
        shared_.open.pop_back();
        return result;
    }

    Result<std::string> text_of(const std::string& name) {
        return with_file(name, [](Renderer& file, const std::string& text) { return file.render(text); });
    }

    Result<std::string> include(const std::string& name, const std::string& keys) {
        OPSIGHT_ASSIGN(Tree tree, with_file(name, [](Renderer& file, const std::string& text) {
                           return file.tree(text);
                       }));
        const Tree* part = &tree;
        for (size_t begin = 0; begin < keys.size();) {
            const size_t end = std::min(keys.find('.', begin), keys.size());
            const std::string key = keys.substr(begin, end - begin);
            part = part->find(key);
            if (part == nullptr)
                return refuse(fmt::format("'{}' has no '{}'", name, keys), "name a key that the file has");
            begin = end + 1;
        }
        shared_.parts += parts_in(*part);
        if (shared_.parts > kMostParts)
            return refuse(fmt::format("what is included has more than {} parts", kMostParts), "include less");
        included_.push_back(*part);
        return fmt::format("!included {}", included_.size() - 1);
    }

    Shared& shared_;
    std::string path_;
    std::vector<fs::path> folders_;
    std::vector<Tree> included_;
    int line_ = 1;
};

}  // namespace

Result<Tree> read_yaml_text(const std::string& text, const std::string& path, const TemplateValues& values) {
    std::error_code problem;
    Renderer::Shared shared{
        .values = values, .files = 1, .open = {fs::weakly_canonical(path, problem).string()}};
    return Renderer(shared, path, {}).tree(text);
}

Result<Tree> read_yaml_file(const std::string& path, const TemplateValues& values) {
    OPSIGHT_ASSIGN(const std::string text, small_file(path, kLargestSettings));
    return read_yaml_text(text, path, values);
}

}  // namespace opsight::importer::timeloop
