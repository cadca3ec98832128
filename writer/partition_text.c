/* Partition values as text: --partition and Hive-style paths. */
#include "writer/partition_text.h"

#include "format/hive.h"

static lake_status read_value(lake_arena *arena, const lake_partition_source *s, lake_str text, lake_bound_state *state,
    lake_key *key, lake_error *err) {
    *state = LAKE_BOUND_NONE;
    if (s->field->transform.id == LAKE_TRANSFORM_VOID)
        return LAKE_OK;
    bool floating = s->type.id == LAKE_FLOAT || s->type.id == LAKE_DOUBLE;
    if (floating && lake_str_is(text, "NaN")) {
        *state = LAKE_BOUND_NAN;
        return LAKE_OK;
    }
    LAKE_TRY(lake_transform_read_human(arena, &s->field->transform, &s->source->type, text, key, err));
    *state = LAKE_BOUND_KEY;
    return LAKE_OK;
}

static lake_partition_source *find_field(lake_partitioner *p, lake_str name) {
    for (size_t i = 0; i < p->nfields; i++)
        if (lake_str_eq(p->fields[i].field->name, name))
            return &p->fields[i];
    return NULL;
}

static lake_status unknown_field(const lake_partitioner *p, lake_str name, lake_error *err) {
    lake_buffer names;
    lake_buffer_init(&names);
    for (size_t i = 0; i < p->nfields; i++) {
        lake_buffer_puts(&names, i ? ", " : "");
        lake_buffer_str(&names, p->fields[i].field->name);
    }
    lake_status status =
        lake_fail(err, LAKE_ERR_USAGE, "--partition: no partition field is named %.*s (there are: %.*s)",
            LAKE_ARG(name), LAKE_ARG(lake_buffer_view(&names)));
    lake_buffer_clear(&names);
    return status;
}

/* One "k=v". A value in double quotes is taken as it is: "null" is then the text. */
static lake_status read_item(lake_arena *arena, lake_str item, lake_partitioner *p, lake_error *err) {
    const char *equals = memchr(item.ptr, '=', item.len);
    if (!equals)
        return lake_fail(err, LAKE_ERR_USAGE, "--partition: %.*s: an item reads FIELD=VALUE", LAKE_ARG(item));
    lake_str name, value = {equals + 1, item.len - (size_t)(equals + 1 - item.ptr)};
    LAKE_TRY(lake_hive_decode(arena, (lake_str){item.ptr, (size_t)(equals - item.ptr)}, &name, err));
    lake_partition_source *s = find_field(p, name);
    if (!s)
        return unknown_field(p, name, err);
    if (s->given)
        return lake_fail(err, LAKE_ERR_USAGE, "--partition: %.*s is given twice", LAKE_ARG(name));
    s->given = true;
    if (lake_str_is(value, "null"))
        return LAKE_OK;
    if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"')
        value = (lake_str){value.ptr + 1, value.len - 2};
    LAKE_TRY(lake_hive_decode(arena, value, &value, err));
    lake_status status = read_value(arena, s, value, &s->given_state, &s->given_key, err);
    if (status != LAKE_OK && status != LAKE_ERR_NO_MEMORY && err)
        err->status = LAKE_ERR_USAGE;
    if (status != LAKE_OK && status != LAKE_ERR_NO_MEMORY)
        status = LAKE_ERR_USAGE;
    return lake_wrap(err, status, "--partition: %.*s=%.*s", LAKE_ARG(name), LAKE_ARG(value));
}

lake_status lake_partition_text_read(
    lake_arena *arena, const char *text, lake_partitioner *partitioner, lake_error *err) {
    for (const char *at = text; *at;) {
        size_t n = 0;
        for (bool quoted = false; at[n] && (quoted || at[n] != ','); n++)
            quoted ^= at[n] == '"';
        LAKE_TRY(read_item(arena, (lake_str){at, n}, partitioner, err));
        at += n + (at[n] == ',');
    }
    return LAKE_OK;
}

lake_status lake_partition_path_read(lake_arena *arena, lake_str path, const lake_partition_source *source, bool *found,
    lake_bound_state *state, lake_key *key, lake_error *err) {
    *found = false;
    for (size_t at = 0; at < path.len && !*found;) {
        const char *slash = memchr(path.ptr + at, '/', path.len - at);
        if (!slash)
            break; /* the file's own name */
        lake_str folder = {path.ptr + at, (size_t)(slash - path.ptr) - at}, name, value;
        at += folder.len + 1;
        const char *equals = memchr(folder.ptr, '=', folder.len);
        if (!equals)
            continue;
        LAKE_TRY(lake_hive_decode(arena, (lake_str){folder.ptr, (size_t)(equals - folder.ptr)}, &name, err));
        if (!lake_str_eq(name, source->field->name))
            continue;
        LAKE_TRY(lake_hive_decode(
            arena, (lake_str){equals + 1, folder.len - (size_t)(equals + 1 - folder.ptr)}, &value, err));
        *found = true;
        *state = LAKE_BOUND_NONE;
        if (!lake_str_is(value, LAKE_HIVE_NULL))
            LAKE_TRY_WRAP(read_value(arena, source, value, state, key, err), err, "%.*s: folder %.*s", LAKE_ARG(path),
                LAKE_ARG(folder));
    }
    return LAKE_OK;
}
