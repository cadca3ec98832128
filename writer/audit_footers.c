/* Footers of Puffin files, each read once for the many deletion vectors that point into it (puffin-spec.md, "Footer
   Payload"). Entries of one file mostly stand together, so the last few are kept. */
#include <stdlib.h>

#include "reader/puffin.h"
#include "writer/audit_internal.h"

enum { KEPT = 8 };

struct audit_footer {
    lake_arena arena; /* of all that is here */
    lake_str path; /* ptr NULL: nothing is here */
    audit_blob *blobs; /* by offset, then as they stand */
    size_t n;
};

static int by_offset(const void *x, const void *y) {
    const audit_blob *a = x, *b = y;
    return a->offset != b->offset ? (a->offset < b->offset ? -1 : 1) : (a->index > b->index) - (a->index < b->index);
}

static bool take_blob(struct audit_footer *t, const lake_json *json, size_t index) {
    audit_blob *b = &t->blobs[t->n];
    const lake_json *type = lake_json_find(json, "type");
    const lake_json *of = lake_json_find(lake_json_find(json, "properties"), "referenced-data-file");
    *b = (audit_blob){.index = index, .vector = type && lake_str_is(type->text, "deletion-vector-v1")};
    if (!lake_json_i64(lake_json_get(json, "offset"), &b->offset))
        return true;
    b->has_length = lake_json_i64(lake_json_get(json, "length"), &b->length);
    if (of) {
        b->of = lake_arena_str(&t->arena, of->text.ptr, of->text.len);
        if (!b->of.ptr)
            return false;
    }
    t->n++;
    return true;
}

static lake_status fill(struct audit_footer *t, lake_arena *scratch, lake_str path, lake_file *file, lake_error *why) {
    lake_str text;
    lake_json *json;
    LAKE_TRY(lake_puffin_footer(scratch, file, &text, why));
    LAKE_TRY(lake_json_parse(scratch, text, "Puffin footer", &json, why));
    const lake_json *blobs = lake_json_find(json, "blobs");
    size_t n = lake_json_is(blobs, LAKE_JSON_ARRAY) ? blobs->count : 0;
    t->blobs = LAKE_ARENA_ARRAY(&t->arena, audit_blob, n);
    bool room = t->blobs != NULL;
    for (size_t i = 0; room && i < n; i++)
        room = take_blob(t, blobs->items[i], i);
    if (room)
        t->path = lake_arena_str(&t->arena, path.ptr, path.len);
    if (!room || !t->path.ptr)
        return lake_fail_memory(why);
    if (t->n)
        qsort(t->blobs, t->n, sizeof *t->blobs, by_offset);
    return LAKE_OK;
}

static void empty(struct audit_footer *t) {
    lake_arena_clear(&t->arena);
    *t = (struct audit_footer){0};
    lake_arena_init(&t->arena, 0);
}

static lake_status get(audit *a, lake_str path, lake_file *file, struct audit_footer **out, lake_error *why) {
    for (size_t i = 0; a->footers && i < KEPT; i++)
        if (a->footers[i].path.ptr && lake_str_eq(a->footers[i].path, path)) {
            *out = &a->footers[i];
            return LAKE_OK;
        }
    if (!a->footers && !(a->footers = lake_mem_zalloc(KEPT, sizeof *a->footers)))
        return lake_fail_memory(why);
    *out = &a->footers[a->next_footer++ % KEPT];
    empty(*out);
    lake_arena scratch;
    lake_arena_init(&scratch, 0);
    lake_status status = fill(*out, &scratch, path, file, why);
    lake_arena_clear(&scratch);
    if (status != LAKE_OK)
        empty(*out);
    return status;
}

static lake_status find(audit_file *f, lake_file *file, audit_blob *out, bool *found, lake_error *why) {
    struct audit_footer *t;
    *found = false;
    LAKE_TRY(get(f->a, f->entry->file_path, file, &t, why));
    size_t low = 0, high = t->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->blobs[middle].offset < f->entry->content_offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == t->n || t->blobs[low].offset != f->entry->content_offset)
        return LAKE_OK;
    *found = true;
    *out = t->blobs[low];
    if (out->of.ptr) {
        out->of = lake_arena_str(f->arena, out->of.ptr, out->of.len);
        if (!out->of.ptr)
            return lake_fail_memory(why);
    }
    return LAKE_OK;
}

lake_status audit_footer_blob(audit_file *f, lake_file *file, audit_blob *out, bool *found, lake_error *why) {
    pthread_mutex_lock(&f->a->footers_lock);
    lake_status status = find(f, file, out, found, why);
    pthread_mutex_unlock(&f->a->footers_lock);
    return status;
}

void audit_footers_clear(audit *a) {
    for (size_t i = 0; a->footers && i < KEPT; i++)
        lake_arena_clear(&a->footers[i].arena);
    lake_mem_free(a->footers);
    a->footers = NULL;
}
