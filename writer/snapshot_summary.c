/* Snapshot summaries (spec.md, Appendix F, "Optional Snapshot Summary Fields"): counts of what is added, totals carried
   on. A total that the parent does not state stays unstated; it is never made up. */
#include <limits.h>

#include "writer/commit_internal.h"

/* Spec id and tuple as bytes that are equal only for equal tuples. */
static bool partition_key(lake_buffer *out, const lake_entry *e, int32_t spec_id) {
    lake_buffer_printf(out, "%d", (int)spec_id);
    for (size_t i = 0; i < e->npartition; i++) {
        const lake_datum *d = &e->partition[i];
        lake_buffer_printf(out, "|%d:", (int)d->kind);
        if (d->kind == LAKE_DATUM_BYTES) {
            lake_buffer_printf(out, "%zu:", d->b.len);
            lake_buffer_put(out, d->b.ptr, d->b.len);
        } else if (d->kind == LAKE_DATUM_FLOAT) {
            lake_buffer_put(out, &d->f, sizeof d->f);
        } else if (d->kind != LAKE_DATUM_NULL) {
            lake_buffer_put(out, &d->i, sizeof d->i);
        }
    }
    return !out->failed;
}

static bool grow(lake_added *s, lake_arena *arena) {
    size_t nslots = s->nslots ? s->nslots * 2 : 64;
    lake_str *slots = LAKE_ARENA_ARRAY(arena, lake_str, nslots);
    if (!slots)
        return false;
    for (size_t i = 0; i < s->nslots; i++) {
        if (!s->partitions[i].ptr)
            continue;
        size_t at = lake_fnv1a(s->partitions[i].ptr, s->partitions[i].len) & (nslots - 1);
        while (slots[at].ptr)
            at = (at + 1) & (nslots - 1);
        slots[at] = s->partitions[i];
    }
    s->partitions = slots;
    s->nslots = nslots;
    return true;
}

static bool add_partition(lake_added *s, lake_arena *arena, lake_str key) {
    if (s->npartitions * 2 >= s->nslots && !grow(s, arena))
        return false;
    size_t at = lake_fnv1a(key.ptr, key.len) & (s->nslots - 1);
    for (; s->partitions[at].ptr; at = (at + 1) & (s->nslots - 1))
        if (lake_str_eq(s->partitions[at], key))
            return true;
    s->partitions[at] = lake_arena_str(arena, key.ptr, key.len);
    s->npartitions++;
    return s->partitions[at].ptr != NULL;
}

lake_status lake_added_count(lake_added *s, lake_arena *arena, const lake_entry *e, int32_t spec_id, lake_error *err) {
    int64_t *files = &s->data_files, *records = &s->records;
    bool dv = e->content == LAKE_CONTENT_POSITION_DELETES && (e->has & LAKE_HAS_CONTENT_OFFSET);
    if (e->content == LAKE_CONTENT_POSITION_DELETES) {
        files = dv ? &s->dvs : &s->position_files;
        records = &s->position_records;
    } else if (e->content == LAKE_CONTENT_EQUALITY_DELETES) {
        files = &s->equality_files;
        records = &s->equality_records;
    }
    ++*files;
    s->unknown_records = s->unknown_records || e->record_count < 0;
    int64_t size = dv && (e->has & LAKE_HAS_CONTENT_SIZE) ? e->content_size : e->file_size;
    if (__builtin_add_overflow(*records, e->record_count < 0 ? 0 : e->record_count, records) ||
        __builtin_add_overflow(s->bytes, size, &s->bytes))
        return lake_fail(err, LAKE_ERR_LIMIT, "more than 2^63 records or bytes in one commit");
    lake_buffer key;
    lake_buffer_init(&key);
    bool done = partition_key(&key, e, spec_id) && add_partition(s, arena, lake_buffer_view(&key));
    lake_buffer_clear(&key);
    return done ? LAKE_OK : lake_fail_memory(err);
}

static bool has_deletes(const lake_added *s) {
    return s->position_files || s->equality_files || s->dvs;
}

const char *lake_added_operation(const lake_added *s) {
    if (!has_deletes(s))
        return "append";
    return s->data_files ? "overwrite" : "delete";
}

static bool set_text(lake_arena *arena, lake_json *o, const char *key, lake_str text) {
    lake_json *v = lake_json_new_string(arena, text);
    return v && lake_json_set(arena, o, key, v);
}

