// Compares python_abi.h with Python's own headers, where they are installed.
#include <Python.h>
#include <structmember.h>

#include "collect/python_abi.h"

namespace opsight::collect::python {

static_assert(sizeof(PyObject) == kHeadBytes);
static_assert(offsetof(PyObject, ob_type) == offsetof(Head, type));
static_assert(kSlotCall == Py_tp_call && kSlotDescrGet == Py_tp_descr_get &&
              kSlotGetAttribute == Py_tp_getattro);
static_assert(kSlotRepr == Py_tp_repr && kSlotSetAttribute == Py_tp_setattro &&
              kSlotMembers == Py_tp_members);
static_assert(kFlagVectorcall == Py_TPFLAGS_HAVE_VECTORCALL &&
              kFlagMethodDescriptor == Py_TPFLAGS_METHOD_DESCRIPTOR);
static_assert(kVectorcallOffsetFlag == PY_VECTORCALL_ARGUMENTS_OFFSET);
static_assert(kMemberSsize == T_PYSSIZET && kMemberReadOnly == READONLY);
static_assert(sizeof(Member) == sizeof(PyMemberDef) &&
              offsetof(Member, offset) == offsetof(PyMemberDef, offset));
static_assert(offsetof(Member, flags) == offsetof(PyMemberDef, flags));

}  // namespace opsight::collect::python
