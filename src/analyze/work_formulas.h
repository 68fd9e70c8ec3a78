// The formulas of a profile's ops for their arguments.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cost/torch_work.h"
#include "model/profile.h"

namespace opsight::analyze {

// The formulas of ops for their arguments, each worked out once.
class Formulas {
  public:
    explicit Formulas(const Profile& profile)
        : p_(profile),
          has_rule_(profile.strings.size(), kUnseen),
          is_plain_(profile.strings.size(), kUnseen) {}

    // Reads what backward passes tell of forward ones.
    void learn() {
        list_type_ = frequent_type();
        const HostSpans& h = p_.host;
        absl::flat_hash_map<uint64_t, bool> seen;
        for (size_t row = 0; row < h.size(); ++row) {
            if (h.kind[row] != HostKind::kOp || !is_backward(h.name[row])) continue;
            const SignatureId signature = p_.op_details.signature[h.detail[row]];
            if (signature.valid() && seen.try_emplace(key(h.name[row], signature), true).second)
                cost::learn_outputs(call(h.name[row], signature), known_);
        }
    }

    // Of `works`; kNone where the op has no formula or its arguments do not tell.
    int32_t of(size_t row) {
        const StringId name = p_.host.name[row];
        const SignatureId signature = p_.op_details.signature[p_.host.detail[row]];
        if (!signature.valid() || !has_rule(name)) return kNone;
        const auto [it, is_new] = found_.try_emplace(key(name, signature), kNone);
        if (is_new) {
            const cost::TorchWork work = cost::torch_work(call(name, signature));
            if (work.counted()) {
                it->second = static_cast<int32_t>(works.size());
                works.push_back(work);
            }
        }
        return it->second;
    }

    // Whether an op of this name multiplies no matrices, whatever its arguments.
    bool is_plain(StringId name) {
        int8_t& known = is_plain_[name.index()];
        if (known == kUnseen) known = cost::is_plain_torch_op(p_.strings.view(name));
        return known != 0;
    }

    std::vector<cost::TorchWork> works;

  private:
    static constexpr int32_t kNone = -1;
    static constexpr int8_t kUnseen = -1;

    static uint64_t key(StringId name, SignatureId signature) {
        return uint64_t{name.value} << 32 | signature.value;
    }

    bool has_rule(StringId name) {
        int8_t& known = has_rule_[name.index()];
        if (known == kUnseen) known = cost::has_torch_rule(p_.strings.view(name));
        return known != 0;
    }

    bool is_backward(StringId name) {
        return has_rule(name) && p_.strings.view(name).find("convolution_backward") != std::string_view::npos;
    }

    cost::TorchCall call(StringId name, SignatureId id) const {
        const Signature& s = p_.signatures[id.index()];
        const auto text = [this](StringId t) { return t.valid() ? p_.strings.view(t) : std::string_view(); };
        cost::TorchCall call = cost::read_torch_call(
            p_.strings.view(name), {text(s.shapes), text(s.dtypes), text(s.concrete), text(s.strides)},
            list_type_);
        call.known_outputs = &known_;
        return call;
    }

    // The type of most tensors, by signatures that name it.
    ElementType frequent_type() const {
        constexpr std::array<std::pair<std::string_view, ElementType>, 4> kTypes = {
            {{"\"float\"", ElementType::kFloat32},
             {"\"c10::BFloat16\"", ElementType::kBfloat16},
             {"\"c10::Half\"", ElementType::kFloat16},
             {"\"double\"", ElementType::kFloat64}}};
        std::array<size_t, kTypes.size()> counts{};
        for (const Signature& signature : p_.signatures)
            for (size_t i = 0; i < kTypes.size(); ++i)
                counts[i] +=
                    signature.dtypes.valid() &&
                    p_.strings.view(signature.dtypes).find(kTypes[i].first) != std::string_view::npos;
        return kTypes[static_cast<size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())]
            .second;
    }

    const Profile& p_;
    std::vector<int8_t> has_rule_, is_plain_;  // by name
    absl::flat_hash_map<uint64_t, int32_t> found_;
    cost::KnownOutputs known_;
    ElementType list_type_ = ElementType::kFloat32;
};

}  // namespace opsight::analyze