static bool set_count(lake_arena *arena, lake_json *o, const char *key, int64_t n) {
    lake_str text = lake_arena_printf(arena, "%lld", (long long)n);
    return text.ptr && set_text(arena, o, key, text);
}

/* Only counts that are not zero are written, as other writers do. */
static bool set_some(lake_arena *arena, lake_json *o, const char *key, int64_t n) {
    return n == 0 || set_count(arena, o, key, n);
}

/* The parent's total; false: it does not say. Without a parent it is zero. */
static bool parent_total(const lake_snapshot *parent, const char *key, int64_t *out) {
    *out = 0;
    if (!parent)
        return true;
    const lake_json *v = lake_json_find(parent->summary, key);
    if (!v)
        return false;
    lake_json number = {.kind = LAKE_JSON_NUMBER, .text = v->text};
    return lake_json_i64(&number, out) && *out >= 0;
}

static bool set_total(lake_arena *arena, lake_json *o, const lake_snapshot *parent, const char *key, int64_t added) {
    int64_t total;
    if (!parent_total(parent, key, &total) || __builtin_add_overflow(total, added, &total))
        return true;
    return set_count(arena, o, key, total);
}

static bool set_totals(const lake_added *s, lake_arena *arena, lake_json *o, const lake_snapshot *parent) {
    int64_t delete_files = s->position_files + s->equality_files + s->dvs;
    bool known = !s->unknown_records;
    return (!known || set_total(arena, o, parent, "total-records", s->records)) &&
        set_total(arena, o, parent, "total-files-size", s->bytes) &&
        set_total(arena, o, parent, "total-data-files", s->data_files) &&
        set_total(arena, o, parent, "total-delete-files", delete_files) &&
        (!known || set_total(arena, o, parent, "total-position-deletes", s->position_records)) &&
        (!known || set_total(arena, o, parent, "total-equality-deletes", s->equality_records));
}

/* "K=V" members; the operation and the counts are ours. */
static lake_status set_extra(lake_arena *arena, lake_json *o, const lake_commit_options *options, lake_error *err) {
    for (size_t i = 0; options && i < options->nsummary; i++) {
        const char *pair = options->summary[i], *eq = pair ? strchr(pair, '=') : NULL;
        if (!eq || eq == pair)
            return lake_fail(
                err, LAKE_ERR_USAGE, "'%.100s' is no summary member: KEY=VALUE is meant", pair ? pair : "");
        lake_str key = lake_arena_str(arena, pair, (size_t)(eq - pair));
        if (!key.ptr)
            return lake_fail_memory(err);
        if (lake_json_get(o, key.ptr))
            return lake_fail(err, LAKE_ERR_USAGE, "the summary member '%.100s' is computed and cannot be set", key.ptr);
        if (!set_text(arena, o, key.ptr, lake_str_of(eq + 1)))
            return lake_fail_memory(err);
    }
    return LAKE_OK;
}

lake_status lake_added_write(const lake_added *s, lake_arena *arena, const lake_snapshot *parent,
    size_t manifests_created, size_t manifests_kept, const lake_commit_options *options, lake_json **out,
    lake_error *err) {
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool known = !s->unknown_records;
    bool done = o && set_text(arena, o, "operation", lake_str_of(lake_added_operation(s))) &&
        set_count(arena, o, "manifests-created", (int64_t)manifests_created) &&
        set_count(arena, o, "manifests-kept", (int64_t)manifests_kept) &&
        set_count(arena, o, "manifests-replaced", 0) && set_some(arena, o, "added-data-files", s->data_files) &&
        set_some(arena, o, "added-delete-files", s->position_files + s->equality_files + s->dvs) &&
        set_some(arena, o, "added-position-delete-files", s->position_files) &&
        set_some(arena, o, "added-equality-delete-files", s->equality_files) &&
        set_some(arena, o, "added-dvs", s->dvs) && (!known || set_some(arena, o, "added-records", s->records)) &&
        (!known || set_some(arena, o, "added-position-deletes", s->position_records)) &&
        (!known || set_some(arena, o, "added-equality-deletes", s->equality_records)) &&
        set_some(arena, o, "added-files-size", s->bytes) &&
        set_count(arena, o, "changed-partition-count", (int64_t)s->npartitions) && set_totals(s, arena, o, parent) &&
        set_text(arena, o, "engine-name", LAKE_STR("lakectl")) &&
        set_text(arena, o, "engine-version", lake_str_of(LAKE_VERSION));
    if (!done)
        return lake_fail_memory(err);
    *out = o;
    return set_extra(arena, o, options, err);
}
