#include "import/timeloop/tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>

namespace opsight::importer::timeloop {
namespace {

constexpr int kMostNodes = 1 << 20, kDeepestTree = 64;
constexpr size_t kMostMembers = 4096;  // of one map: they are looked for one by one
constexpr const char* kRemedy = "docs/MAPPING.md shows the form of the files";

struct Refusal {
    std::string what;
    int line = 0;
    const char* remedy = kRemedy;
};

// Keeps where the last document starts, and nothing of what is in it.
class DocumentStart : public YAML::EventHandler {
  public:
    int line = 0;

    void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
};

// The library takes text behind a document for documents without end, so that it must not be asked for all.
void refuse_several_documents(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStart start;
    if (parser.HandleNextDocument(start) && parser.HandleNextDocument(start))
        throw Refusal{"several YAML documents stand in the file, or text behind the first one", start.line,
                      "give one of them: the text between two lines of ---"};
}

class Copier {
  public:
    Copier(std::shared_ptr<const std::string> file, const std::vector<Tree>& included)
        : file_(std::move(file)), included_(included) {}

    Tree copy(const YAML::Node& node, int depth) {
        const int line = node.Mark().line + 1;
        if (depth > kDeepestTree) throw Refusal{fmt::format("deeper than {} levels", kDeepestTree), line};
        if (++nodes_ > kMostNodes) throw Refusal{fmt::format("more than {} parts", kMostNodes), line};
        Tree tree;
        tree.line = line;
        tree.file = file_;
        // "?" and "!" are the library's words for no tag.
        if (node.Tag().size() > 1) tree.tag = node.Tag();
        tree.quoted = node.Tag() == "!";
        if (node.IsScalar() && tree.tag == "!included") return included(node.Scalar(), line);
        if (node.IsScalar()) {
            tree.kind = Tree::Kind::kText;
            tree.text = node.Scalar();
        } else if (node.IsSequence()) {
            tree.kind = Tree::Kind::kList;
            for (const YAML::Node& item : node)
                tree.items.push_back(copy(item, depth + 1));
        } else if (node.IsMap()) {
            tree.kind = Tree::Kind::kMap;
            copy_members(node, depth, tree);
        }
        return tree;
    }

  private:
    Tree included(const std::string& number, int line) {
        size_t place = included_.size();
        std::from_chars(number.data(), number.data() + number.size(), place);
        if (place >= included_.size())
            throw Refusal{"!included is not for files: write {{include('FILE')}}", line};
        count(included_[place], line);
        return included_[place];
    }

    // What is included many times counts each time.
    void count(const Tree& tree, int line) {
        if (++nodes_ > kMostNodes) throw Refusal{fmt::format("more than {} parts", kMostNodes), line};
        for (const Tree& item : tree.items)
            count(item, line);
        for (const TreeMember& member : tree.members)
            count(member.value, line);
    }

    void copy_members(const YAML::Node& node, int depth, Tree& into) {
        std::vector<std::pair<Tree, bool>> merged;
        for (const auto& entry : node) {
            if (!entry.first.IsScalar()) throw Refusal{"a key must be a text", entry.first.Mark().line + 1};
            Tree value = copy(entry.second, depth + 1);
            if (entry.first.Scalar() == "<<" || entry.first.Scalar() == "<<<")
                merged.emplace_back(std::move(value), entry.first.Scalar() == "<<<");
            else
                into.members.push_back({entry.first.Scalar(), std::move(value)});
        }
        for (const auto& [tree, deep] : merged)
            merge(tree, deep, into);
        if (into.members.size() > kMostMembers)
            throw Refusal{fmt::format("a map has more than {} keys", kMostMembers), into.line};
        for (size_t i = 0; i < into.members.size(); ++i)
            if (into.find(into.members[i].key) != &into.members[i].value &&
                into.members[i].value.kind != Tree::Kind::kEmpty)
                throw Refusal{fmt::format("the key '{}' is there twice", into.members[i].key), into.line};
    }

    // What is written goes before what is merged in.
    void merge(const Tree& from, bool deep, Tree& into) {
        for (const Tree& item : from.items)
            merge(item, deep, into);
        for (const auto& [key, value] : from.members) {
            const auto own = std::find_if(into.members.begin(), into.members.end(),
                                          [&key = key](const auto& member) { return member.key == key; });
            if (own == into.members.end()) {
                into.members.push_back({key, value});
                if (into.members.size() > kMostMembers)
                    throw Refusal{fmt::format("a map has more than {} keys", kMostMembers), into.line};
            } else if (deep && own->value.is_map() && value.is_map()) {
                merge(value, deep, own->value);
            }
        }
    }

    std::shared_ptr<const std::string> file_;
    const std::vector<Tree>& included_;
    int nodes_ = 0;
};

}  // namespace

const Tree* Tree::find(std::string_view key) const {
    for (const auto& [name, value] : members)
        if (name == key) return value.kind == Kind::kEmpty ? nullptr : &value;
    return nullptr;
}

const Tree* Tree::find(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys)
        if (const Tree* found = find(key)) return found;
    return nullptr;
}

Error Tree::error(std::string what, std::string remedy) const {
    return {std::move(what), file ? *file : std::string(), fmt::format("line {}", line),
            remedy.empty() ? kRemedy : std::move(remedy)};
}

Result<std::string> Tree::text_of(std::string_view key, std::string fallback) const {
    const Tree* value = find(key);
    if (value == nullptr) return fallback;
    if (!value->is_text()) return fail(value->error(fmt::format("{} must be a text", key)));
    return value->text;
}

Result<int64_t> Tree::whole() const {
    OPSIGHT_ASSIGN(const double value, number());
    if (value != std::floor(value) || std::abs(value) > 1e15)
        return fail(error(fmt::format("'{}' is not a whole number", text)));
    return static_cast<int64_t>(value);
}

Result<double> Tree::number() const {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (!is_text() || text.empty() || stop != end || problem != std::errc() || !std::isfinite(value))
        return fail(
            error(is_text() ? fmt::format("'{}' is not a number", text) : "a number was expected here"));
    return value;
}

Result<int64_t> Tree::whole_of(std::initializer_list<std::string_view> keys, int64_t fallback) const {
    const Tree* value = find(keys);
    return value == nullptr ? Result<int64_t>(fallback) : value->whole();
}

Result<double> Tree::number_of(std::initializer_list<std::string_view> keys, double fallback) const {
    const Tree* value = find(keys);
    return value == nullptr ? Result<double>(fallback) : value->number();
}

Result<Tree> parse_yaml(const std::string& text, const std::string& name, const std::vector<Tree>& included) {
    const auto file = std::make_shared<const std::string>(name);
    try {
        refuse_several_documents(text);
        return Copier(file, included).copy(YAML::Load(text), 0);
    } catch (const Refusal& refusal) {
        return fail(refusal.what, name, fmt::format("line {}", refusal.line), refusal.remedy);
    } catch (const YAML::Exception& problem) {
        return fail("not YAML: " + problem.msg, name, fmt::format("line {}", problem.mark.line + 1), kRemedy);
    }
}

}  // namespace opsight::importer::timeloop
