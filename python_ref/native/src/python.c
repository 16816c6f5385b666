/* The native kernels for Python, by the stable interface of CPython 3.11 (one wheel for all later ones). */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>

#include "kernels.h"

/* Buffers that a call holds, so that nobody frees or moves them while it works without the interpreter's lock. */
typedef struct {
    Py_buffer view;
    int held;
} bytes;

static void release(bytes *one)
{
    if (one->held)
        PyBuffer_Release(&one->view);
    one->held = 0;
}

/* Holds the bytes of items of one size; None has none. */
static int hold(PyObject *object, size_t size, bytes *one)
{
    one->held = 0;
    if (object == Py_None) {
        one->view.buf = NULL;
        one->view.len = 0;
        return 0;
    }
    if (PyObject_GetBuffer(object, &one->view, PyBUF_SIMPLE) < 0)
        return -1;
    one->held = 1;
    if ((size_t)one->view.len % size || (uintptr_t)one->view.buf % (size > 1 ? sizeof(double) : 1)) {
        release(one);
        PyErr_SetString(PyExc_ValueError, "a buffer of whole, aligned items is needed");
        return -1;
    }
    return 0;
}

static hs_mask mask_of(const bytes *one)
{
    hs_mask mask = {one->held ? one->view.buf : NULL, (size_t)one->view.len};
    /* An empty mask counts nothing, which no bytes at all would not say. */
    if (one->held && !mask.bytes)
        mask.bytes = (const uint8_t *)"";
    return mask;
}

/* The numbers of a list as doubles; the caller frees them. */
static double *doubles_of(PyObject *list, size_t dimension)
{
    if (!PyList_Check(list) || (size_t)PyList_Size(list) != dimension) {
        PyErr_SetString(PyExc_ValueError, "a list with a number for each component is needed");
        return NULL;
    }
    double *vector = PyMem_Malloc((dimension ? dimension : 1) * sizeof *vector);
    if (!vector)
        return (double *)PyErr_NoMemory();
    for (size_t item = 0; item < dimension; item++) {
        vector[item] = PyFloat_AsDouble(PyList_GetItem(list, (Py_ssize_t)item));
        if (vector[item] == -1.0 && PyErr_Occurred()) {
            PyMem_Free(vector);
            return NULL;
        }
    }
    return vector;
}

static PyObject *found_of(int status, hs_found *found)
{
    if (status != HS_DONE)
        return PyErr_NoMemory();
    PyObject *pair = Py_BuildValue("(y#y#)", found->size ? (char *)found->slots : "",
                                   (Py_ssize_t)(found->size * sizeof *found->slots),
                                   found->size ? (char *)found->scores : "",
                                   (Py_ssize_t)(found->size * sizeof *found->scores));
    hs_found_free(found);
    return pair;
}

/* -------------------------------------------------------------------------------------------------------------- Rows */

typedef struct {
    PyObject_HEAD
    hs_rows *rows;
} Rows;

static PyObject *rows_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *known[] = {"dimension", NULL};
    Py_ssize_t dimension;
    if (!PyArg_ParseTupleAndKeywords(arguments, names, "n", known, &dimension))
        return NULL;
    if (dimension < 0) {
        PyErr_SetString(PyExc_ValueError, "dimension must be at least 0");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Rows *self = (Rows *)allocate(type, 0);
    if (!self)
        return NULL;
    self->rows = hs_rows_new((size_t)dimension);
    if (!self->rows) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void rows_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    hs_rows_free(((Rows *)object)->rows);
    freefunc release_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_memory(object);
    Py_DECREF(type);
}

static PyObject *rows_put(PyObject *object, PyObject *arguments)
{
    hs_rows *rows = ((Rows *)object)->rows;
    Py_ssize_t row;
    long long slot;
    PyObject *list;
    double norm;
    if (!PyArg_ParseTuple(arguments, "nLOd", &row, &slot, &list, &norm))
        return NULL;
    if (row < 0 || (size_t)row > hs_rows_size(rows)) {
        PyErr_SetString(PyExc_IndexError, "a row is put behind the others, or in the place of one");
        return NULL;
    }
    double *vector = doubles_of(list, hs_rows_dimension(rows));
    if (!vector)
        return NULL;
    int status = hs_rows_put(rows, (size_t)row, slot, vector, norm);
    PyMem_Free(vector);
    if (status != HS_DONE)
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *rows_vector(PyObject *object, PyObject *arguments)
{
    hs_rows *rows = ((Rows *)object)->rows;
    Py_ssize_t row;
    if (!PyArg_ParseTuple(arguments, "n", &row))
        return NULL;
    if (row < 0 || (size_t)row >= hs_rows_size(rows)) {
        PyErr_SetString(PyExc_IndexError, "there is no such row");
        return NULL;
    }
    size_t dimension = hs_rows_dimension(rows);
    double *vector = PyMem_Malloc((dimension ? dimension : 1) * sizeof *vector);
    if (!vector)
        return PyErr_NoMemory();
    hs_rows_get(rows, (size_t)row, vector);
    PyObject *list = PyList_New((Py_ssize_t)dimension);
    for (size_t item = 0; list && item < dimension; item++) {
        PyObject *number = PyFloat_FromDouble(vector[item]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)item, number) < 0)
            Py_CLEAR(list);
    }
    PyMem_Free(vector);
    return list;
}

