/* Compares the kernels with sums that are written down plainly, on drawn input; `rake native:sanitized` runs it with the
 * sanitizers of addresses and of undefined behaviour.
 *
 *   driver SEED ROUNDS
 */
#include "../src/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t drawn(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

static size_t below(size_t limit)
{
    return (size_t)(drawn() % limit);
}

static double share(void)
{
    return (double)(drawn() >> 11) * 0x1p-53;
}

static void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "driver: %s differ from the plain form\n", what);
    exit(1);
}

static double dot(const double *left, const double *right, size_t size)
{
    double sum = 0.0;
    for (size_t one = 0; one < size; one++)
        sum += left[one] * right[one];
    return sum;
}

static void vector_of(double *vector, size_t dimension)
{
    static const double scales[] = {1.0, 1.0, 1.0, 1e150, 1e-160, 1e35, 0.0};
    double scale = scales[below(7)];
    int single = below(2) == 0;
    for (size_t one = 0; one < dimension; one++) {
        double number = (share() - 0.5) * scale;
        vector[one] = single && fabs(number) < 1e30 ? (double)(float)number : number;
    }
}

static int descending(const void *left, const void *right)
{
    double one = *(const double *)left, two = *(const double *)right;
    return (one < two) - (one > two);
}

/* Each expected slot is found once with the same bits, and no other is. `scores` has NAN where a slot does not count. */
static void compare(const hs_found *found, const double *scores, size_t slots, size_t limit, const char *what)
{
    double *ordered = malloc((slots + 1) * sizeof *ordered);
    uint8_t *seen = calloc(slots + 1, 1);
    size_t many = 0, wanted = 0;
    for (size_t slot = 0; slot < slots; slot++)
        if (!isnan(scores[slot]))
            ordered[many++] = scores[slot];
    qsort(ordered, many, sizeof *ordered, descending);
    double least = limit && many >= limit ? ordered[limit - 1] : -INFINITY;
    for (size_t slot = 0; slot < slots && limit; slot++)
        wanted += scores[slot] >= least;
    check(found->size == wanted, what);
    for (size_t one = 0; one < found->size; one++) {
        size_t slot = (size_t)found->slots[one];
        check(slot < slots && !seen[slot] && !memcmp(&scores[slot], &found->scores[one], sizeof *scores), what);
        seen[slot] = 1;
    }
    free(ordered);
    free(seen);
}

static void dense(void)
{
    static const size_t dimensions[] = {1, 2, 15, 16, 17, 33, 100, 384, 4096};
    size_t dimension = dimensions[below(9)];
    size_t size = below(dimension > 400 ? 20 : 900), slots = 2 * size + 1;
    hs_rows *rows = hs_rows_new(dimension);
    double *vectors = malloc((size + 1) * dimension * sizeof *vectors), *query = malloc(dimension * sizeof *query);
    double *norms = malloc((size + 1) * sizeof *norms), *scores = malloc(slots * sizeof *scores);
    double *copy = malloc(dimension * sizeof *copy);
    uint8_t *living = malloc(slots), *allowed = malloc(slots);
    for (size_t row = 0; row < size; row++) {
        double *vector = vectors + row * dimension;
        if (row && below(4) == 0)
            memcpy(vector, vectors + below(row) * dimension, dimension * sizeof *vector);
        else
            vector_of(vector, dimension);
        norms[row] = sqrt(dot(vector, vector, dimension));
        if (below(5) == 0) /* one that is given up */
            check(hs_rows_put(rows, row, 0, vector, norms[row]) == HS_DONE, "rows");
        check(hs_rows_put(rows, row, (int64_t)(2 * row), vector, norms[row]) == HS_DONE, "rows");
        hs_rows_get(rows, row, copy);
        check(!memcmp(copy, vector, dimension * sizeof *copy), "vectors");
    }
    for (size_t slot = 0; slot < slots; slot++) {
        living[slot] = below(4) != 0;
        allowed[slot] = below(3) != 0;
    }
    for (int asked = 0; asked < 6; asked++) {
        if (size && below(2))
            memcpy(query, vectors + below(size) * dimension, dimension * sizeof *query);
        else
            vector_of(query, dimension);
        static const double lowest[] = {-INFINITY, -INFINITY, 0.0, 0.5, 1.0, -1.0};
        hs_query given = {query, sqrt(dot(query, query, dimension)), below(size + 3), lowest[below(6)]};
        hs_mask by_life = {below(2) ? living : NULL, slots}, by_filter = {below(2) ? allowed : NULL, slots};
        size_t used = size ? below(size + 1) : 0;
        for (size_t slot = 0; slot < slots; slot++) {
            size_t row = slot / 2;
            scores[slot] = NAN;
            if (slot % 2 || row >= used || (by_life.bytes && !living[slot]) || (by_filter.bytes && !allowed[slot]))
                continue;
            double cosine = given.norm == 0.0 || norms[row] == 0.0
                                ? 0.0
                                : dot(query, vectors + row * dimension, dimension) / (given.norm * norms[row]);
            if (cosine >= given.least)
                scores[slot] = cosine;
        }
        hs_found found;
        check(hs_rows_nearest(rows, used, given, by_life, by_filter, &found) == HS_DONE, "nearest");
        compare(&found, scores, slots, given.limit, "nearest");
        hs_found_free(&found);
    }
    hs_rows_free(rows);
    free(vectors);
    free(query);
    free(norms);
    free(scores);
    free(copy);
    free(living);
    free(allowed);
}

