/* See kernels.h; the proof that the screen loses nothing is in docs/native.md. */
#include "kernels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#if defined(__FAST_MATH__)
#error "sums must be exact: compile without -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "sums must be exact: compile with arithmetic in doubles (-msse2 -mfpmath=sse)"
#endif

#define SMALLEST_SCREENED 1e-30
#define LARGEST_SCREENED 1e30
#define MOST_STEPS 127
#define MOST_QUERY_STEPS 32767
#define FEWEST_QUERY_STEPS 127
#define WIDER 1.000001
#define WIDER_BY 1e-12
#define ROUNDOFF (DBL_EPSILON / 2)

#define FIRST_SEGMENT 256
#define SEGMENTS 48
#define LANES 16
#define ROWS_AT_ONCE 4
#define MIDDLE 128
#define AT_ONCE 8
#define WINDOW 4096
#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define FEWEST_CHOSEN 1024

/* ------------------------------------------------------------------------------------------------------------ choice */

/* Slots or rows that may be among the best `limit`. What is known of a score is that it is from `lows` to `highs`. */
typedef struct {
    size_t limit;
    double least; /* lower scores are not among the best */
    size_t size;
    size_t room;
    int64_t *slots;
    double *lows;
    double *highs;
    uint64_t *keys;
} choice;

static void choice_free(choice *chosen)
{
    free(chosen->slots);
    free(chosen->lows);
    free(chosen->highs);
    free(chosen->keys);
}

/* Integers in the order of the doubles; only -0.0 and 0.0 have different ones, which are neighbours. */
static uint64_t key_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double number_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* The number at a place, from 1 on, in descending order, digit by digit: linear for any input. */
static double at_place(const double *numbers, size_t size, size_t place, uint64_t *keys)
{
    for (size_t one = 0; one < size; one++)
        keys[one] = key_of(numbers[one]);
    for (int shift = 64 - DIGIT_BITS; size > 1; shift = shift > DIGIT_BITS ? shift - DIGIT_BITS : 0) {
        size_t with[DIGITS] = {0};
        size_t digit = DIGITS - 1, kept = 0;
        for (size_t one = 0; one < size; one++)
            with[keys[one] >> shift & (DIGITS - 1)]++;
        while (with[digit] < place)
            place -= with[digit--];
        for (size_t one = 0; one < size; one++)
            if ((keys[one] >> shift & (DIGITS - 1)) == digit)
                keys[kept++] = keys[one];
        size = kept;
        if (!shift)
            break;
    }
    return number_of(keys[0]);
}

/* Removes what is not among the best. */
static void choice_prune(choice *chosen)
{
    if (chosen->size > chosen->limit) {
        double least = at_place(chosen->lows, chosen->size, chosen->limit, chosen->keys);
        if (least > chosen->least)
            chosen->least = least;
    }
    size_t kept = 0;
    for (size_t one = 0; one < chosen->size; one++) {
        if (!(chosen->highs[one] >= chosen->least))
            continue;
        chosen->slots[kept] = chosen->slots[one];
        chosen->lows[kept] = chosen->lows[one];
        chosen->highs[kept++] = chosen->highs[one];
    }
    chosen->size = kept;
}

static int grown(void **items, size_t count, size_t size)
{
    void *moved = count > SIZE_MAX / size ? NULL : realloc(*items, count * size);
    if (moved)
        *items = moved;
    return moved != NULL;
}

/* Makes room for more. */
static int choice_grow(choice *chosen)
{
    if (chosen->room)
        choice_prune(chosen);
    if (2 * chosen->size <= chosen->room && chosen->room)
        return HS_DONE;
    size_t room = chosen->room ? 2 * chosen->room : FEWEST_CHOSEN;
    if (!grown((void **)&chosen->slots, room, sizeof *chosen->slots) ||
        !grown((void **)&chosen->lows, room, sizeof *chosen->lows) ||
        !grown((void **)&chosen->highs, room, sizeof *chosen->highs) ||
        !grown((void **)&chosen->keys, room, sizeof *chosen->keys))
        return HS_NO_MEMORY;
    chosen->room = room;
    return HS_DONE;
}