static PyObject *rows_nearest(PyObject *object, PyObject *arguments)
{
    hs_rows *rows = ((Rows *)object)->rows;
    Py_ssize_t used, limit;
    PyObject *list, *least, *living_bytes, *allowed_bytes;
    hs_query query;
    if (!PyArg_ParseTuple(arguments, "nOdnOOO", &used, &list, &query.norm, &limit, &least, &living_bytes,
                          &allowed_bytes))
        return NULL;
    if (used < 0 || limit < 0) {
        PyErr_SetString(PyExc_ValueError, "used and limit must be at least 0");
        return NULL;
    }
    query.limit = (size_t)limit;
    query.least = -INFINITY;
    if (least != Py_None) {
        query.least = PyFloat_AsDouble(least);
        if (query.least == -1.0 && PyErr_Occurred())
            return NULL;
    }
    double *vector = doubles_of(list, hs_rows_dimension(rows));
    if (!vector)
        return NULL;
    query.vector = vector;
    bytes living = {0}, allowed = {0};
    PyObject *result = NULL;
    if (!hold(living_bytes, 1, &living) && !hold(allowed_bytes, 1, &allowed)) {
        hs_found found;
        int status;
        Py_BEGIN_ALLOW_THREADS
        status = hs_rows_nearest(rows, (size_t)used, query, mask_of(&living), mask_of(&allowed), &found);
        Py_END_ALLOW_THREADS
        result = found_of(status, &found);
    }
    release(&living);
    release(&allowed);
    PyMem_Free(vector);
    return result;
}

static PyObject *rows_size(PyObject *object, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(hs_rows_size(((Rows *)object)->rows));
}

static PyObject *rows_bytes(PyObject *object, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(hs_rows_bytes(((Rows *)object)->rows));
}

