#include "analyze/stacks.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace opsight::analyze {
namespace {

constexpr size_t kMostFrames = 16;
constexpr size_t kLongestFrame = 200;
constexpr size_t kMostText = size_t{64} << 20;  // of all stacks: of later ones the innermost frame alone

// Modules of Python's library that are around calls or between them: a package by its folder, or a file.
constexpr std::string_view kLibrary[] = {
    "abc.py",       "asyncio/",         "bdb.py",         "codecs.py",     "collections/",
    "concurrent/",  "contextlib.py",    "copy.py",        "ctypes/",       "dataclasses.py",
    "enum.py",      "functools.py",     "importlib/",     "inspect.py",    "json/",
    "logging/",     "multiprocessing/", "numbers.py",     "os.py",         "pickle.py",
    "queue.py",     "random.py",        "re.py",          "re/",           "runpy.py",
    "selectors.py", "signal.py",        "socket.py",      "subprocess.py", "tempfile.py",
    "threading.py", "traceback.py",     "types.py",       "typing.py",     "uuid.py",
    "warnings.py",  "weakref.py",       "_weakrefset.py",
};

bool is_call(std::string_view frame) {
    return !frame.empty() && frame.front() != '<' && !frame.starts_with("nn.Module");
}

// Paths of frames, each with the one around it: found once, written out once.
class Frames {
  public:
    Frames(Profile& profile, const Analysis& analysis)
        : p_(profile), a_(analysis), node_of_(profile.host.size(), kUnknown) {
        nodes_.push_back({kRoot, StringId{0}, StringId{0}, kRoot, kRoot, true});
    }

    // The text of the frames around a row; 0: none.
    StringId around(uint32_t row) { return text_of(node(a_.parent[row])); }

  private:
    static constexpr uint32_t kUnknown = UINT32_MAX, kRoot = 0;
    struct Node {
        uint32_t above;
        StringId frame;
        StringId text;
        uint32_t user, call;  // the nearest of the kind at or above it
        bool written = false;
    };
    enum class Kind : uint8_t { kOther, kCall, kUser };

    uint32_t node(HostSpanId span) {
        way_.clear();
        uint32_t found = kRoot;
        for (; span.valid(); span = a_.parent[span.index()]) {
            found = node_of_[span.index()];
            if (found != kUnknown) break;
            found = kRoot;
            way_.push_back(static_cast<uint32_t>(span.index()));
        }
        for (; !way_.empty(); way_.pop_back()) {
            const uint32_t row = way_.back();
            if (p_.host.kind[row] == HostKind::kPythonFrame) found = below(found, p_.host.name[row]);
            node_of_[row] = found;
        }
        return found;
    }

    uint32_t below(uint32_t above, StringId frame) {
        const auto [it, is_new] =
            ids_.try_emplace({above, frame.value}, static_cast<uint32_t>(nodes_.size()));
        if (is_new) {
            const uint32_t self = it->second;
            const Kind kind = kind_of(frame);
            nodes_.push_back({above, frame, StringId{0}, kind == Kind::kUser ? self : nodes_[above].user,
                              kind == Kind::kOther ? nodes_[above].call : self});
        }
        return it->second;
    }

    Kind kind_of(StringId frame) {
        const auto [it, is_new] = kinds_.try_emplace(frame.value, Kind::kOther);
        const std::string_view text = p_.strings.view(frame);
        if (is_new && is_call(text)) it->second = is_user_frame(text) ? Kind::kUser : Kind::kCall;
        return it->second;
    }

    StringId text_of(uint32_t at) {
        if (nodes_[at].written) return nodes_[at].text;
        std::array<StringId, kMostFrames> frames;
        const auto nearest = nodes_[at].user != kRoot ? &Node::user : &Node::call;
        size_t count = 0;
        for (uint32_t next = nodes_[at].*nearest; next != kRoot && count < frames.size();
             next = nodes_[nodes_[next].above].*nearest)
            frames[count++] = nodes_[next].frame;
        StringId text = count > 0 ? frames[0] : StringId{0};
        if (count > 1 && written_ < kMostText) {
            std::string joined;
            for (size_t i = 0; i < count; ++i) {
                if (i > 0) joined += ';';
                joined += p_.strings.view(frames[i]).substr(0, kLongestFrame);
            }
            written_ += joined.size();
            text = p_.strings.intern(joined);
        }
        nodes_[at].text = text;
        nodes_[at].written = true;
        return text;
    }

    Profile& p_;
    const Analysis& a_;
    std::vector<uint32_t> node_of_, way_;
    std::vector<Node> nodes_;
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> ids_;
    absl::flat_hash_map<uint32_t, Kind> kinds_;  // by frame
    size_t written_ = 0;
};

bool known(StringId stack) {
    return stack.valid() && stack.value != 0;
}

}  // namespace

bool is_user_frame(std::string_view frame) {
    if (!is_call(frame) || frame.starts_with("torch/")) return false;
    // Of a whole path the part that is told relative to a folder of packages.
    size_t end = 0;
    for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
        if (const size_t at = frame.rfind(folder); at != std::string_view::npos)
            end = std::max(end, at + folder.size());
    frame.remove_prefix(end);
    if (!is_call(frame) || frame.starts_with("torch/") || text::contains(frame, "/lib/python3")) return false;
    return std::none_of(std::begin(kLibrary), std::end(kLibrary),
                        [frame](std::string_view each) { return frame.starts_with(each); });
}

void find_stacks(Profile& profile, const Analysis& analysis) {
    const HostSpans& h = profile.host;
    if (std::find(h.kind.begin(), h.kind.end(), HostKind::kPythonFrame) == h.kind.end()) return;
    std::vector<StringId>& stacks = profile.op_details.stack;
    Frames frames(profile, analysis);
    for (uint32_t row = 0; row < h.size(); ++row)
        if (h.kind[row] == HostKind::kOp && !known(stacks[h.detail[row]]))
            stacks[h.detail[row]] = frames.around(row);
    // Ops of autograd's threads, where no Python runs: by their forward op, else by the op around them.
    for (uint32_t row = 0; row < h.size(); ++row) {
        if (h.kind[row] != HostKind::kOp || known(stacks[h.detail[row]])) continue;
        for (const HostSpanId other : {analysis.forward[h.detail[row]], analysis.op_span[row]})
            if (other.valid() && !known(stacks[h.detail[row]]))
                stacks[h.detail[row]] = stacks[h.detail[other.index()]];
    }
}

}  // namespace opsight::analyze
