// Finds out which of TensorFlow's messages a file holds, in binary or in text, and what is asked of its
// graph.
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "import/graphdef/builder.h"
#include "import/model/model_import.h"

namespace opsight::importer {
namespace graphdef {
namespace {

constexpr std::array<std::string_view, 4> kGraphFields = {"node", "library", "versions", "version"};
constexpr std::array<std::string_view, 6> kMetaFields = {"meta_info_def",  "graph_def",     "saver_def",
                                                         "collection_def", "signature_def", "asset_file_def"};
constexpr std::array<std::string_view, 2> kSavedFields = {"saved_model_schema_version", "meta_graphs"};

// The first word of a text that is not a comment, where a brace or a colon follows.
std::string_view first_field(std::string_view text) {
    size_t at = 0;
    while (at < text.size() && (std::isspace(static_cast<unsigned char>(text[at])) != 0 || text[at] == '#'))
        at = text[at] == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
    size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
    size_t next = end;
    while (next < text.size() && text[next] == ' ')
        ++next;
    const bool field = next < text.size() && (text[next] == '{' || text[next] == ':');
    return field ? text.substr(at, end - at) : std::string_view();
}

template <class List>
bool contains(const List& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

class FirstError : public google::protobuf::io::ErrorCollector {
  public:
    void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
        if (!what_.empty()) return;
        what_ = message;
        place_ = fmt::format("line {}, column {}", line + 1, column + 1);
    }
    Error error() const {
        return {.what = "the text is not a graph: " + what_,
                .place = place_,
                .remedy = "write it again with TensorFlow"};
    }

  private:
    std::string what_, place_;
};

Status parse_text(std::string_view text, google::protobuf::Message& to) {
    google::protobuf::TextFormat::Parser parser;
    FirstError problem;
    parser.RecordErrorsTo(&problem);
    parser.AllowUnknownField(true);
    parser.SetRecursionLimit(100);
    if (!parser.ParseFromString(std::string(text), &to)) return fail(problem.error());
    return {};
}

bool parse_binary(std::string_view bytes, google::protobuf::Message& to) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    stream.SetTotalBytesLimit(INT32_MAX);
    return to.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

bool is_name(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '>' || c == '.';
    });
}

// Other messages can be parsed as a graph too; then what should be names of ops is not.
bool is_graph(const file::GraphDef& graph) {
    return graph.node_size() > 0 &&
           std::all_of(graph.node().begin(), graph.node().end(),
                       [](const file::NodeDef& node) { return !node.name().empty() && is_name(node.op()); });
}

// One of them holds the graph.
struct Messages {
    file::GraphDef graph;
    file::MetaGraphDef meta;
    file::SavedModel saved;
};

Source of_meta(const file::MetaGraphDef& meta, std::string_view what) {
    Source source;
    source.graph = &meta.graph_def();
    source.format = what;
    if (!meta.meta_info_def().tensorflow_version().empty())
        source.producer = "TensorFlow " + meta.meta_info_def().tensorflow_version();
    // A map has no order: the usual name, else the first that asks for tensors.
    const file::SignatureEntry* chosen = nullptr;
    for (const file::SignatureEntry& entry : meta.signature_def()) {
        const auto& outputs = entry.value().outputs();
        const bool asks = std::any_of(outputs.begin(), outputs.end(), [](const file::TensorEntry& output) {
            return output.value().name().find(':') != std::string::npos;
        });
        if (!asks || (chosen && chosen->key() == "serving_default")) continue;
        if (!chosen || entry.key() == "serving_default" || entry.key() < chosen->key()) chosen = &entry;
    }
    if (!chosen) return source;
    source.signature = &chosen->value();
    source.signature_name = chosen->key();
    return source;
}

std::optional<Source> of_saved(const file::SavedModel& saved) {
    const file::MetaGraphDef* found = nullptr;
    for (const file::MetaGraphDef& meta : saved.meta_graphs()) {
        if (!is_graph(meta.graph_def())) continue;
        const auto& tags = meta.meta_info_def().tags();
        const bool serves = std::find(tags.begin(), tags.end(), "serve") != tags.end();
        if (!found || serves) found = &meta;
        if (serves) break;
    }
    return found ? std::optional(of_meta(*found, "TensorFlow SavedModel")) : std::nullopt;
}

Source of_graph(const file::GraphDef& graph) {
    Source source;
    source.graph = &graph;
    source.format = "TensorFlow GraphDef";
    if (graph.versions().producer() > 0)
        source.producer = fmt::format("graph version {}", graph.versions().producer());
    return source;
}

Result<std::optional<Source>> read_text(std::string_view bytes, Messages& to) {
    const std::string_view field = first_field(bytes);
    if (contains(kGraphFields, field)) {
        OPSIGHT_TRY(parse_text(bytes, to.graph));
        if (is_graph(to.graph)) return of_graph(to.graph);
    } else if (contains(kMetaFields, field)) {
        OPSIGHT_TRY(parse_text(bytes, to.meta));
        if (is_graph(to.meta.graph_def())) return of_meta(to.meta, "TensorFlow MetaGraph");
    } else if (contains(kSavedFields, field)) {
        OPSIGHT_TRY(parse_text(bytes, to.saved));
        return of_saved(to.saved);
    }
    return std::optional<Source>();
}

std::optional<Source> read_binary(std::string_view bytes, Messages& to) {
    if (parse_binary(bytes, to.saved))
        if (std::optional<Source> source = of_saved(to.saved)) return source;
    if (parse_binary(bytes, to.meta) && is_graph(to.meta.graph_def()))
        return of_meta(to.meta, "TensorFlow MetaGraph");
    if (parse_binary(bytes, to.graph) && is_graph(to.graph)) return of_graph(to.graph);
    return std::nullopt;
}

}  // namespace
}  // namespace graphdef

Result<std::optional<ModelGraph>> import_graphdef(std::string_view bytes, const ModelOptions& options) {
    graphdef::Messages messages;
    OPSIGHT_ASSIGN(std::optional<graphdef::Source> source, graphdef::read_text(bytes, messages));
    if (!source) source = graphdef::read_binary(bytes, messages);
    if (!source) return std::optional<ModelGraph>();
    OPSIGHT_ASSIGN(ModelGraph graph, graphdef::Builder(*source, options).build());
    return std::optional(std::move(graph));
}

}  // namespace opsight::importer
