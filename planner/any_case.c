/* ILIKE: every spelling of the pattern's first letters in either case, as prefixes. Engines fold by their own tables,
   so what Unicode folds to an ASCII letter counts as one (K, ſ, İ, ı), and the first letter beyond ASCII ends the
   prefix. */
#include "planner/node.h"

enum { MANY = 64, LONGEST = 40 };

static const char *const *spellings(unsigned char c) {
    static const char *const k[] = {"K", "k", "\xe2\x84\xaa", NULL}, *const s[] = {"S", "s", "\xc5\xbf", NULL};
    static const char *const i[] = {"I", "i", "\xc4\xb0", "\xc4\xb1", NULL};
    c |= 32;
    return c == 'k' ? k : c == 's' ? s : c == 'i' ? i : NULL;
}

/* Spellings as fixed-size texts: all of them are short. */
typedef struct spelling {
    uint8_t text[LONGEST + 24];
    size_t len;
} spelling;

static bool before(const spelling *a, const spelling *b) {
    return lake_bytes_cmp((lake_bytes){a->text, a->len}, (lake_bytes){b->text, b->len}) < 0;
}

static size_t spell(lake_bytes prefix, spelling *all, bool *whole) {
    size_t n = 1, at;
    all[0].len = 0;
    for (at = 0; at < prefix.len && prefix.ptr[at] && prefix.ptr[at] < 0x80; at++) {
        unsigned char c = prefix.ptr[at];
        bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        const char one[] = {(char)(letter ? c & ~32 : c), 0}, other[] = {(char)(c | 32), 0};
        const char *const two[] = {one, letter ? other : NULL, NULL};
        const char *const *more = letter && spellings(c) ? spellings(c) : two;
        size_t kinds = 0, count = n;
        while (more[kinds])
            kinds++;
        if (count * kinds > MANY || all[0].len >= LONGEST - 3)
            break;
        for (size_t k = kinds; k-- > 0;)
            for (size_t i = 0; i < count; i++) {
                spelling *s = &all[k * count + i];
                if (k)
                    *s = all[i];
                size_t len = strlen(more[k]);
                if (s->len + len <= sizeof s->text)
                    memcpy(s->text + s->len, more[k], len);
                s->len += len;
            }
        n = count * kinds;
    }
    *whole = at == prefix.len;
    return n;
}

bool lake_any_case_texts(lake_arena *arena, lake_bytes text, lake_bytes **out, size_t *n, bool *whole) {
    spelling *all = LAKE_ARENA_ARRAY(arena, spelling, MANY);
    *out = LAKE_ARENA_ARRAY(arena, lake_bytes, MANY);
    if (!all || !*out)
        return false;
    *n = spell(text, all, whole);
    for (size_t i = 1; i < *n; i++) /* few */
        for (size_t k = i; k && before(&all[k], &all[k - 1]); k--) {
            spelling swap = all[k];
            all[k] = all[k - 1];
            all[k - 1] = swap;
        }
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = (lake_bytes){all[i].text, all[i].len};
    return true;
}

static bool is_ascii(lake_bytes text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] >= 0x80)
            return false;
    return true;
}

bool lake_any_case_step(lake_arena *arena, lake_leaf *leaf, const lake_step **out) {
    lake_bytes *texts;
    size_t n, ncuts = 0;
    bool whole;
    leaf->inside = LAKE_T | LAKE_F;
    leaf->outside = LAKE_F;
    leaf->mapped = true;
    if (!lake_any_case_texts(arena, leaf->points[0].at.key.b, &texts, &n, &whole))
        return false;
    lake_key *cuts = LAKE_ARENA_ARRAY(arena, lake_key, 2 * n);
    lake_outcomes *outs = LAKE_ARENA_ARRAY(arena, lake_outcomes, 2 * n + 1);
    bool point = whole && leaf->shape == LAKE_SHAPE_IN; /* no wildcards */
    if (!cuts || !outs)
        return false;
    outs[0] = LAKE_F;
    for (size_t i = 0; i < n; i++) {
        lake_end end;
        bool sure = whole && !leaf->inexact && is_ascii(texts[i]); /* all engines fold those alike */
        if (!(point ? lake_key_next(arena, LAKE_KEY_BYTES, (lake_key){.b = texts[i]}, &end)
                    : lake_key_next_prefix(arena, texts[i], &end)))
            return false;
        if (texts[i].len)
            cuts[ncuts++].b = texts[i];
        outs[ncuts] = sure ? LAKE_T : leaf->inside;
        if (end.at != LAKE_END_KEY)
            continue;
        cuts[ncuts++] = end.key;
        outs[ncuts] = LAKE_F;
    }
    *out = lake_step_of(arena, LAKE_KEY_BYTES, cuts, outs, ncuts, leaf->null, leaf->nan);
    return *out != NULL;
}