static int choice_add(choice *chosen, int64_t slot, double low, double high)
{
    if (!(high >= chosen->least))
        return HS_DONE;
    if (chosen->size == chosen->room && choice_grow(chosen) != HS_DONE)
        return HS_NO_MEMORY;
    chosen->slots[chosen->size] = slot;
    chosen->lows[chosen->size] = low;
    chosen->highs[chosen->size++] = high;
    return HS_DONE;
}

/* Gives what was chosen to the caller. */
static int choice_give(choice *chosen, int status, hs_found *found)
{
    memset(found, 0, sizeof *found);
    if (status != HS_DONE) {
        choice_free(chosen);
        return status;
    }
    choice_prune(chosen);
    found->size = chosen->size;
    found->slots = chosen->slots;
    found->scores = chosen->highs;
    free(chosen->lows);
    free(chosen->keys);
    return HS_DONE;
}

void hs_found_free(hs_found *found)
{
    free(found->slots);
    free(found->scores);
    memset(found, 0, sizeof *found);
}

static int counts(hs_mask mask, int64_t slot)
{
    return !mask.bytes || ((uint64_t)slot < mask.size && mask.bytes[slot]);
}

/* -------------------------------------------------------------------------------------------------------------- rows */

/* Segment s has 256 · 2^s rows, so that none has ever to be moved. A row is exact as floats where that loses nothing,
 * else as doubles; its steps, ratio and error are those of the screen. */
typedef struct {
    uint8_t *steps;
    float *singles;
    double *doubles;
    uint8_t *is_double;
    double *ratios;
    double *errors;
    double *norms;
    int64_t *slots;
} segment;

struct hs_rows {
    size_t dimension;
    size_t width;
    size_t size;
    size_t bytes;
    segment segments[SEGMENTS];
};

static size_t first_of(size_t number)
{
    return FIRST_SEGMENT * (((size_t)1 << number) - 1);
}

static size_t segment_of(size_t row)
{
    size_t number = 0;
    while (row >= first_of(number + 1))
        number++;
    return number;
}

hs_rows *hs_rows_new(size_t dimension)
{
    hs_rows *rows = calloc(1, sizeof *rows);
    if (!rows)
        return NULL;
    rows->dimension = dimension;
    rows->width = (dimension + LANES - 1) / LANES * LANES;
    return rows;
}

void hs_rows_free(hs_rows *rows)
{
    if (!rows)
        return;
    for (size_t number = 0; number < SEGMENTS; number++) {
        segment *one = &rows->segments[number];
        free(one->steps);
        free(one->singles);
        free(one->doubles);
        free(one->is_double);
        free(one->ratios);
        free(one->errors);
        free(one->norms);
        free(one->slots);
    }
    free(rows);
}

size_t hs_rows_dimension(const hs_rows *rows)
{
    return rows->dimension;
}

size_t hs_rows_size(const hs_rows *rows)
{
    return rows->size;
}

size_t hs_rows_bytes(const hs_rows *rows)
{
    return rows->bytes;
}

/* Memory for items, where there is none yet. */
static void *room(hs_rows *rows, void *there, size_t items, size_t size)
{
    if (there || (size && items > SIZE_MAX / size))
        return there;
    size_t wanted = items * size;
    void *made = malloc(wanted ? wanted : 1);
    if (made)
        rows->bytes += wanted;
    return made;
}

static int fits_single(const double *vector, size_t dimension)
{
    for (size_t place = 0; place < dimension; place++)
        if (!(fabs(vector[place]) <= FLT_MAX) || (double)(float)vector[place] != vector[place])
            return 0;
    return 1;
}

