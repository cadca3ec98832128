/* Names of folders as partition values, as Hive writes them: NAME=VALUE with percent escapes, null as
   __HIVE_DEFAULT_PARTITION__. The type of a column is long or date if all values that were seen are, else string. */
#include <strings.h>

#include "format/hive.h"
#include "planner/listing.h"

/* ---- types */
static bool read_long(lake_str s, int64_t *out) {
    bool minus = s.len && s.ptr[0] == '-';
    int64_t v = 0;
    if (s.len == minus)
        return false;
    for (size_t i = minus; i < s.len; i++) {
        int digit = s.ptr[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_sub_overflow(v, digit, &v)) /* downwards: the least value has no positive */
            return false;
    }
    if (!minus && v == INT64_MIN)
        return false;
    *out = minus ? v : -v;
    return true;
}

static const lake_transform identity = {.id = LAKE_TRANSFORM_IDENTITY, .text = {"identity", 8}};

static bool is_date(lake_str s) {
    static const lake_type date = {.id = LAKE_DATE};
    lake_key key;
    lake_arena scratch;
    if (s.len != 10 || s.ptr[4] != '-' || s.ptr[7] != '-')
        return false;
    lake_arena_init(&scratch, 0);
    bool is = lake_transform_read_human(&scratch, &identity, &date, s, &key, NULL) == LAKE_OK;
    lake_arena_clear(&scratch);
    return is;
}

static void widen(listing_key *k, lake_str text) {
    int64_t v;
    k->any = true;
    k->all_long = k->all_long && read_long(text, &v);
    k->all_date = k->all_date && is_date(text);
}

void listing_set_types(plan_listing *l) {
    for (size_t i = 0; i < l->nkeys; i++) {
        listing_key *k = &l->keys[i];
        if (!k->given && !k->frozen)
            k->type.id = k->any && k->all_long ? LAKE_LONG : k->any && k->all_date ? LAKE_DATE : LAKE_STRING;
    }
}

static bool still_fits(const listing_key *k) {
    return !k->frozen || k->given || k->type.id == LAKE_STRING || !k->any ||
        (k->type.id == LAKE_LONG ? k->all_long : k->all_date);
}

/* "year int, day date" */
lake_status listing_read_types(plan_listing *l, lake_error *err) {
    const char *at = l->options->partition_types;
    while (at && *at) {
        size_t n = 0, name = 0;
        int depth = 0;
        at += strspn(at, " \t\n,");
        for (; at[n] && (depth || at[n] != ','); n++)
            depth += (at[n] == '(') - (at[n] == ')');
        while (n && strchr(" \t\n", at[n - 1]))
            n--;
        if (!n)
            break;
        for (name = 0; name < n && !strchr(" \t\n:", at[name]); name++) {
        }
        size_t type = name;
        while (type < n && strchr(" \t\n:", at[type]))
            type++;
        if (!name || type == n)
            return lake_fail(err, LAKE_ERR_USAGE, "partition types: '%.*s' is no name and type", (int)n, at);
        LAKE_TRY(lake_tree_grow(&l->arena, &l->types, sizeof *l->types, l->ntypes, &l->types_room)
                ? LAKE_OK
                : lake_fail_memory(err));
        listing_given_type *t = &l->types[l->ntypes++];
        lake_json text = {.kind = LAKE_JSON_STRING, .text = {at + type, n - type}};
        t->name = lake_arena_str(&l->arena, at, name);
        if (!t->name.ptr)
            return lake_fail_memory(err);
        lake_status s = lake_type_read(&l->arena, &text, NULL, 0, &t->type, err);
        if (s != LAKE_OK && s != LAKE_ERR_NO_MEMORY) {
            s = LAKE_ERR_USAGE;
            if (err)
                err->status = s;
        }
        if (s != LAKE_OK)
            return lake_wrap(err, s, "partition types: %.*s", LAKE_ARG(t->name));
        if (lake_type_kind(&t->type) == LAKE_KEY_NONE)
            return lake_fail(err, LAKE_ERR_USAGE, "partition types: %.*s: no folder's name is a value of such a type",
                LAKE_ARG(t->name));
        at += n;
    }
    return LAKE_OK;
}

/* ---- keys */
static const lake_field *top_field(const lake_schema *s, lake_str name) {
    for (size_t i = 0; s && i < s->root.nfields; i++)
        if (lake_str_eq(s->root.fields[i].name, name))
            return &s->root.fields[i];
    return NULL;
}

static lake_status new_key(plan_listing *l, lake_str name, lake_str path, lake_error *err) {
    if (l->nkeys == 1000)
        return lake_fail(err, LAKE_ERR_LIMIT, "%.*s: more than 1000 partition columns", LAKE_ARG(path));
    if (!lake_tree_grow(&l->arena, &l->keys, sizeof *l->keys, l->nkeys, &l->keys_room))
        return lake_fail_memory(err);
    listing_key *k = &l->keys[l->nkeys++];
    *k = (listing_key){.name = name, .first = path, .all_long = true, .all_date = true};
    const lake_field *f = top_field(l->given, name);
    if (f && lake_type_kind(&f->type) == LAKE_KEY_NONE)
        return lake_fail(err, LAKE_ERR_USAGE, "%.*s: the schema's type of %.*s is none that a folder's name can have",
            LAKE_ARG(path), LAKE_ARG(name));
    if (f)
        k->type = f->type;
    k->given = f != NULL;
    for (size_t i = 0; i < l->ntypes; i++)
        if (lake_str_eq(l->types[i].name, name)) {
            k->type = l->types[i].type;
            k->given = true;
        }
    return LAKE_OK;
}

