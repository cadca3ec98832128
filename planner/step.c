/* Step functions: making and combining. Everything is a merge of sorted cuts. */
#include "planner/step.h"

/* Kleene's tables lifted to sets: entry [x][y] is every value that the function takes for a value of x and one of y. A
   bit of the result depends on bits of the arguments only, so the tables can be written down by the compiler. */
#define AND(x, y)                                                                                                      \
    (((x)&LAKE_T && (y)&LAKE_T ? LAKE_T : 0) | (((x)&LAKE_F && (y)) || ((y)&LAKE_F && (x)) ? LAKE_F : 0) |             \
        (((x)&LAKE_U && (y) & (LAKE_T | LAKE_U)) || ((y)&LAKE_U && (x) & (LAKE_T | LAKE_U)) ? LAKE_U : 0))
#define OR(x, y)                                                                                                       \
    (((x)&LAKE_F && (y)&LAKE_F ? LAKE_F : 0) | (((x)&LAKE_T && (y)) || ((y)&LAKE_T && (x)) ? LAKE_T : 0) |             \
        (((x)&LAKE_U && (y) & (LAKE_F | LAKE_U)) || ((y)&LAKE_U && (x) & (LAKE_F | LAKE_U)) ? LAKE_U : 0))
#define UNION(x, y) ((x) | (y))
#define WHEN(x, y) ((x)&LAKE_T ? (y) : 0)
#define UNLESS(x, y) ((x) & (LAKE_F | LAKE_U) ? (y) : 0)
#define ROW(f, x)                                                                                                      \
    { f(x, 0), f(x, 1), f(x, 2), f(x, 3), f(x, 4), f(x, 5), f(x, 6), f(x, 7) }
#define TABLE(f)                                                                                                       \
    { ROW(f, 0), ROW(f, 1), ROW(f, 2), ROW(f, 3), ROW(f, 4), ROW(f, 5), ROW(f, 6), ROW(f, 7) }
const lake_outcomes lake_outcomes_and[8][8] = TABLE(AND), lake_outcomes_or[8][8] = TABLE(OR),
                    lake_outcomes_union[8][8] = TABLE(UNION);
const lake_outcomes lake_outcomes_when[8][8] = TABLE(WHEN), lake_outcomes_unless[8][8] = TABLE(UNLESS);

/* A step being built: cuts come in order; one that changes nothing is left out. */
typedef struct builder {
    lake_key_kind kind;
    lake_key *cuts;
    lake_outcomes *outs;
    size_t n;
} builder;

static bool begin(builder *b, lake_arena *arena, lake_key_kind kind, size_t room, lake_outcomes first) {
    *b = (builder){.kind = kind,
        .cuts = lake_arena_alloc(arena, (room + 1) * sizeof(lake_key)),
        .outs = lake_arena_alloc(arena, room + 1)};
    if (!b->cuts || !b->outs)
        return false;
    b->outs[0] = first;
    return true;
}

static void add(builder *b, lake_key cut, lake_outcomes out) {
    if (b->n && lake_key_cmp(b->kind, b->cuts[b->n - 1], cut) == 0) {
        b->outs[b->n] = out; /* an empty segment */
        if (b->outs[b->n - 1] == out)
            b->n--;
    } else if (out != b->outs[b->n]) {
        b->cuts[b->n++] = cut;
        b->outs[b->n] = out;
    }
}

static const lake_step *finish(const builder *b, lake_arena *arena, lake_outcomes null, lake_outcomes nan) {
    lake_step *s = LAKE_ARENA_NEW(arena, lake_step);
    if (!s)
        return NULL;
    *s = (lake_step){.kind = b->kind, .null = null, .nan = nan, .ncuts = b->n, .cuts = b->cuts, .outs = b->outs};
    for (size_t i = 0; i <= b->n; i++)
        s->all |= b->outs[i];
    return s;
}

const lake_step *lake_step_spans(lake_arena *arena, lake_key_kind kind, const lake_span *spans, size_t n,
    lake_outcomes inside, lake_outcomes outside, lake_outcomes null, lake_outcomes nan) {
    builder b;
    if (!begin(&b, arena, kind, 2 * n, n && spans[0].lo.at == LAKE_END_LOW ? inside : outside))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (spans[i].lo.at == LAKE_END_KEY)
            add(&b, spans[i].lo.key, inside);
        if (spans[i].hi.at == LAKE_END_KEY)
            add(&b, spans[i].hi.key, outside);
    }
    return finish(&b, arena, null, nan);
}

