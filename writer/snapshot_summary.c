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

static bool grow(lake_changes *s, lake_arena *arena) {
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

static bool add_partition(lake_changes *s, lake_arena *arena, lake_str key) {
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

/* The members of lake_changes that a file counts in. */
typedef struct tally {
    int64_t *files, *records, *bytes;
    bool *unknown;
} tally;

static bool is_vector(const lake_entry *e) {
    return e->content == LAKE_CONTENT_POSITION_DELETES && (e->has & LAKE_HAS_CONTENT_OFFSET);
}

static lake_status count(
    lake_changes *s, tally t, lake_arena *arena, const lake_entry *e, int32_t spec_id, lake_error *err) {
    ++*t.files;
    *t.unknown = *t.unknown || e->record_count < 0;
    int64_t size = is_vector(e) && (e->has & LAKE_HAS_CONTENT_SIZE) ? e->content_size : e->file_size;
    if (__builtin_add_overflow(*t.records, e->record_count < 0 ? 0 : e->record_count, t.records) ||
        __builtin_add_overflow(*t.bytes, size, t.bytes))
        return lake_fail(err, LAKE_ERR_LIMIT, "more than 2^63 records or bytes in one commit");
    lake_buffer key;
    lake_buffer_init(&key);
    bool done = partition_key(&key, e, spec_id) && add_partition(s, arena, lake_buffer_view(&key));
    lake_buffer_clear(&key);
    return done ? LAKE_OK : lake_fail_memory(err);
}

lake_status lake_changes_add(
    lake_changes *s, lake_arena *arena, const lake_entry *e, int32_t spec_id, lake_error *err) {
    tally t = {&s->data_files, &s->records, &s->bytes, &s->unknown_records};
    if (e->content == LAKE_CONTENT_POSITION_DELETES) {
        t.files = is_vector(e) ? &s->dvs : &s->position_files;
        t.records = &s->position_records;
    } else if (e->content == LAKE_CONTENT_EQUALITY_DELETES) {
        t.files = &s->equality_files;
        t.records = &s->equality_records;
    }
    return count(s, t, arena, e, spec_id, err);
}

lake_status lake_changes_remove(
    lake_changes *s, lake_arena *arena, const lake_entry *e, int32_t spec_id, lake_error *err) {
    tally t = {&s->gone_data_files, &s->gone_records, &s->gone_bytes, &s->gone_unknown_records};
    if (e->content == LAKE_CONTENT_POSITION_DELETES) {
        t.files = is_vector(e) ? &s->gone_dvs : &s->gone_position_files;
        t.records = &s->gone_position_records;
    } else if (e->content == LAKE_CONTENT_EQUALITY_DELETES) {
        t.files = &s->gone_equality_files;
        t.records = &s->gone_equality_records;
    }
    return count(s, t, arena, e, spec_id, err);
}

lake_status lake_changes_copy(const lake_changes *s, lake_arena *arena, lake_changes *out, lake_error *err) {
    *out = *s;
    if (!s->nslots)
        return LAKE_OK;
    out->partitions = LAKE_ARENA_ARRAY(arena, lake_str, s->nslots);
    if (!out->partitions)
        return lake_fail_memory(err);
    memcpy(out->partitions, s->partitions, s->nslots * sizeof *s->partitions);
    return LAKE_OK;
}

static int64_t delete_files(const lake_changes *s) {
    return s->position_files + s->equality_files + s->dvs;
}

static int64_t gone_delete_files(const lake_changes *s) {
    return s->gone_position_files + s->gone_equality_files + s->gone_dvs;
}

const char *lake_changes_operation(const lake_changes *s) {
    if (s->operation)
        return s->operation;
    if (!delete_files(s) && !s->gone_data_files && !gone_delete_files(s))
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
    if (!parent_total(parent, key, &total) || __builtin_add_overflow(total, added, &total) || total < 0)
        return true;
    return set_count(arena, o, key, total);
}

static bool set_totals(const lake_changes *s, lake_arena *arena, lake_json *o, const lake_snapshot *parent) {
    bool known = !s->unknown_records && !s->gone_unknown_records;
    return (!known || set_total(arena, o, parent, "total-records", s->records - s->gone_records)) &&
        set_total(arena, o, parent, "total-files-size", s->bytes - s->gone_bytes + s->resized_bytes) &&
        set_total(arena, o, parent, "total-data-files", s->data_files - s->gone_data_files) &&
        set_total(arena, o, parent, "total-delete-files", delete_files(s) - gone_delete_files(s)) &&
        (!known ||
            set_total(arena, o, parent, "total-position-deletes", s->position_records - s->gone_position_records)) &&
        (!known ||
            set_total(arena, o, parent, "total-equality-deletes", s->equality_records - s->gone_equality_records));
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

static bool set_added(const lake_changes *s, lake_arena *arena, lake_json *o) {
    bool known = !s->unknown_records;
    return set_some(arena, o, "added-data-files", s->data_files) &&
        set_some(arena, o, "added-delete-files", delete_files(s)) &&
        set_some(arena, o, "added-position-delete-files", s->position_files) &&
        set_some(arena, o, "added-equality-delete-files", s->equality_files) &&
        set_some(arena, o, "added-dvs", s->dvs) && (!known || set_some(arena, o, "added-records", s->records)) &&
        (!known || set_some(arena, o, "added-position-deletes", s->position_records)) &&
        (!known || set_some(arena, o, "added-equality-deletes", s->equality_records)) &&
        set_some(arena, o, "added-files-size", s->bytes);
}

static bool set_gone(const lake_changes *s, lake_arena *arena, lake_json *o) {
    bool known = !s->gone_unknown_records;
    return set_some(arena, o, "deleted-data-files", s->gone_data_files) &&
        set_some(arena, o, "removed-delete-files", gone_delete_files(s)) &&
        set_some(arena, o, "removed-position-delete-files", s->gone_position_files) &&
        set_some(arena, o, "removed-equality-delete-files", s->gone_equality_files) &&
        set_some(arena, o, "removed-dvs", s->gone_dvs) &&
        (!known || set_some(arena, o, "deleted-records", s->gone_records)) &&
        (!known || set_some(arena, o, "removed-position-deletes", s->gone_position_records)) &&
        (!known || set_some(arena, o, "removed-equality-deletes", s->gone_equality_records)) &&
        set_some(arena, o, "removed-files-size", s->gone_bytes);
}

lake_status lake_changes_write(const lake_changes *s, lake_arena *arena, const lake_snapshot *parent,
    size_t manifests_created, size_t manifests_kept, const lake_commit_options *options, lake_json **out,
    lake_error *err) {
    lake_json *o = lake_json_new(arena, LAKE_JSON_OBJECT);
    bool done = o && set_text(arena, o, "operation", lake_str_of(lake_changes_operation(s))) &&
        set_count(arena, o, "manifests-created", (int64_t)manifests_created) &&
        set_count(arena, o, "manifests-kept", (int64_t)manifests_kept) &&
        set_count(arena, o, "manifests-replaced", s->manifests_replaced) &&
        set_some(arena, o, "entries-processed", s->entries_processed) && set_added(s, arena, o) &&
        set_gone(s, arena, o) && set_count(arena, o, "changed-partition-count", (int64_t)s->npartitions) &&
        set_totals(s, arena, o, parent) && set_text(arena, o, "engine-name", LAKE_STR("lakectl")) &&
        set_text(arena, o, "engine-version", lake_str_of(LAKE_VERSION));
    if (!done)
        return lake_fail_memory(err);
    *out = o;
    return set_extra(arena, o, options, err);
}
