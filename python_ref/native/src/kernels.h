/* The native kernels: the dense scan and the sums of text postings (docs/native.md). Both languages build this source.
 *
 * No function here knows a language. None keeps anything between two calls but the rows that a caller owns. Sums are
 * taken from left to right in doubles (NUM-2); the file must be compiled without contraction and without -ffast-math.
 */
#ifndef HYBRID_SEARCH_KERNELS_H
#define HYBRID_SEARCH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A library that knows another interface does not use the package. */
#define HS_INTERFACE 1

#define HS_DONE 0
#define HS_NO_MEMORY (-1)

/* The rows of one vector field. They only grow, and never move: one thread may put rows behind those that others scan. */
typedef struct hs_rows hs_rows;

/* Slots and scores, in no order; the caller frees both with hs_found_free. */
typedef struct {
    size_t size;
    int64_t *slots;
    double *scores;
} hs_found;

/* A byte for each slot, 0 where it does not count; without bytes every slot counts. */
typedef struct {
    const uint8_t *bytes;
    size_t size;
} hs_mask;

/* What a clause scores: ascending slots, the score in each, and the factor of the clause. */
typedef struct {
    const int64_t *slots;
    const double *scores;
    size_t size;
    double boost;
} hs_clause;

/* A query by cosine: a vector of the rows' dimension, its norm, and the lowest cosine that counts (-INFINITY: any). */
typedef struct {
    const double *vector;
    double norm;
    size_t limit;
    double least;
} hs_query;

hs_rows *hs_rows_new(size_t dimension);
void hs_rows_free(hs_rows *rows);
size_t hs_rows_dimension(const hs_rows *rows);

/* The number of rows that were put, and of the bytes that they take. */
size_t hs_rows_size(const hs_rows *rows);
size_t hs_rows_bytes(const hs_rows *rows);

/* Writes a row: one of those that were put, or the next. The norm is that of NUM-3. */
int hs_rows_put(hs_rows *rows, size_t row, int64_t slot, const double *vector, double norm);
void hs_rows_get(const hs_rows *rows, size_t row, double *vector);

/* The slots and cosines of the best `limit` of the first `used` rows, with all ties of the last. */
int hs_rows_nearest(const hs_rows *rows, size_t used, hs_query query, hs_mask living, hs_mask allowed, hs_found *found);

/* The best `limit` sums of boost times score over the clauses, with all ties of the last, of the slots that count. */
int hs_best_sums(const hs_clause *clauses, size_t count, size_t all_slots, size_t limit, hs_mask counted,
                 hs_found *found);

/* Writes for each slot 1 where it counts and is in at least `required` groups of clauses, else 0.
 *
 * `groups` has the group of each clause, ascending. */
int hs_enough_groups(const hs_clause *clauses, const size_t *groups, size_t count, size_t required, size_t all_slots,
                     hs_mask counted, uint8_t *enough);

void hs_found_free(hs_found *found);

#endif