const lake_step *lake_step_keys(lake_arena *arena, lake_key_kind kind, const lake_key *keys, size_t n,
    lake_outcomes inside, lake_outcomes outside, lake_outcomes null, lake_outcomes nan) {
    builder b;
    if (!begin(&b, arena, kind, 2 * n, outside))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        lake_end next;
        add(&b, keys[i], inside);
        if (!lake_key_next(arena, kind, keys[i], &next))
            return NULL;
        if (next.at == LAKE_END_KEY)
            add(&b, next.key, outside);
    }
    return finish(&b, arena, null, nan);
}

const lake_step *lake_step_constant(
    lake_arena *arena, lake_key_kind kind, lake_outcomes value, lake_outcomes null, lake_outcomes nan) {
    return lake_step_spans(arena, kind, NULL, 0, value, value, null, nan);
}

const lake_step *lake_step_of(lake_arena *arena, lake_key_kind kind, const lake_key *cuts, const lake_outcomes *outs,
    size_t n, lake_outcomes null, lake_outcomes nan) {
    builder b;
    if (!begin(&b, arena, kind, n, outs[0]))
        return NULL;
    for (size_t i = 0; i < n; i++)
        add(&b, cuts[i], outs[i + 1]);
    return finish(&b, arena, null, nan);
}

const lake_step *lake_step_combine(
    lake_arena *arena, const lake_outcomes table[8][8], const lake_step *x, const lake_step *y) {
    builder b;
    size_t i = 0, j = 0;
    if (!begin(&b, arena, x->kind, x->ncuts + y->ncuts, table[x->outs[0]][y->outs[0]]))
        return NULL;
    while (i < x->ncuts || j < y->ncuts) {
        int c = i == x->ncuts ? 1 : j == y->ncuts ? -1 : lake_key_cmp(x->kind, x->cuts[i], y->cuts[j]);
        lake_key cut = c <= 0 ? x->cuts[i] : y->cuts[j];
        i += c <= 0;
        j += c >= 0;
        add(&b, cut, table[x->outs[i]][y->outs[j]]);
    }
    return finish(&b, arena, table[x->null][y->null], table[x->nan][y->nan]);
}

const lake_step *lake_step_reduce(
    lake_arena *arena, const lake_outcomes table[8][8], const lake_step **steps, size_t n) {
    for (; n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < n; i += 2) {
            const lake_step *s = i + 1 < n ? lake_step_combine(arena, table, steps[i], steps[i + 1]) : steps[i];
            if (!s)
                return NULL;
            steps[i / 2] = s;
        }
    return n ? steps[0] : NULL;
}

const lake_step *lake_step_map(lake_arena *arena, const lake_outcomes table[8], const lake_step *x) {
    builder b;
    if (!begin(&b, arena, x->kind, x->ncuts, table[x->outs[0]]))
        return NULL;
    for (size_t i = 0; i < x->ncuts; i++)
        add(&b, x->cuts[i], table[x->outs[i + 1]]);
    return finish(&b, arena, table[x->null], table[x->nan]);
}

static const lake_step *unite(lake_arena *arena, const lake_step *s, lake_end lo, lake_end hi, lake_outcomes out) {
    lake_span span = {lo, hi};
    const lake_step *more = s ? lake_step_spans(arena, s->kind, &span, 1, out, 0, 0, 0) : NULL;
    return more ? lake_step_combine(arena, lake_outcomes_union, s, more) : NULL;
}

const lake_step *lake_step_pull(
    lake_arena *arena, const lake_step *s, const lake_transform *t, const lake_type *source) {
    builder b;
    if (!begin(&b, arena, lake_type_kind(source), s->ncuts, s->outs[0]))
        return NULL;
    for (size_t i = 0; i < s->ncuts; i++) {
        lake_end pre;
        if (!lake_transform_pre(arena, t, source, lake_end_key(s->cuts[i]), &pre))
            return NULL;
        if (pre.at == LAKE_END_KEY)
            add(&b, pre.key, s->outs[i + 1]);
    }
    const lake_step *out = finish(&b, arena, s->null, s->nan);
    lake_wrap_span wraps[2];
    size_t n = lake_transform_wraps(t, source, false, wraps);
    for (size_t i = 0; i < n; i++)
        out = unite(arena, out, lake_end_key((lake_key){.i = wraps[i].lo}), lake_end_key((lake_key){.i = wraps[i].hi}),
            lake_step_at(s, (lake_key){.i = wraps[i].result}));
    if (t->id == LAKE_TRANSFORM_HOUR) { /* hours beyond an int wrap in some writers */
        lake_end limit;
        if (!lake_transform_pre(arena, t, source, lake_end_key((lake_key){.i = (lake_i128)1 << 31}), &limit))
            return NULL;
        out = unite(arena, out, lake_end_low(), lake_end_key((lake_key){.i = -limit.key.i}), LAKE_T | LAKE_F);
        out = unite(arena, out, limit, lake_end_top(), LAKE_T | LAKE_F);
    }
    return out;
}
