// What differs between the versions of PyTorch that the observer is built for (1.13 and later), in one place.
#pragma once

#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>

#include <cstring>

namespace opsight::collect {

// An allocator of the CPU's memory as any version declares it: what one version asks for overrides there, and
// is a function that nobody calls elsewhere. (Up to 2.2 allocate() is const; from 2.3 on there is
// copy_data().)
class AnyCpuAllocator : public at::Allocator {
  public:
    at::DataPtr allocate(size_t bytes) const { return take(bytes); }
    at::DataPtr allocate(size_t bytes) { return take(bytes); }
    void copy_data(void* to, const void* from, std::size_t count) const { std::memcpy(to, from, count); }

  protected:
    virtual at::DataPtr take(size_t bytes) const = 0;
};

// Whether a tensor has plain sizes. Nested tensors have none, those of symbolic shapes throw, and those whose
// sizes a Python class tells would run that class: the program's code, from inside an op.
inline bool has_plain_sizes(const c10::TensorImpl& tensor) {
    struct Opened : c10::TensorImpl {
        static bool asks_python(const c10::TensorImpl& impl) {
            return (impl.*&Opened::matches_python_custom)(SizesStridesPolicy::CustomSizes);
        }
    };
    return !tensor.has_symbolic_sizes_strides() && !tensor.is_nested() && !Opened::asks_python(tensor);
}

// The C++ object of a custom class, as a process group is; null: something else.
inline const void* custom_object(const c10::IValue& value) {
    const auto& slots = value.toObjectRef().slots();
    return slots.size() == 1 && slots[0].isCapsule() ? slots[0].toCapsule().get() : nullptr;
}

}  // namespace opsight::collect