/* Whole steps of a vector, their length as a share of its norm, and a bound for the share that they miss. */
static void steps_of(const double *vector, size_t dimension, double norm, int most, int16_t *steps, double *ratio,
                     double *error)
{
    double largest = 0.0;
    for (size_t place = 0; place < dimension; place++)
        if (fabs(vector[place]) > largest)
            largest = fabs(vector[place]);
    double length = largest / most;
    double missed = 0.0;
    for (size_t place = 0; place < dimension; place++) {
        double whole = floor(vector[place] / length + 0.5);
        whole = whole > most ? most : whole < -most ? -most : whole;
        steps[place] = (int16_t)whole;
        double rest = vector[place] - length * whole;
        missed += rest * rest;
    }
    *ratio = length / norm;
    *error = sqrt(missed) / norm * WIDER + WIDER_BY;
}

static int is_sound(double norm)
{
    return norm > SMALLEST_SCREENED && norm < LARGEST_SCREENED;
}

int hs_rows_put(hs_rows *rows, size_t row, int64_t slot, const double *vector, double norm)
{
    size_t number = segment_of(row);
    if (row > rows->size || number >= SEGMENTS)
        return HS_NO_MEMORY;
    segment *one = &rows->segments[number];
    size_t items = (size_t)FIRST_SEGMENT << number;
    size_t place = row - first_of(number);
    size_t dimension = rows->dimension;
    int is_double = !fits_single(vector, dimension);
    one->steps = room(rows, one->steps, items, rows->width);
    one->ratios = room(rows, one->ratios, items, sizeof *one->ratios);
    one->errors = room(rows, one->errors, items, sizeof *one->errors);
    one->norms = room(rows, one->norms, items, sizeof *one->norms);
    one->slots = room(rows, one->slots, items, sizeof *one->slots);
    one->is_double = room(rows, one->is_double, items, 1);
    if (is_double)
        one->doubles = room(rows, one->doubles, items, dimension * sizeof *one->doubles);
    else
        one->singles = room(rows, one->singles, items, dimension * sizeof *one->singles);
    int16_t *steps = calloc(rows->width ? rows->width : 1, sizeof *steps);
    if (!one->steps || !one->ratios || !one->errors || !one->norms || !one->slots || !one->is_double || !steps ||
        !(is_double ? (void *)one->doubles : (void *)one->singles)) {
        free(steps);
        return HS_NO_MEMORY;
    }
    one->ratios[place] = 0.0;
    one->errors[place] = norm == 0.0 ? 0.0 : INFINITY; /* with norm 0 the cosine is 0.0, as the estimate */
    if (is_sound(norm))
        steps_of(vector, dimension, norm, MOST_STEPS, steps, &one->ratios[place], &one->errors[place]);
    for (size_t item = 0; item < rows->width; item++)
        one->steps[place * rows->width + item] = (uint8_t)(steps[item] + MIDDLE);
    free(steps);
    if (is_double)
        memcpy(one->doubles + place * dimension, vector, dimension * sizeof *vector);
    else
        for (size_t item = 0; item < dimension; item++)
            one->singles[place * dimension + item] = (float)vector[item];
    one->is_double[place] = (uint8_t)is_double;
    one->norms[place] = norm;
    one->slots[place] = slot;
    if (row == rows->size)
        rows->size = row + 1;
    return HS_DONE;
}

void hs_rows_get(const hs_rows *rows, size_t row, double *vector)
{
    size_t number = segment_of(row);
    const segment *one = &rows->segments[number];
    size_t place = row - first_of(number);
    for (size_t item = 0; item < rows->dimension; item++)
        vector[item] = one->is_double[place] ? one->doubles[place * rows->dimension + item]
                                             : (double)one->singles[place * rows->dimension + item];
}

/* ------------------------------------------------------------------------------------------------------- exact cosines */

