#include "analyze/model_match.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "analyze/model_types.h"
#include "analyze/node_names.h"

namespace opsight::analyze {
namespace {

constexpr int kNever = -1;
constexpr int32_t kSeveral = -2;
// What speaks for an op being a node; zero speaks for nothing, but the types agree.
constexpr int kOtherSizes = 1, kNoSizes = 2, kSameSizes = 4, kSameLayer = 12;
constexpr size_t kMostCells = size_t{1} << 24;  // of the table of one alignment

// The shapes in "[[32, 3, 224, 224], [64, 3, 7, 7], []]"; none where the text is another.
std::vector<std::vector<int64_t>> read_shapes(std::string_view text) {
    std::vector<std::vector<int64_t>> shapes;
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[') {
            if (++depth == 2) shapes.emplace_back();
        } else if (c == ']') {
            --depth;
        } else if (c >= '0' && c <= '9' && depth >= 1) {
            int64_t value = 0;
            for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
                value = std::min<int64_t>(value * 10 + (text[i] - '0'), int64_t{1} << 50);
            --i;
            if (depth == 2) shapes.back().push_back(value);
        }
    }
    return shapes;
}

bool same_sizes(std::vector<int64_t> a, std::vector<int64_t> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    return a == b;
}

// But for the batch, which may be another.
bool same_but_batch(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    return a.size() == b.size() && (a.empty() || std::equal(a.begin() + 1, a.end(), b.begin() + 1));
}

bool multiplies(const std::string& type) {
    return type == "conv" || type == "convtranspose" || type == "gemm" || type == "matmul";
}

const ModelTensor* weight_of(const ModelGraph& graph, const ModelNode& node) {
    const ModelTensor* weight = node.inputs.size() > 1 ? graph.tensor(node.inputs[1]) : nullptr;
    return weight && weight->constant && weight->shape_known ? weight : nullptr;
}

// Ops of TensorFlow bear the whole name of a node. Engines, runtimes and timelines name ops by their type,
// and their layers by the nodes. -1: neither.
int32_t node_of_name(const NodeNames& names, const RunOp& op, const std::vector<std::string_view>& types) {
    int32_t named = names.named(op.name);
    if (named < 0 && !op.layer.empty()) named = names.named(op.layer + "/" + op.name);
    if (named >= 0 && op.name.find('/') != op.name.npos) return named;
    return op.layer.empty() ? -1 : names.ran_as(op.layer, types);
}

std::string without_root(std::string_view path) {
    const size_t at = path.find('/');
    return at == path.npos ? std::string() : std::string(path.substr(at + 1));
}

}  // namespace

ModelMatcher::ModelMatcher(const ModelGraph& graph, const ModelGroups& groups, const std::vector<RunOp>& ops)
    : graph_(graph), ops_(ops) {
    find_layers(ops);
    std::set<std::string, std::less<>> present;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const ModelNode& node = graph.nodes[n];
        node_types_.push_back(plain_type(node.op_type));
        node_layer_.push_back(layer_of(groups.path[n]));
        if (node.folded) continue;
        present.insert(node_types_.back());
        nodes_.push_back(static_cast<int32_t>(n));
        if (multiplies(node_types_.back()) && weight_of(graph, node)) ++products_;
    }
    const NodeNames names(graph, node_types_);
    for (const RunOp& op : ops) {
        std::vector<std::string_view> types;
        const std::string plain = plain_type(op.type);
        for (const std::string_view type : node_types_of(plain))
            if (present.contains(type)) types.push_back(*present.find(type));
        if (const auto same = present.find(plain); same != present.end()) types.push_back(*same);
        // The texts of `types` must outlive `present`: those of the nodes do.
        for (std::string_view& type : types)
            type = *std::find(node_types_.begin(), node_types_.end(), type);
        types_.push_back(std::move(types));
        shapes_.push_back(read_shapes(op.shapes));
        direct_.push_back(node_of_name(names, op, types_.back()));
        own_sizes_ |= ran_at_own_sizes(direct_.back(), shapes_.back());
    }
}

// Whether the op that is known to be the node had what the file says to go in, places or steps included.
bool ModelMatcher::ran_at_own_sizes(int32_t node, const std::vector<std::vector<int64_t>>& shapes) const {
    if (node < 0 || shapes.empty()) return false;
    const std::vector<TensorId>& inputs = graph_.nodes[static_cast<size_t>(node)].inputs;
    const ModelTensor* input = inputs.empty() ? nullptr : graph_.tensor(inputs[0]);
    return input && input->shape_known && input->shape.size() >= 3 && same_but_batch(input->shape, shapes[0]);
}