static PyMethodDef rows_methods[] = {
    {"put", rows_put, METH_VARARGS, "put(row, slot, vector, norm): write a row, one that is there or the next."},
    {"vector", rows_vector, METH_VARARGS, "vector(row): return its components."},
    {"nearest", rows_nearest, METH_VARARGS,
     "nearest(used, vector, norm, limit, similarity, living, allowed): return slots and cosines as bytes."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef rows_values[] = {
    {"size", rows_size, NULL, "The number of rows.", NULL},
    {"bytes", rows_bytes, NULL, "The bytes that the rows take.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot rows_slots[] = {
    {Py_tp_doc, "Rows(dimension): the vectors of one field."},
    {Py_tp_new, rows_new},
    {Py_tp_dealloc, rows_dealloc},
    {Py_tp_methods, rows_methods},
    {Py_tp_getset, rows_values},
    {0, NULL},
};

static PyType_Spec rows_spec = {"hybrid_search_native.kernels.Rows", sizeof(Rows), 0, Py_TPFLAGS_DEFAULT, rows_slots};

/* -------------------------------------------------------------------------------------------------------------- sums */

/* The clauses of a call, and the buffers that they are in. */
typedef struct {
    size_t count;
    hs_clause *clauses;
    size_t *groups;
    bytes *slots;
    bytes *scores;
} clauses;

static void clauses_free(clauses *held)
{
    for (size_t one = 0; one < held->count; one++) {
        if (held->slots)
            release(&held->slots[one]);
        if (held->scores)
            release(&held->scores[one]);
    }
    PyMem_Free(held->clauses);
    PyMem_Free(held->groups);
    PyMem_Free(held->slots);
    PyMem_Free(held->scores);
}

/* Holds a list of tuples: (boost, slots, scores), or (group, slots). */
static int clauses_hold(PyObject *list, int grouped, clauses *held)
{
    memset(held, 0, sizeof *held);
    if (!PyList_Check(list)) {
        PyErr_SetString(PyExc_TypeError, "a list of tuples is needed");
        return -1;
    }
    size_t count = (size_t)PyList_Size(list), room = count ? count : 1;
    held->clauses = PyMem_Calloc(room, sizeof *held->clauses);
    held->groups = PyMem_Calloc(room, sizeof *held->groups);
    held->slots = PyMem_Calloc(room, sizeof *held->slots);
    held->scores = PyMem_Calloc(room, sizeof *held->scores);
    if (!held->clauses || !held->groups || !held->slots || !held->scores) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t one = 0; one < count; one++) {
        PyObject *entry = PyList_GetItem(list, (Py_ssize_t)one), *slots, *scores = Py_None;
        Py_ssize_t group = 0;
        hs_clause *clause = &held->clauses[one];
        held->count = one + 1;
        if (!entry || !PyTuple_Check(entry)) {
            PyErr_SetString(PyExc_TypeError, "a list of tuples is needed");
            return -1;
        }
        if (!(grouped ? PyArg_ParseTuple(entry, "nO", &group, &slots)
                      : PyArg_ParseTuple(entry, "dOO", &clause->boost, &slots, &scores)))
            return -1;
        if (hold(slots, sizeof(int64_t), &held->slots[one]) || hold(scores, sizeof(double), &held->scores[one]))
            return -1;
        clause->size = (size_t)held->slots[one].view.len / sizeof(int64_t);
        clause->slots = held->slots[one].view.buf;
        clause->scores = held->scores[one].view.buf;
        held->groups[one] = (size_t)group;
        if (!grouped && held->scores[one].view.len != held->slots[one].view.len) {
            PyErr_SetString(PyExc_ValueError, "as many scores as slots are needed");
            return -1;
        }
    }
    return 0;
}

static PyObject *best_sums(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *list, *counted_bytes, *result = NULL;
    Py_ssize_t all_slots, limit;
    if (!PyArg_ParseTuple(arguments, "OnnO", &list, &all_slots, &limit, &counted_bytes))
        return NULL;
    if (all_slots < 0 || limit < 0) {
        PyErr_SetString(PyExc_ValueError, "all_slots and limit must be at least 0");
        return NULL;
    }
    clauses held;
    bytes counted = {0};
    if (!clauses_hold(list, 0, &held) && !hold(counted_bytes, 1, &counted)) {
        hs_found found;
        int status;
        Py_BEGIN_ALLOW_THREADS
        status = hs_best_sums(held.clauses, held.count, (size_t)all_slots, (size_t)limit, mask_of(&counted), &found);
        Py_END_ALLOW_THREADS
        result = found_of(status, &found);
    }
    release(&counted);
    clauses_free(&held);
    return result;
}

static PyObject *enough_groups(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *list, *counted_bytes, *result = NULL;
    Py_ssize_t all_slots, required;
    if (!PyArg_ParseTuple(arguments, "OnnO", &list, &required, &all_slots, &counted_bytes))
        return NULL;
    if (all_slots < 0 || required < 0) {
        PyErr_SetString(PyExc_ValueError, "required and all_slots must be at least 0");
        return NULL;
    }
    clauses held;
    bytes counted = {0};
    if (!clauses_hold(list, 1, &held) && !hold(counted_bytes, 1, &counted)) {
        result = PyBytes_FromStringAndSize(NULL, all_slots);
        if (result) {
            uint8_t *enough = (uint8_t *)PyBytes_AsString(result);
            int status;
            Py_BEGIN_ALLOW_THREADS
            status = hs_enough_groups(held.clauses, held.groups, held.count, (size_t)required, (size_t)all_slots,
                                      mask_of(&counted), enough);
            Py_END_ALLOW_THREADS
            if (status != HS_DONE) {
                Py_CLEAR(result);
                PyErr_NoMemory();
            }
        }
    }
    release(&counted);
    clauses_free(&held);
    return result;
}

static PyMethodDef functions[] = {
    {"best_sums", best_sums, METH_VARARGS,
     "best_sums(clauses, all_slots, limit, counted): return slots and sums as bytes."},
    {"enough_groups", enough_groups, METH_VARARGS,
     "enough_groups(clauses, required, all_slots, counted): return a byte for each slot."},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module)
{
    PyObject *rows = PyType_FromSpec(&rows_spec);
    if (!rows || PyModule_AddObjectRef(module, "Rows", rows) < 0) {
        Py_XDECREF(rows);
        return -1;
    }
    Py_DECREF(rows);
    return PyModule_AddIntConstant(module, "INTERFACE", HS_INTERFACE);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, execute}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "hybrid_search_native.kernels", "The native kernels of HybridSearch.", 0, functions,
    module_slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_kernels(void)
{
    return PyModuleDef_Init(&definition);
}
