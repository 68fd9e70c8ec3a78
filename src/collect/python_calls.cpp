#include "collect/python_calls.h"

#include <cstdio>
#include <cstring>

#include "collect/pointer_map.h"
#include "collect/process_groups.h"
#include "collect/python_abi.h"
#include "collect/recorder.h"

namespace opsight::collect {
namespace {

using python::Head;

// Stands in for `function`. Lives as long as the program: others may have kept it.
struct StandIn {
    Head head;
    PyObject* (*vectorcall)(PyObject*, PyObject* const*, size_t, PyObject*);
    PyObject* function;
    PyObject* helper;  // Python's part: called with the first argument
    int kind;
};

// Where one was put, and what was there.
struct Place {
    PyObject* owner;
    char name[48];
    PyObject* before;
    PyObject* stand_in;
};

constexpr size_t kMostPlaces = 256;
Place g_places[kMostPlaces];
size_t g_place_count = 0;
PyObject* g_type = nullptr;
PointerMap<const ModuleName> g_names;  // of modules and optimizers
thread_local const ModuleName* g_stepping = nullptr;

StandIn& stand_in(PyObject* object) {
    return *reinterpret_cast<StandIn*>(object);
}

// The name that Python's part gives an object when it is first met. False: the call has to fail with what was
// raised. What Python's part itself cannot do costs the name, not the call.
bool name_of(const StandIn& call, PyObject* object, const ModuleName*& name) {
    name = g_names.find(object);
    if (name) return true;
    PyObject* made = PyObject_CallFunctionObjArgs(call.helper, object, nullptr);
    if (made) {
        name = static_cast<const ModuleName*>(PyLong_AsVoidPtr(made));
        Py_DecRef(made);
    }
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;  // a Ctrl-C, say
        PyErr_Clear();
        name = nullptr;
    }
    if (name) g_names.insert(object, name);
    return true;
}

template <class Run>
PyObject* call_module(const StandIn& call, PyObject* object, Run&& run) {
    const ModuleName* name = nullptr;
    if (!Recorder::recording()) return run();
    if (!name_of(call, object, name)) return nullptr;
    if (!name) return run();
    opsight_torch_enter(name);
    PyObject* result = run();
    opsight_torch_leave();
    return result;
}

template <class Run>
PyObject* call_step(const StandIn& call, PyObject* object, Run&& run) {
    const ModuleName* const before = g_stepping;
    const ModuleName* name = nullptr;
    if (!name_of(call, object, name)) return nullptr;
    g_stepping = name;
    PyObject* result = run();
    g_stepping = before;
    return result;
}

template <class Run>
PyObject* call_and_tell(const StandIn& call, PyObject* object, Run&& run) {
    PyObject* result = run();
    if (!result) return nullptr;
    PyObject* told = PyObject_CallFunctionObjArgs(call.helper, object, nullptr);
    if (told) {
        Py_DecRef(told);
    } else if (PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
    } else {
        Py_DecRef(result);
        return nullptr;
    }
    return result;
}

template <class Run>
PyObject* call_recorded(const StandIn& call, PyObject* object, Run&& run) {
    if (!object) object = call.function;  // called without arguments: Python's part gets something
    switch (call.kind) {
        case OPSIGHT_CALL_MODULE:
            return call_module(call, object, run);
        case OPSIGHT_CALL_STEP:
            return call_step(call, object, run);
        default:
            return call_and_tell(call, object, run);
    }
}

PyObject* vectorcall(PyObject* self, PyObject* const* args, size_t count, PyObject* names) {
    const StandIn& call = stand_in(self);
    PyObject* const first = count & ~python::kVectorcallOffsetFlag ? args[0] : nullptr;
    return call_recorded(call, first, [&] { return PyObject_Vectorcall(call.function, args, count, names); });
}

PyObject* plain_call(PyObject* self, PyObject* args, PyObject* kwargs) {
    const StandIn& call = stand_in(self);
    PyObject* const first = PyTuple_Size(args) > 0 ? PyTuple_GetItem(args, 0) : nullptr;
    return call_recorded(call, first, [&] { return PyObject_Call(call.function, args, kwargs); });
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
    if (object) return PyMethod_New(self, object);
    Py_IncRef(self);
    return self;
}

// Attributes are the function's, but for those by which it would be called past us.
PyObject* get_attribute(PyObject* self, PyObject* name) {
    for (const char* own : {"__get__", "__call__"})
        if (PyUnicode_CompareWithASCIIString(name, own) == 0) return PyObject_GenericGetAttr(self, name);
    return PyObject_GetAttr(stand_in(self).function, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
    return PyObject_SetAttr(stand_in(self).function, name, value);
}

PyObject* represent(PyObject* self) {
    return PyObject_Repr(stand_in(self).function);
}

PyObject* make_type() {
    const bool fast = &PyObject_Vectorcall != nullptr;
    static python::Member members[] = {{"__vectorcalloffset__", python::kMemberSsize,
                                        offsetof(StandIn, vectorcall), python::kMemberReadOnly, nullptr},
                                       {nullptr, 0, 0, 0, nullptr}};
    PyType_Slot slots[] = {{python::kSlotCall, reinterpret_cast<void*>(&plain_call)},
                           {python::kSlotDescrGet, reinterpret_cast<void*>(&bind)},
                           {python::kSlotGetAttribute, reinterpret_cast<void*>(&get_attribute)},
                           {python::kSlotSetAttribute, reinterpret_cast<void*>(&set_attribute)},
                           {python::kSlotRepr, reinterpret_cast<void*>(&represent)},
                           {fast ? python::kSlotMembers : 0, members},
                           {0, nullptr}};
    PyType_Spec spec = {
        "opsight.recorded_function", sizeof(StandIn), 0,
        python::kFlagDefault | (fast ? python::kFlagVectorcall | python::kFlagMethodDescriptor : 0), slots};
    return PyType_FromSpec(&spec);
}

bool is_stand_in(PyObject* object) {
    return reinterpret_cast<Head*>(object)->type == g_type;
}

// Only what is still ours is put back.
int undo(void*) {
    for (size_t i = 0; i < g_place_count; ++i) {
        const Place& place = g_places[i];
        PyObject* now = PyObject_GetAttrString(place.owner, place.name);
        if (now == place.stand_in) PyObject_SetAttrString(place.owner, place.name, place.before);
        if (now) Py_DecRef(now);
        if (PyErr_Occurred()) PyErr_Clear();
    }
    g_place_count = 0;
    return 0;
}

}  // namespace

const ModuleName* stepping_optimizer() {
    return g_stepping;
}

void undo_all() {
    if (&Py_AddPendingCall) Py_AddPendingCall(&undo, nullptr);
}

}  // namespace opsight::collect