void ModelMatcher::find_layers(const std::vector<RunOp>& ops) {
    std::set<std::pair<std::string, int32_t>> seen;
    for (const RunOp& op : ops)
        if (op.layer_id >= 0) seen.emplace(module_path(op.layer), op.layer_id);
    std::map<std::string, int32_t, std::less<>> below;
    const auto add = [](auto& to, const std::string& path, int32_t layer) {
        const auto [it, is_new] = to.try_emplace(path, layer);
        if (!is_new && it->second != layer) it->second = kSeveral;
    };
    for (const auto& [path, layer] : seen) {
        add(layers_, path, layer);
        // A framework's name for the whole comes first; a file's paths begin below it.
        add(below, without_root(path), layer);
    }
    layers_.merge(below);
    layers_.erase("");
}

int32_t ModelMatcher::layer_of(const std::string& path) const {
    // A module that runs several times is "relu", "relu_1", ... in a file.
    std::string_view once = path;
    while (!once.empty() && once.back() >= '0' && once.back() <= '9')
        once.remove_suffix(1);
    once = once.ends_with('_') ? once.substr(0, once.size() - 1) : path;
    for (const std::string& each : {path, without_root(path), std::string(once), without_root(once)}) {
        const auto found = layers_.find(each);
        if (found != layers_.end() && found->second >= 0) return found->second;
    }
    return -1;
}

bool ModelMatcher::same_layer(int32_t op, int32_t node) const {
    const int32_t layer = node_layer_[static_cast<size_t>(node)];
    return layer >= 0 && layer == ops_[static_cast<size_t>(op)].layer_id;
}

int64_t ModelMatcher::batch_of(int32_t op, int32_t n) const {
    const ModelNode& node = graph_.nodes[static_cast<size_t>(n)];
    const auto& shapes = shapes_[static_cast<size_t>(op)];
    const ModelTensor* input = node.inputs.empty() ? nullptr : graph_.tensor(node.inputs[0]);
    if (!multiplies(node_types_[static_cast<size_t>(n)]) || !weight_of(graph_, node) || !input ||
        !input->batched || input->shape.empty() || input->shape[0] <= 0 || shapes.empty() ||
        shapes[0].size() != input->shape.size())
        return 0;
    const int64_t scaled = graph_.own_batch * shapes[0][0];
    return shapes[0][0] < kMostElements && scaled % input->shape[0] == 0 ? scaled / input->shape[0] : 0;
}

// How well they agree; kNever where they cannot be the same.
int ModelMatcher::score(int32_t op, int32_t n) const {
    const std::vector<std::string_view>& types = types_[static_cast<size_t>(op)];
    const std::string& type = node_types_[static_cast<size_t>(n)];
    if (std::find(types.begin(), types.end(), type) == types.end()) return kNever;
    int layer_score = 0;
    if (node_layer_[static_cast<size_t>(n)] >= 0 && ops_[static_cast<size_t>(op)].layer_id >= 0) {
        if (!same_layer(op, n)) return kNever;
        layer_score = kSameLayer;
    }
    const ModelNode& node = graph_.nodes[static_cast<size_t>(n)];
    const auto& shapes = shapes_[static_cast<size_t>(op)];
    if (shapes.empty()) return layer_score + kNoSizes;
    if (const ModelTensor* weight = multiplies(type) ? weight_of(graph_, node) : nullptr) {
        const bool found = std::any_of(shapes.begin(), shapes.end(), [weight](const auto& shape) {
            return shape.size() == weight->shape.size() && same_sizes(shape, weight->shape);
        });
        return found ? layer_score + kSameSizes : kNever;
    }
    const ModelTensor* input = node.inputs.empty() ? nullptr : graph_.tensor(node.inputs[0]);
    if (!input || !input->shape_known) return layer_score + kNoSizes;
    if (input->shape.size() != shapes[0].size()) return layer_score > 0 ? layer_score : kNever;
    if (same_but_batch(input->shape, shapes[0])) return layer_score + kSameSizes;
    // Images or sequences may be larger than those of the file, unless ops known by name tell otherwise.
    return own_sizes_ && layer_score == 0 ? kNever : layer_score + kOtherSizes;
}