/* The sum of products of one row with a vector, from left to right, beginning with 0.0 (NUM-2). */
static double exact_dot(const segment *one, size_t place, size_t dimension, const double *vector)
{
    double sum = 0.0;
    if (one->is_double[place]) {
        const double *row = one->doubles + place * dimension;
        for (size_t item = 0; item < dimension; item++)
            sum += row[item] * vector[item];
    } else {
        const float *row = one->singles + place * dimension;
        for (size_t item = 0; item < dimension; item++)
            sum += (double)row[item] * vector[item];
    }
    return sum;
}

/* The same for some rows of floats: each has a sum of its own, so none waits for the last addition of another. */
static void exact_dots(const float *const *rows, size_t dimension, const double *vector, double *sums)
{
    double found[AT_ONCE] = {0.0};
    for (size_t item = 0; item < dimension; item++) {
        double factor = vector[item];
        for (size_t row = 0; row < AT_ONCE; row++)
            found[row] += (double)rows[row][item] * factor;
    }
    memcpy(sums, found, sizeof found);
}

static double cosine(double dot, double query_norm, double norm)
{
    return query_norm == 0.0 || norm == 0.0 ? 0.0 : dot / (query_norm * norm);
}

/* Replaces rows by their slots, and what is known of their cosines by these. */
static void exact_cosines(const hs_rows *rows, hs_query query, choice *found)
{
    const float *singles[AT_ONCE];
    size_t waiting[AT_ONCE];
    size_t many = 0;
    for (size_t entry = 0; entry <= found->size; entry++) {
        if (many == AT_ONCE || (entry == found->size && many)) {
            double sums[AT_ONCE];
            for (size_t row = many; row < AT_ONCE; row++)
                singles[row] = singles[0];
            exact_dots(singles, rows->dimension, query.vector, sums);
            for (size_t row = 0; row < many; row++)
                found->highs[waiting[row]] = cosine(sums[row], query.norm, found->highs[waiting[row]]);
            many = 0;
        }
        if (entry == found->size)
            break;
        size_t row = (size_t)found->slots[entry];
        size_t number = segment_of(row);
        const segment *one = &rows->segments[number];
        size_t place = row - first_of(number);
        double norm = one->norms[place];
        found->slots[entry] = one->slots[place];
        if (one->is_double[place]) {
            double dot = exact_dot(one, place, rows->dimension, query.vector);
            found->highs[entry] = cosine(dot, query.norm, norm);
        } else {
            found->highs[entry] = norm; /* until its sum is there */
            waiting[many] = entry;
            singles[many++] = one->singles + place * rows->dimension;
        }
    }
}

/* ------------------------------------------------------------------------------------------------------------- screen */

/* The query in whole steps: those of components with even numbers, and with odd ones, as the rows' bytes are read. */
typedef struct {
    int16_t *even;
    int16_t *odd;
    int32_t sum;
} query_steps;

/* The most steps that a component of the query may have, so that no sum of products leaves 32 bits. */
static int most_query_steps(size_t dimension)
{
    size_t most = (size_t)INT32_MAX / UINT8_MAX / (dimension ? dimension : 1);
    return most > MOST_QUERY_STEPS ? MOST_QUERY_STEPS : (int)most;
}

#if defined(__SSE2__)
static __m128i products_of(const uint8_t *row, __m128i even, __m128i odd)
{
    __m128i both = _mm_loadu_si128((const __m128i *)row);
    __m128i first = _mm_madd_epi16(_mm_and_si128(both, _mm_set1_epi16(0xff)), even);
    return _mm_add_epi32(first, _mm_madd_epi16(_mm_srli_epi16(both, 8), odd));
}

static int32_t sum_of(__m128i four)
{
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
    return _mm_cvtsi128_si32(four);
}
#endif