static void sums(void)
{
    static const size_t sizes[] = {1, 7, 100, 4095, 4096, 4097, 9000};
    size_t slots = sizes[below(7)], count = below(7);
    hs_clause clauses[7];
    size_t groups[7];
    double *totals = malloc(slots * sizeof *totals);
    size_t *met = calloc(slots, sizeof *met);
    uint8_t *counted = malloc(slots), *enough = malloc(slots);
    for (size_t slot = 0; slot < slots; slot++) {
        totals[slot] = NAN;
        counted[slot] = below(3) != 0;
    }
    for (size_t one = 0, group = 0; one < count; one++) {
        int64_t *where = malloc(slots * sizeof *where);
        double *score = malloc(slots * sizeof *score), boost = below(2) ? 1.0 : share() * 4;
        size_t size = 0, every = 1 + below(20);
        for (size_t slot = 0; slot < slots; slot++)
            if (below(every) == 0) {
                where[size] = (int64_t)slot;
                score[size++] = below(3) ? share() * 9 : (double)below(3) - 1.0;
            }
        clauses[one] = (hs_clause){where, score, size, boost};
        group += below(2);
        groups[one] = group;
        for (size_t place = 0; place < size; place++) {
            double *total = &totals[where[place]];
            *total = (isnan(*total) ? 0.0 : *total) + boost * score[place];
        }
    }
    for (size_t slot = 0; slot < slots; slot++) /* groups of a slot */
        for (size_t one = 0, last = SIZE_MAX; one < count; one++)
            for (size_t place = 0; place < clauses[one].size; place++)
                if ((size_t)clauses[one].slots[place] == slot && groups[one] != last && slots < 200) {
                    met[slot]++;
                    last = groups[one];
                }
    hs_mask mask = {below(2) ? counted : NULL, slots};
    size_t limit = below(slots + 3), required = below(4);
    hs_found found;
    check(hs_enough_groups(clauses, groups, count, required, slots, mask, enough) == HS_DONE, "groups");
    for (size_t slot = 0; slot < slots && slots < 200; slot++)
        check(enough[slot] == (met[slot] >= required && (!mask.bytes || counted[slot])), "groups");
    for (size_t slot = 0; slot < slots && mask.bytes; slot++)
        if (!counted[slot])
            totals[slot] = NAN;
    check(hs_best_sums(clauses, count, slots, limit, mask, &found) == HS_DONE, "sums");
    compare(&found, totals, slots, limit, "sums");
    hs_found_free(&found);
    for (size_t one = 0; one < count; one++) { /* what is not ascending is not counted, and does no harm */
        int64_t *wild = (int64_t *)clauses[one].slots;
        for (size_t place = 0; place < clauses[one].size; place++)
            if (below(3) == 0)
                wild[place] = (int64_t)drawn();
    }
    check(hs_best_sums(clauses, count, slots, limit, mask, &found) == HS_DONE, "wild sums");
    hs_found_free(&found);
    check(hs_enough_groups(clauses, groups, count, required, slots, mask, enough) == HS_DONE, "wild groups");
    for (size_t one = 0; one < count; one++) {
        free((void *)clauses[one].slots);
        free((void *)clauses[one].scores);
    }
    free(totals);
    free(met);
    free(counted);
    free(enough);
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    state = strtoull(arguments[1], NULL, 10);
    for (long rounds = strtol(arguments[2], NULL, 10); rounds > 0; rounds--) {
        dense();
        sums();
    }
    puts("driver: the kernels agree with the plain form");
    return 0;
}