// The best alignment of two sequences: of all ways to pair ops with nodes that keep both orders, the one that
// adds up to most (Needleman and Wunsch's table).
void ModelMatcher::match_once(const int32_t* pass, size_t count, NodeMatch* out) const {
    if (count == 0 || nodes_.empty()) return;
    if (count > kMostCells / nodes_.size()) {
        match_greedily(pass, count, out);
        return;
    }
    enum Step : uint8_t { kSkipOp, kSkipNode, kPair };
    const size_t width = nodes_.size() + 1;
    std::vector<uint8_t> steps((count + 1) * width, kSkipOp);
    std::vector<int> above(width, 0), row(width, 0);
    for (size_t i = 1; i <= count; ++i) {
        for (size_t j = 1; j < width; ++j) {
            Step step = above[j] >= row[j - 1] ? kSkipOp : kSkipNode;
            row[j] = std::max(above[j], row[j - 1]);
            const int points = score(pass[i - 1], nodes_[j - 1]);
            if (points > 0 && above[j - 1] + points > row[j]) {
                row[j] = above[j - 1] + points;
                step = kPair;
            }
            steps[i * width + j] = step;
        }
        std::swap(above, row);
        row[0] = 0;
    }
    for (size_t i = count, j = width - 1; i > 0 && j > 0;) {
        const uint8_t step = steps[i * width + j];
        if (step == kPair) {
            const int32_t op = pass[i - 1], node = nodes_[j - 1];
            out[i - 1] = {node, same_layer(op, node) ? MatchHow::kName : MatchHow::kOrder};
        }
        if (step != kSkipNode) --i;
        if (step != kSkipOp) --j;
    }
}

// For networks of many thousands of nodes: the next node that fits, not far ahead.
void ModelMatcher::match_greedily(const int32_t* pass, size_t count, NodeMatch* out) const {
    constexpr size_t kAhead = 256;
    size_t next = 0;
    for (size_t i = 0; i < count && next < nodes_.size(); ++i) {
        size_t best = nodes_.size();
        int most = kOtherSizes;
        for (size_t j = next; j < std::min(next + kAhead, nodes_.size()) && most < kSameSizes; ++j)
            if (const int points = score(pass[i], nodes_[j]); points > most) {
                most = points;
                best = j;
            }
        if (best == nodes_.size()) continue;
        out[i] = {nodes_[best], same_layer(pass[i], nodes_[best]) ? MatchHow::kName : MatchHow::kOrder};
        next = best + 1;
    }
}

// Ops of each round where the pass ran the network several times over, told by the products: they repeat.
size_t ModelMatcher::round_length(const std::vector<int32_t>& pass) const {
    std::vector<size_t> products;
    for (size_t i = 0; i < pass.size(); ++i) {
        const auto& types = types_[static_cast<size_t>(pass[i])];
        if (std::any_of(types.begin(), types.end(),
                        [](std::string_view type) { return multiplies(std::string(type)); }))
            products.push_back(i);
    }
    if (products_ == 0 || products.size() <= products_ || products.size() % products_ != 0)
        return pass.size();
    const size_t length = products[products_] - products[0];
    for (size_t i = products_; i < products.size(); ++i)
        if (pass[products[i]] != pass[products[i - products_]] ||
            products[i] - products[i - products_] != length)
            return pass.size();
    return length;
}

std::vector<NodeMatch> ModelMatcher::match(const std::vector<int32_t>& pass) const {
    std::vector<NodeMatch> out(pass.size());
    std::vector<int32_t> rest;
    std::vector<size_t> places;
    for (size_t i = 0; i < pass.size(); ++i) {
        if (direct(pass[i]) >= 0) {
            out[i] = {direct(pass[i]), MatchHow::kName};
        } else {
            rest.push_back(pass[i]);
            places.push_back(i);
        }
    }
    std::vector<NodeMatch> found(rest.size());
    const size_t length = std::max<size_t>(round_length(rest), 1);
    for (size_t from = 0; from < rest.size(); from += length)
        match_once(rest.data() + from, std::min(length, rest.size() - from), found.data() + from);
    for (size_t i = 0; i < rest.size(); ++i)
        out[places[i]] = found[i];
    return out;
}

}  // namespace opsight::analyze