/* The sums of products of whole steps, of ROWS_AT_ONCE rows. Integers do not round, so their order does not matter. */
static void steps_dots(const uint8_t *rows, size_t width, const query_steps *query, int32_t *dots)
{
#if defined(__SSE2__)
    __m128i sums[ROWS_AT_ONCE];
    for (size_t row = 0; row < ROWS_AT_ONCE; row++)
        sums[row] = _mm_setzero_si128();
    for (size_t item = 0; item < width; item += LANES) {
        __m128i even = _mm_loadu_si128((const __m128i *)(query->even + item / 2));
        __m128i odd = _mm_loadu_si128((const __m128i *)(query->odd + item / 2));
        for (size_t row = 0; row < ROWS_AT_ONCE; row++)
            sums[row] = _mm_add_epi32(sums[row], products_of(rows + row * width + item, even, odd));
    }
    for (size_t row = 0; row < ROWS_AT_ONCE; row++)
        dots[row] = sum_of(sums[row]) - MIDDLE * query->sum;
#else
    for (size_t row = 0; row < ROWS_AT_ONCE; row++, rows += width) {
        int32_t sum = 0;
        for (size_t item = 0; item < width; item += 2)
            sum += (int32_t)rows[item] * query->even[item / 2] + (int32_t)rows[item + 1] * query->odd[item / 2];
        dots[row] = sum - MIDDLE * query->sum;
    }
#endif
}

/* Collects rows that may be among the best, each with the highest cosine that it can have. */
static int screened(const hs_rows *rows, size_t used, hs_query query, hs_mask living, hs_mask allowed, choice *chosen)
{
    size_t half = rows->width / 2;
    int16_t *steps = calloc(rows->width ? 2 * rows->width : 1, sizeof *steps);
    if (!steps)
        return HS_NO_MEMORY;
    double ratio, error;
    steps_of(query.vector, rows->dimension, query.norm, most_query_steps(rows->dimension), steps, &ratio, &error);
    query_steps asked = {steps + rows->width, steps + rows->width + half, 0};
    for (size_t item = 0; item < half; item++) {
        asked.even[item] = steps[2 * item];
        asked.odd[item] = steps[2 * item + 1];
        asked.sum += steps[2 * item] + steps[2 * item + 1];
    }
    double slack = 32.0 * ((double)rows->dimension + 8.0) * ROUNDOFF;
    double missed = error + slack * (1.0 + error);
    int status = HS_DONE;
    for (size_t row = 0, number = 0; row < used && status == HS_DONE; number++) {
        const segment *one = &rows->segments[number];
        size_t items = (size_t)FIRST_SEGMENT << number;
        if (items > used - row)
            items = used - row;
        for (size_t place = 0; place < items && status == HS_DONE; place++) {
            /* A segment has room for whole groups; the steps of rows behind the last mean nothing. */
            int32_t dots[ROWS_AT_ONCE];
            if (place % ROWS_AT_ONCE == 0)
                steps_dots(one->steps + place * rows->width, rows->width, &asked, dots);
            double wrong = one->errors[place];
            wrong += (1.0 + wrong) * missed;
            double estimate = one->ratios[place] * ratio * (double)dots[place % ROWS_AT_ONCE];
            if (estimate + wrong >= chosen->least && counts(living, one->slots[place]) &&
                counts(allowed, one->slots[place]))
                status = choice_add(chosen, (int64_t)(row + place), estimate - wrong, estimate + wrong);
        }
        row += items;
    }
    free(steps);
    choice_prune(chosen);
    return status;
}

static int all_counted(const hs_rows *rows, size_t used, hs_mask living, hs_mask allowed, choice *chosen)
{
    int status = HS_DONE;
    for (size_t row = 0, number = 0; row < used && status == HS_DONE; number++) {
        size_t items = (size_t)FIRST_SEGMENT << number;
        for (size_t place = 0; place < items && row < used && status == HS_DONE; place++, row++) {
            int64_t slot = rows->segments[number].slots[place];
            if (counts(living, slot) && counts(allowed, slot))
                status = choice_add(chosen, (int64_t)row, -INFINITY, INFINITY);
        }
    }
    return status;
}