/* All paths have the same keys in the same order. */
static lake_status find_key(plan_listing *l, size_t at, lake_str name, lake_str path, lake_error *err) {
    for (size_t i = 0; i < l->nkeys; i++)
        if (i != at && lake_str_eq(l->keys[i].name, name))
            return lake_fail(err, LAKE_ERR_MALFORMED,
                "%.*s: folder level %zu is %.*s, but in %.*s it is level %zu (partition columns must come in the same "
                "order in all paths)",
                LAKE_ARG(path), at + 1, LAKE_ARG(name), LAKE_ARG(l->keys[i].first), i + 1);
    if (at == l->nkeys)
        return new_key(l, name, path, err);
    if (!lake_str_eq(l->keys[at].name, name))
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: partition column %.*s stands where %.*s has %.*s",
            LAKE_ARG(path), LAKE_ARG(name), LAKE_ARG(l->keys[at].first), LAKE_ARG(l->keys[at].name));
    return LAKE_OK;
}

lake_status listing_read_folder(plan_listing *l, lake_str name, lake_str path, const listing_value *up,
    const listing_value **out, lake_error *err) {
    const char *equals = memchr(name.ptr, '=', name.len);
    *out = up;
    if (!equals || equals == name.ptr)
        return LAKE_OK;
    lake_str key = {name.ptr, (size_t)(equals - name.ptr)};
    lake_str raw = {equals + 1, name.len - (size_t)(equals + 1 - name.ptr)};
    listing_value *v = LAKE_ARENA_NEW(&l->arena, listing_value);
    if (!v)
        return lake_fail_memory(err);
    *v = (listing_value){.up = up, .key = listing_depth(up)};
    LAKE_TRY(lake_hive_decode(&l->arena, key, &key, err));
    LAKE_TRY(lake_hive_decode(&l->arena, raw, &v->text, err));
    v->null = lake_str_is(v->text, LAKE_HIVE_NULL);
    LAKE_TRY(find_key(l, v->key, key, path, err));
    listing_key *k = &l->keys[v->key];
    if (!v->null)
        widen(k, v->text);
    l->widened |= !still_fits(k);
    *out = v;
    return LAKE_OK;
}

lake_status listing_read_path(plan_listing *l, lake_str path, const listing_value **out, lake_error *err) {
    const listing_value *values = NULL;
    *out = NULL;
    for (size_t at = 0; at < path.len;) {
        const char *slash = memchr(path.ptr + at, '/', path.len - at);
        size_t n = slash ? (size_t)(slash - path.ptr) - at : path.len - at;
        lake_str name = {path.ptr + at, n};
        if (lake_str_is(name, "..")) /* out of the folder again */
            values = values ? values->up : NULL;
        else
            LAKE_TRY(listing_read_folder(l, name, path, values, &values, err));
        at += n + 1;
    }
    *out = values;
    return LAKE_OK;
}

bool listing_same_values(const listing_value *a, const listing_value *b) {
    for (; a && b && a != b; a = a->up, b = b->up)
        if (a->key != b->key || a->null != b->null || !lake_str_eq(a->text, b->text))
            return false;
    return a == b;
}

/* ---- values */
static lake_status misfit(const listing_key *k, const listing_value *v, lake_str path, lake_error *err) {
    lake_buffer type;
    lake_buffer_init(&type);
    lake_type_print(&type, &k->type);
    lake_status s = lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: partition column %.*s: '%.*s' is no %.*s", LAKE_ARG(path),
        LAKE_ARG(k->name), (int)(v->text.len > 100 ? 100 : v->text.len), v->text.ptr,
        LAKE_ARG(lake_buffer_view(&type)));
    lake_buffer_clear(&type);
    return s;
}

static lake_status read_value(
    lake_arena *arena, const listing_key *k, const listing_value *v, lake_str path, lake_datum *out, lake_error *err) {
    bool is_float = lake_type_kind(&k->type) == LAKE_KEY_FLOAT;
    lake_key key;
    int64_t number;
    *out = (lake_datum){.kind = LAKE_DATUM_NULL};
    if (v->null ||
        (k->type.id != LAKE_STRING && v->text.len == 4 && strncasecmp(v->text.ptr, "null", 4) == 0)) /* Iceberg's */
        return LAKE_OK;
    if (is_float && lake_str_is(v->text, "NaN")) {
        *out = (lake_datum){.kind = LAKE_DATUM_FLOAT, .f = __builtin_nan("")};
        return LAKE_OK;
    }
    if ((k->type.id == LAKE_LONG || k->type.id == LAKE_INT) && read_long(v->text, &number)) {
        *out = (lake_datum){.kind = LAKE_DATUM_INT, .i = number};
        if (k->type.id == LAKE_LONG || (number >= INT32_MIN && number <= INT32_MAX))
            return LAKE_OK;
    }
    if (k->type.id == LAKE_STRING) { /* whatever its bytes */
        *out = (lake_datum){.kind = LAKE_DATUM_BYTES, .b = lake_bytes_of(v->text)};
        return LAKE_OK;
    }
    lake_status s = lake_transform_read_human(arena, &identity, &k->type, v->text, &key, NULL);
    if (s == LAKE_ERR_NO_MEMORY)
        return lake_fail_memory(err);
    if (s != LAKE_OK)
        return misfit(k, v, path, err);
    return lake_value_to_datum(arena, &k->type, key, out, err);
}

lake_status listing_tuple(plan_listing *l, lake_arena *arena, const listing_value *values, lake_str path,
    lake_datum **out, size_t *n, lake_error *err) {
    *n = listing_depth(values);
    *out = LAKE_ARENA_ARRAY(arena, lake_datum, *n + 1);
    if (!*out)
        return lake_fail_memory(err);
    for (; values; values = values->up)
        LAKE_TRY(read_value(arena, &l->keys[values->key], values, path, &(*out)[values->key], err));
    return LAKE_OK;
}
