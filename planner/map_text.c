/* Functions of text that keep no order: upper and lower case, text put behind, numbers written as text. What follows
   for their source is known for single results, and for all that begin with some text; other results say the same
   everywhere. Case is folded as any_case.c says. */
#include "planner/node.h"

enum { MANY_RESULTS = 100000 };

/* A segment of a step over texts: one text, those that begin with it, or neither. */
typedef enum segment_kind { WIDE, POINT, PREFIX } segment_kind;

typedef struct pull {
    lake_arena *arena;
    const lake_curve *map;
    const lake_step *step;
    lake_outcomes wide; /* of all results that lie in wide segments */
    const lake_step **steps;
    size_t n;
} pull;

static bool segment(const pull *p, size_t i, lake_bytes *text, segment_kind *kind) {
    const lake_step *s = p->step;
    lake_end prefix;
    *text = i ? s->cuts[i - 1].b : (lake_bytes){(const uint8_t *)"", 0};
    *kind = WIDE;
    if (!lake_key_next_prefix(p->arena, *text, &prefix))
        return false;
    if (i == s->ncuts) {
        *kind = text->len && prefix.at == LAKE_END_TOP ? PREFIX : WIDE;
        return true;
    }
    lake_bytes end = s->cuts[i].b;
    if (end.len == text->len + 1 && end.ptr[text->len] == 0 && (!text->len || !memcmp(end.ptr, text->ptr, text->len)))
        *kind = POINT;
    else if (text->len && prefix.at == LAKE_END_KEY && lake_bytes_cmp(prefix.key.b, end) == 0)
        *kind = PREFIX;
    return true;
}

/* ---- upper, lower */
static bool is_letter(uint8_t c, bool upper) {
    return upper ? c >= 'A' && c <= 'Z' : c >= 'a' && c <= 'z';
}

/* How much of a result tells its source's spelling letter by letter. A mark that is no ASCII may come from one
   character together with the letter before it, and some pairs of upper case are one letter below: ß, ﬁ, ﬆ. */
static size_t told(lake_bytes text, bool upper) {
    static const char *const pairs[] = {"SS", "FF", "FI", "FL", "ST"};
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] >= 0x80)
            return i ? i - 1 : 0;
        for (size_t k = 0; upper && i + 1 < text.len && k < sizeof pairs / sizeof *pairs; k++)
            if (!memcmp(text.ptr + i, pairs[k], 2))
                return i;
    }
    return text.len;
}

static bool pull_case(pull *p, lake_bytes text, segment_kind kind, lake_outcomes out) {
    bool upper = p->map->factor > 0, whole;
    size_t len = told(text, upper), n;
    /* The last letter of a prefix may be the first half of a pair. */
    if (upper && kind == PREFIX && len == text.len && len && strchr("SF", text.ptr[len - 1]))
        len--;
    for (size_t i = 0; i < len; i++)
        if (is_letter(text.ptr[i], !upper))
            return true; /* nothing has such a result */
    lake_bytes *texts;
    if (!lake_any_case_texts(p->arena, (lake_bytes){text.ptr, len}, &texts, &n, &whole))
        return false;
    lake_span *spans = LAKE_ARENA_ARRAY(p->arena, lake_span, n);
    bool point = kind == POINT && whole && len == text.len;
    for (size_t i = 0; spans && i < n; i++) {
        spans[i].lo = texts[i].len || point ? lake_end_key((lake_key){.b = texts[i]}) : lake_end_low();
        if (!(point ? lake_key_next(p->arena, LAKE_KEY_BYTES, (lake_key){.b = texts[i]}, &spans[i].hi)
                    : lake_key_next_prefix(p->arena, texts[i], &spans[i].hi)))
            return false;
    }
    return spans &&
        (p->steps[p->n++] = lake_step_spans(
             p->arena, LAKE_KEY_BYTES, spans, n, (lake_outcomes)(out | p->wide), p->wide, p->step->null, p->step->nan));
}

/* ---- s || 'x' */
static bool pull_append(pull *p, lake_bytes text, lake_outcomes out) {
    lake_str end = p->map->text;
    if (text.len < end.len || (end.len && memcmp(text.ptr + text.len - end.len, end.ptr, end.len)))
        return true;
    lake_key key = {.b = {text.ptr, text.len - end.len}};
    p->steps[p->n++] = lake_step_keys(
        p->arena, LAKE_KEY_BYTES, &key, 1, (lake_outcomes)(out | p->wide), p->wide, p->step->null, p->step->nan);
    return p->steps[p->n - 1];
}

