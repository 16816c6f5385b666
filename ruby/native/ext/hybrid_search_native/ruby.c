/* The native kernels for Ruby. */
#include <math.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <string.h>

#include "kernels.h"

/* Smaller work is done with the interpreter's lock: to get it back may take longer. */
#define MUCH_WORK ((size_t)1 << 20)

static VALUE rows_class, posting_class;

static void *without(void *(*work)(void *), void *task, size_t size)
{
    return size < MUCH_WORK ? work(task) : rb_thread_call_without_gvl(work, task, NULL, NULL);
}

static size_t size_of(VALUE number, const char *name)
{
    long value = NUM2LONG(number);
    if (value < 0)
        rb_raise(rb_eArgError, "%s must be at least 0", name);
    return (size_t)value;
}

/* The bytes of a frozen copy, which shares them and which the caller keeps: nobody changes them meanwhile. */
static hs_mask mask_of(VALUE *bytes)
{
    hs_mask mask = {NULL, 0};
    if (NIL_P(*bytes))
        return mask;
    StringValue(*bytes);
    *bytes = rb_str_new_frozen(*bytes);
    mask.bytes = (const uint8_t *)RSTRING_PTR(*bytes);
    mask.size = (size_t)RSTRING_LEN(*bytes);
    return mask;
}

/* The numbers of an Array as doubles, in memory that `holder` keeps. */
static double *doubles_of(VALUE array, size_t dimension, volatile VALUE *holder)
{
    Check_Type(array, T_ARRAY);
    if ((size_t)RARRAY_LEN(array) != dimension)
        rb_raise(rb_eArgError, "an Array with a number for each component is needed");
    double *vector = rb_alloc_tmp_buffer(holder, (long)((dimension + 1) * sizeof *vector));
    for (size_t item = 0; item < dimension; item++)
        vector[item] = NUM2DBL(rb_ary_entry(array, (long)item));
    return vector;
}

/* What was found, as two Arrays; its memory is freed even if there is none for these. */
static VALUE pair_of(VALUE pointer)
{
    hs_found *found = (hs_found *)pointer;
    VALUE slots = rb_ary_new_capa((long)found->size), scores = rb_ary_new_capa((long)found->size);
    for (size_t one = 0; one < found->size; one++) {
        rb_ary_push(slots, LL2NUM(found->slots[one]));
        rb_ary_push(scores, DBL2NUM(found->scores[one]));
    }
    return rb_assoc_new(slots, scores);
}

static VALUE freed(VALUE found)
{
    hs_found_free((hs_found *)found);
    return Qnil;
}

static VALUE found_of(int status, hs_found *found)
{
    if (status != HS_DONE)
        rb_raise(rb_eNoMemError, "failed to allocate memory");
    return rb_ensure(pair_of, (VALUE)found, freed, (VALUE)found);
}

/* -------------------------------------------------------------------------------------------------------------- Rows */

static void rows_free(void *rows)
{
    hs_rows_free(rows);
}

static size_t rows_size_of(const void *rows)
{
    return rows ? hs_rows_bytes(rows) : 0;
}