int hs_rows_nearest(const hs_rows *rows, size_t used, hs_query query, hs_mask living, hs_mask allowed, hs_found *found)
{
    choice chosen = {.limit = query.limit, .least = query.least};
    int status = HS_DONE;
    if (used > rows->size)
        used = rows->size;
    if (query.limit) {
        int useful = used > query.limit || query.least > -INFINITY;
        if (useful && is_sound(query.norm) && most_query_steps(rows->dimension) >= FEWEST_QUERY_STEPS)
            status = screened(rows, used, query, living, allowed, &chosen);
        else
            status = all_counted(rows, used, living, allowed, &chosen);
    }
    if (status == HS_DONE) {
        exact_cosines(rows, query, &chosen);
        if (chosen.size)
            memcpy(chosen.lows, chosen.highs, chosen.size * sizeof *chosen.lows);
        chosen.least = query.least;
    }
    return choice_give(&chosen, status, found);
}

/* --------------------------------------------------------------------------------------------------------- text sums */

/* Slots are taken in windows, so that the sums of one stay in the processor's cache. */
int hs_best_sums(const hs_clause *clauses, size_t count, size_t all_slots, size_t limit, hs_mask counted,
                 hs_found *found)
{
    choice chosen = {.limit = limit, .least = -INFINITY};
    size_t *next = calloc(count ? count : 1, sizeof *next);
    double *sums = malloc(WINDOW * sizeof *sums);
    uint8_t *held = malloc(WINDOW);
    int status = next && sums && held ? HS_DONE : HS_NO_MEMORY;
    for (size_t first = 0; limit && first < all_slots && status == HS_DONE; first += WINDOW) {
        size_t width = all_slots - first < WINDOW ? all_slots - first : WINDOW;
        int any = 0;
        for (size_t one = 0; one < count; one++) {
            const hs_clause *clause = &clauses[one];
            size_t at = next[one];
            if (at >= clause->size || (uint64_t)clause->slots[at] - first >= width)
                continue;
            if (!any) {
                memset(held, 0, WINDOW);
                for (size_t place = 0; place < width; place++)
                    sums[place] = 0.0;
                any = 1;
            }
            for (; at < clause->size; at++) {
                uint64_t place = (uint64_t)clause->slots[at] - first;
                if (place >= width)
                    break;
                sums[place] += clause->boost * clause->scores[at];
                held[place] = 1;
            }
            next[one] = at;
        }
        for (size_t place = 0; any && place < width && status == HS_DONE; place++) {
            if (held[place] && sums[place] >= chosen.least && counts(counted, (int64_t)(first + place)))
                status = choice_add(&chosen, (int64_t)(first + place), sums[place], sums[place]);
        }
    }
    free(next);
    free(sums);
    free(held);
    return choice_give(&chosen, status, found);
}

int hs_enough_groups(const hs_clause *clauses, const size_t *groups, size_t count, size_t required, size_t all_slots,
                     hs_mask counted, uint8_t *enough)
{
    size_t *next = calloc(count ? count : 1, sizeof *next);
    uint32_t *met = malloc(WINDOW * sizeof *met);
    size_t *last = malloc(WINDOW * sizeof *last);
    int status = next && met && last ? HS_DONE : HS_NO_MEMORY;
    for (size_t first = 0; first < all_slots && status == HS_DONE; first += WINDOW) {
        size_t width = all_slots - first < WINDOW ? all_slots - first : WINDOW;
        for (size_t place = 0; place < width; place++) {
            met[place] = 0;
            last[place] = SIZE_MAX;
        }
        for (size_t one = 0; one < count; one++) {
            const hs_clause *clause = &clauses[one];
            size_t at = next[one];
            for (; at < clause->size; at++) {
                uint64_t place = (uint64_t)clause->slots[at] - first;
                if (place >= width)
                    break;
                met[place] += last[place] != groups[one];
                last[place] = groups[one];
            }
            next[one] = at;
        }
        for (size_t place = 0; place < width; place++)
            enough[first + place] = met[place] >= required && counts(counted, (int64_t)(first + place));
    }
    free(next);
    free(met);
    free(last);
    return status;
}