using opsight::collect::g_names;
using opsight::collect::g_place_count;
using opsight::collect::g_places;
using opsight::collect::g_type;

int opsight_torch_stand_in(PyObject* owner, const char* name, int kind, PyObject* helper) {
    using namespace opsight::collect;
    if (!&PyType_FromSpec || !&PyMethod_New || !&PyObject_CallFunctionObjArgs) return -1;
    if (g_place_count == kMostPlaces || std::strlen(name) >= sizeof g_places[0].name) return -1;
    if (!g_type) g_type = make_type();
    PyObject* const function = g_type ? PyObject_GetAttrString(owner, name) : nullptr;
    if (!function) return PyErr_Clear(), -1;
    if (is_stand_in(function)) return Py_DecRef(function), 0;
    PyObject* const made = PyObject_CallObject(g_type, nullptr);
    if (!made) return PyErr_Clear(), -1;
    StandIn& call = stand_in(made);
    call.vectorcall = &vectorcall;
    call.function = function;
    Py_IncRef(helper);
    call.helper = helper;
    call.kind = kind;
    if (PyObject_SetAttrString(owner, name, made) != 0) return PyErr_Clear(), -1;
    Py_IncRef(owner);
    Place& place = g_places[g_place_count++];
    place.owner = owner;
    std::strcpy(place.name, name);
    place.before = function;
    place.stand_in = made;
    return 0;
}

void opsight_torch_forget(const void* object) {
    g_names.erase(object);
}

void opsight_torch_group(const void* group, uint64_t number, const char* facts) {
    using namespace opsight::collect;
    ProcessGroups::add(group, number);
    char key[48];
    std::snprintf(key, sizeof key, "process_group_%llu", static_cast<unsigned long long>(number));
    opsight_torch_property(key, facts);
}