static const rb_data_type_t rows_type = {
    .wrap_struct_name = "HybridSearch::Native::Rows",
    .function = {.dfree = rows_free, .dsize = rows_size_of},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE rows_allocate(VALUE class)
{
    return TypedData_Wrap_Struct(class, &rows_type, NULL);
}

static VALUE rows_initialize(VALUE self, VALUE dimension)
{
    if (RTYPEDDATA_DATA(self))
        rb_raise(rb_eArgError, "the rows are initialized");
    hs_rows *rows = hs_rows_new(size_of(dimension, "dimension"));
    if (!rows)
        rb_raise(rb_eNoMemError, "failed to allocate memory");
    RTYPEDDATA_DATA(self) = rows;
    return self;
}

static hs_rows *rows_of(VALUE self)
{
    hs_rows *rows;
    TypedData_Get_Struct(self, hs_rows, &rows_type, rows);
    if (!rows)
        rb_raise(rb_eArgError, "the rows are not initialized");
    return rows;
}

static VALUE rows_put(VALUE self, VALUE row, VALUE slot, VALUE array, VALUE norm)
{
    hs_rows *rows = rows_of(self);
    size_t place = size_of(row, "row");
    int64_t number = NUM2LL(slot);
    double length = NUM2DBL(norm);
    volatile VALUE holder;
    if (place > hs_rows_size(rows))
        rb_raise(rb_eIndexError, "a row is put behind the others, or in the place of one");
    double *vector = doubles_of(array, hs_rows_dimension(rows), &holder);
    int status = hs_rows_put(rows, place, number, vector, length);
    ALLOCV_END(holder);
    if (status != HS_DONE)
        rb_raise(rb_eNoMemError, "failed to allocate memory");
    return self;
}

static VALUE rows_vector(VALUE self, VALUE row)
{
    hs_rows *rows = rows_of(self);
    size_t place = size_of(row, "row"), dimension = hs_rows_dimension(rows);
    VALUE holder, array = rb_ary_new_capa((long)dimension);
    if (place >= hs_rows_size(rows))
        rb_raise(rb_eIndexError, "there is no such row");
    double *vector = ALLOCV_N(double, holder, dimension + 1);
    hs_rows_get(rows, place, vector);
    for (size_t item = 0; item < dimension; item++)
        rb_ary_push(array, DBL2NUM(vector[item]));
    ALLOCV_END(holder);
    return array;
}

typedef struct {
    const hs_rows *rows;
    size_t used;
    hs_query query;
    hs_mask living;
    hs_mask allowed;
    hs_found found;
    int status;
} nearest_task;

static void *nearest_work(void *pointer)
{
    nearest_task *task = pointer;
    task->status = hs_rows_nearest(task->rows, task->used, task->query, task->living, task->allowed, &task->found);
    return NULL;
}

static VALUE rows_nearest(VALUE self, VALUE used, VALUE array, VALUE norm, VALUE limit, VALUE least, VALUE living,
                          VALUE allowed)
{
    volatile VALUE holder;
    nearest_task task = {.rows = rows_of(self)};
    task.used = size_of(used, "used");
    task.query.norm = NUM2DBL(norm);
    task.query.limit = size_of(limit, "limit");
    task.query.least = NIL_P(least) ? -INFINITY : NUM2DBL(least);
    task.living = mask_of(&living);
    task.allowed = mask_of(&allowed);
    task.query.vector = doubles_of(array, hs_rows_dimension(task.rows), &holder);
    without(nearest_work, &task, task.used * hs_rows_dimension(task.rows));
    ALLOCV_END(holder);
    RB_GC_GUARD(living);
    RB_GC_GUARD(allowed);
    RB_GC_GUARD(self);
    return found_of(task.status, &task.found);
}

static VALUE rows_size(VALUE self)
{
    return SIZET2NUM(hs_rows_size(rows_of(self)));
}

static VALUE rows_bytes(VALUE self)
{
    return SIZET2NUM(hs_rows_bytes(rows_of(self)));
}

/* ----------------------------------------------------------------------------------------------------------- Posting */

/* Slots and scores that are never changed. */
typedef struct {
    size_t size;
    int64_t *slots;
    double *scores;
} posting;

static void posting_free(void *pointer)
{
    posting *one = pointer;
    xfree(one->slots);
    xfree(one->scores);
    xfree(one);
}

static size_t posting_size_of(const void *pointer)
{
    const posting *one = pointer;
    return sizeof *one + one->size * (sizeof *one->slots + sizeof *one->scores);
}

static const rb_data_type_t posting_type = {
    .wrap_struct_name = "HybridSearch::Native::Posting",
    .function = {.dfree = posting_free, .dsize = posting_size_of},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE posting_allocate(VALUE class)
{
    posting *one;
    return TypedData_Make_Struct(class, posting, &posting_type, one);
}

static VALUE posting_initialize(VALUE self, VALUE slots, VALUE scores)
{
    posting *one;
    TypedData_Get_Struct(self, posting, &posting_type, one);
    Check_Type(slots, T_ARRAY);
    Check_Type(scores, T_ARRAY);
    if (RARRAY_LEN(slots) != RARRAY_LEN(scores))
        rb_raise(rb_eArgError, "as many scores as slots are needed");
    if (one->slots)
        rb_raise(rb_eArgError, "a posting is never changed");
    size_t size = (size_t)RARRAY_LEN(slots);
    one->slots = ALLOC_N(int64_t, size + 1);
    one->scores = ALLOC_N(double, size + 1);
    for (size_t place = 0; place < size; place++) {
        one->slots[place] = NUM2LL(rb_ary_entry(slots, (long)place));
        one->scores[place] = NUM2DBL(rb_ary_entry(scores, (long)place));
        one->size = place + 1;
    }
    return self;
}

/* -------------------------------------------------------------------------------------------------------------- sums */

/* The clauses of an Array of pairs: a boost or a group, and a posting. The Array is a copy that the caller keeps. */
static size_t clauses_of(VALUE pairs, hs_clause *clauses, size_t *groups)
{
    size_t work = 0;
    for (long one = 0; one < RARRAY_LEN(pairs); one++) {
        VALUE pair = rb_ary_entry(pairs, one);
        posting *held;
        Check_Type(pair, T_ARRAY);
        TypedData_Get_Struct(rb_ary_entry(pair, 1), posting, &posting_type, held);
        clauses[one].slots = held->slots;
        clauses[one].scores = held->scores;
        clauses[one].size = held->size;
        clauses[one].boost = groups ? 0.0 : NUM2DBL(rb_ary_entry(pair, 0));
        if (groups)
            groups[one] = size_of(rb_ary_entry(pair, 0), "group");
        work += held->size;
    }
    return work;
}

/* Postings alone, which are kept from the collector of garbage as long as this Array is. */
static VALUE postings_of(VALUE pairs)
{
    VALUE kept = rb_ary_new_capa(RARRAY_LEN(pairs));
    for (long one = 0; one < RARRAY_LEN(pairs); one++)
        rb_ary_push(kept, rb_ary_entry(rb_ary_entry(pairs, one), 1));
    return kept;
}

typedef struct {
    const hs_clause *clauses;
    const size_t *groups;
    size_t count;
    size_t required;
    size_t all_slots;
    size_t limit;
    hs_mask counted;
    hs_found found;
    uint8_t *enough;
    int status;
} sums_task;

static void *sums_work(void *pointer)
{
    sums_task *task = pointer;
    task->status =
        hs_best_sums(task->clauses, task->count, task->all_slots, task->limit, task->counted, &task->found);
    return NULL;
}

static void *enough_work(void *pointer)
{
    sums_task *task = pointer;
    task->status = hs_enough_groups(task->clauses, task->groups, task->count, task->required, task->all_slots,
                                    task->counted, task->enough);
    return NULL;
}

static VALUE best_sums(VALUE module, VALUE pairs, VALUE all_slots, VALUE limit, VALUE counted)
{
    VALUE holder;
    sums_task task = {0};
    (void)module;
    Check_Type(pairs, T_ARRAY);
    pairs = rb_ary_dup(pairs);
    task.count = (size_t)RARRAY_LEN(pairs);
    task.all_slots = size_of(all_slots, "all_slots");
    task.limit = size_of(limit, "limit");
    task.counted = mask_of(&counted);
    hs_clause *clauses = ALLOCV_N(hs_clause, holder, task.count + 1);
    size_t work = clauses_of(pairs, clauses, NULL);
    VALUE kept = postings_of(pairs);
    task.clauses = clauses;
    without(sums_work, &task, work + task.all_slots);
    ALLOCV_END(holder);
    RB_GC_GUARD(kept);
    RB_GC_GUARD(counted);
    return found_of(task.status, &task.found);
}

static VALUE enough_groups(VALUE module, VALUE pairs, VALUE required, VALUE all_slots, VALUE counted)
{
    VALUE holder, group_holder;
    sums_task task = {0};
    (void)module;
    Check_Type(pairs, T_ARRAY);
    pairs = rb_ary_dup(pairs);
    task.count = (size_t)RARRAY_LEN(pairs);
    task.required = size_of(required, "required");
    task.all_slots = size_of(all_slots, "all_slots");
    task.counted = mask_of(&counted);
    hs_clause *clauses = ALLOCV_N(hs_clause, holder, task.count + 1);
    size_t *groups = ALLOCV_N(size_t, group_holder, task.count + 1);
    size_t work = clauses_of(pairs, clauses, groups);
    VALUE kept = postings_of(pairs);
    VALUE enough = rb_str_new(NULL, (long)task.all_slots);
    task.clauses = clauses;
    task.groups = groups;
    task.enough = (uint8_t *)RSTRING_PTR(enough);
    without(enough_work, &task, work + task.all_slots);
    ALLOCV_END(holder);
    ALLOCV_END(group_holder);
    RB_GC_GUARD(kept);
    RB_GC_GUARD(counted);
    if (task.status != HS_DONE)
        rb_raise(rb_eNoMemError, "failed to allocate memory");
    return enough;
}

void Init_kernels(void)
{
    VALUE library = rb_define_module("HybridSearch");
    VALUE native = rb_define_module_under(library, "Native");
    rb_define_const(native, "INTERFACE", INT2FIX(HS_INTERFACE));
    rows_class = rb_define_class_under(native, "Rows", rb_cObject);
    rb_define_alloc_func(rows_class, rows_allocate);
    rb_define_method(rows_class, "initialize", rows_initialize, 1);
    rb_define_method(rows_class, "put", rows_put, 4);
    rb_define_method(rows_class, "vector", rows_vector, 1);
    rb_define_method(rows_class, "nearest", rows_nearest, 7);
    rb_define_method(rows_class, "size", rows_size, 0);
    rb_define_method(rows_class, "bytes", rows_bytes, 0);
    rb_undef_method(rows_class, "initialize_copy");
    posting_class = rb_define_class_under(native, "Posting", rb_cObject);
    rb_define_alloc_func(posting_class, posting_allocate);
    rb_define_method(posting_class, "initialize", posting_initialize, 2);
    rb_undef_method(posting_class, "initialize_copy");
    rb_define_singleton_method(native, "best_sums", best_sums, 4);
    rb_define_singleton_method(native, "enough_groups", enough_groups, 4);
}