/* ---- numbers */
static bool pull_digits(pull *p, lake_bytes text, lake_outcomes out) {
    bool minus = text.len && text.ptr[0] == '-';
    lake_key lo, hi, key = {.i = 0};
    lake_curve_domain(&p->map->from, &lo, &hi);
    if (text.len == minus || text.len > 20 || (text.ptr[minus] == '0' && text.len > 1))
        return true; /* no number is written so */
    for (size_t i = minus; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return true;
        key.i = key.i * 10 + (text.ptr[i] - '0');
    }
    if (minus)
        key.i = -key.i;
    if (key.i < lo.i || key.i > hi.i)
        return true;
    p->steps[p->n++] = lake_step_keys(
        p->arena, LAKE_KEY_INT, &key, 1, (lake_outcomes)(out | p->wide), p->wide, p->step->null, LAKE_ANY);
    return p->steps[p->n - 1];
}

/* ---- 'x' || s keeps the order */
static const lake_step *pull_prepend(lake_arena *arena, const lake_curve *m, const lake_step *s) {
    lake_key *cuts = LAKE_ARENA_ARRAY(arena, lake_key, s->ncuts + 1);
    lake_outcomes *outs = LAKE_ARENA_ARRAY(arena, lake_outcomes, s->ncuts + 1);
    lake_bytes head = lake_bytes_of(m->text);
    size_t n = 0;
    if (!cuts || !outs)
        return NULL;
    outs[0] = s->outs[0];
    for (size_t i = 0; i < s->ncuts; i++) {
        lake_bytes cut = s->cuts[i].b;
        bool inside = cut.len > head.len && (!head.len || !memcmp(cut.ptr, head.ptr, head.len));
        if (inside)
            cuts[n++].b = (lake_bytes){cut.ptr + head.len, cut.len - head.len};
        else if (lake_bytes_cmp(cut, head) > 0)
            break; /* above all results */
        outs[n] = s->outs[i + 1];
    }
    return lake_step_of(arena, LAKE_KEY_BYTES, cuts, outs, n, s->null, s->nan);
}

const lake_step *lake_curve_pull_text(lake_arena *arena, const lake_curve *m, const lake_step *s) {
    lake_key_kind from = lake_type_kind(&m->from);
    pull p = {.arena = arena, .map = m, .step = s};
    if (m->op == LAKE_CURVE_PREPEND)
        return pull_prepend(arena, m, s);
    if (m->op == LAKE_CURVE_LEFT) {
        lake_transform t = {.id = LAKE_TRANSFORM_TRUNCATE, .n = (int32_t)m->factor};
        return lake_step_pull(arena, s, &t, &m->from);
    }
    if (s->ncuts > MANY_RESULTS)
        return lake_step_constant(arena, from, s->all, s->null, LAKE_ANY);
    p.steps = LAKE_ARENA_ARRAY(arena, const lake_step *, s->ncuts + 2);
    if (!p.steps)
        return NULL;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i <= s->ncuts; i++) {
            lake_bytes text;
            segment_kind kind;
            bool ok = segment(&p, i, &text, &kind),
                 narrow = kind == POINT || (kind == PREFIX && m->op == LAKE_CURVE_CASE);
            if (!ok)
                return NULL;
            if (!pass && !narrow)
                p.wide |= s->outs[i];
            if (!pass || !narrow || s->outs[i] == p.wide)
                continue;
            if (!(m->op == LAKE_CURVE_CASE           ? pull_case(&p, text, kind, s->outs[i])
                        : m->op == LAKE_CURVE_APPEND ? pull_append(&p, text, s->outs[i])
                                                     : pull_digits(&p, text, s->outs[i])))
                return NULL;
        }
    p.steps[p.n++] = lake_step_constant(arena, from, p.wide, s->null, from == LAKE_KEY_INT ? LAKE_ANY : s->nan);
    return p.steps[p.n - 1] ? lake_step_reduce(arena, lake_outcomes_union, p.steps, p.n) : NULL;
}
