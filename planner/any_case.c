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

static size_t spell(lake_bytes prefix, spelling *all) {
    size_t n = 1;
    all[0].len = 0;
    for (size_t at = 0; at < prefix.len && prefix.ptr[at] < 0x80; at++) {
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
    return n;
}

bool lake_any_case_step(lake_arena *arena, lake_leaf *leaf, const lake_step **out) {
    spelling *all = LAKE_ARENA_ARRAY(arena, spelling, MANY);
    lake_span *spans = LAKE_ARENA_ARRAY(arena, lake_span, MANY);
    leaf->inside = LAKE_T | LAKE_F;
    leaf->outside = LAKE_F;
    leaf->mapped = true;
    if (!all || !spans)
        return false;
    size_t n = spell(leaf->points[0].at.key.b, all);
    for (size_t i = 1; i < n; i++) /* few */
        for (size_t k = i; k && before(&all[k], &all[k - 1]); k--) {
            spelling swap = all[k];
            all[k] = all[k - 1];
            all[k - 1] = swap;
        }
    for (size_t i = 0; i < n; i++) {
        lake_bytes text = {all[i].text, all[i].len};
        spans[i].lo = text.len ? lake_end_key((lake_key){.b = text}) : lake_end_low();
        if (!lake_key_next_prefix(arena, text, &spans[i].hi))
            return false;
    }
    *out = lake_step_spans(arena, LAKE_KEY_BYTES, spans, n, leaf->inside, LAKE_F, leaf->null, leaf->nan);
    return *out != NULL;
}
