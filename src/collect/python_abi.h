// What the observer uses of CPython's C interface, declared here: it has to be built where Python's headers
// are not installed. All of it is exported by every CPython from 3.7 on, but for what its comment says; where
// a name is missing, as in a program that hides its Python, its address is null. Only the size of an object's
// head is taken for granted, and checked before use (python/opsight/calls.py). Where Python's headers are
// found, python_abi_check.cpp compares.
#pragma once

#include <sys/types.h>

#include <cstddef>

#ifndef Py_PYTHON_H
extern "C" {

struct _object;
typedef struct _object PyObject;

typedef struct {
    int slot;
    void* pfunc;
} PyType_Slot;

typedef struct {
    const char* name;
    int basicsize, itemsize;
    unsigned int flags;
    PyType_Slot* slots;
} PyType_Spec;

struct PyMemberDef;

#define OPSIGHT_PYTHON __attribute__((weak))
OPSIGHT_PYTHON PyObject* PyType_FromSpec(PyType_Spec* spec);
OPSIGHT_PYTHON PyObject* PyObject_Vectorcall(PyObject* callable, PyObject* const* args, size_t count,
                                             PyObject* names);  // from 3.9 on
OPSIGHT_PYTHON PyObject* PyObject_Call(PyObject* callable, PyObject* args, PyObject* kwargs);
OPSIGHT_PYTHON PyObject* PyObject_CallFunctionObjArgs(PyObject* callable, ...);
OPSIGHT_PYTHON PyObject* PyObject_CallObject(PyObject* callable, PyObject* args);
OPSIGHT_PYTHON PyObject* PyObject_GenericGetAttr(PyObject* object, PyObject* name);
OPSIGHT_PYTHON PyObject* PyObject_GetAttr(PyObject* object, PyObject* name);
OPSIGHT_PYTHON int PyObject_SetAttr(PyObject* object, PyObject* name, PyObject* value);
OPSIGHT_PYTHON PyObject* PyObject_GetAttrString(PyObject* object, const char* name);
OPSIGHT_PYTHON int PyObject_SetAttrString(PyObject* object, const char* name, PyObject* value);
OPSIGHT_PYTHON PyObject* PyObject_Repr(PyObject* object);
OPSIGHT_PYTHON PyObject* PyObject_Type(PyObject* object);
OPSIGHT_PYTHON PyObject* PyMethod_New(PyObject* function, PyObject* self);
OPSIGHT_PYTHON ssize_t PyTuple_Size(PyObject* tuple);
OPSIGHT_PYTHON PyObject* PyTuple_GetItem(PyObject* tuple, ssize_t index);
OPSIGHT_PYTHON int PyUnicode_CompareWithASCIIString(PyObject* text, const char* other);
OPSIGHT_PYTHON void* PyLong_AsVoidPtr(PyObject* number);
OPSIGHT_PYTHON PyObject* PyErr_Occurred(void);
OPSIGHT_PYTHON int PyErr_ExceptionMatches(PyObject* kind);
OPSIGHT_PYTHON void PyErr_Clear(void);
OPSIGHT_PYTHON int Py_AddPendingCall(int (*call)(void*), void* argument);
OPSIGHT_PYTHON void Py_IncRef(PyObject* object);
OPSIGHT_PYTHON void Py_DecRef(PyObject* object);
extern OPSIGHT_PYTHON PyObject* PyExc_Exception;
#undef OPSIGHT_PYTHON

}  // extern "C"
#endif

namespace opsight::collect::python {

// The head of every object in all builds but those for debugging or without the interpreter's lock.
struct Head {
    ssize_t references;
    void* type;
};
inline constexpr size_t kHeadBytes = 16;
static_assert(sizeof(Head) == kHeadBytes);

// Numbers of slots and bits of flags, which the stable interface fixes.
inline constexpr int kSlotCall = 50, kSlotDescrGet = 54, kSlotGetAttribute = 58, kSlotRepr = 66,
                     kSlotSetAttribute = 69, kSlotMembers = 72;
inline constexpr unsigned kFlagVectorcall = 1U << 11, kFlagMethodDescriptor = 1U << 17,
                          kFlagDefault = 1U << 18;
inline constexpr size_t kVectorcallOffsetFlag = size_t{1} << (8 * sizeof(size_t) - 1);
inline constexpr int kMemberSsize = 19, kMemberReadOnly = 1;

struct Member {
    const char* name;
    int type;
    ssize_t offset;
    int flags;
    const char* doc;
};

}  // namespace opsight::collect::python
