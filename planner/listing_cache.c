/* What footers of a directory's files say, kept on disk from one plan to the next. The key is the file's path; the
   value tells of which file it was true: size, inode, times of its data and of itself in nanoseconds, all of which must
   be the same. A file that changed within the seconds before it was looked at is not remembered, since clocks of file
   systems are coarse: it could change again without a sign. Schemas are kept once, under a fingerprint of their text.
 */
#include "planner/listing.h"

#include <unistd.h>

enum { RULES = 1 }; /* one more whenever a footer is taken to say something else (reader/stats.c, parquet_trust.c) */
enum { YOUNG = 5 }; /* seconds */
enum { MOST_COLUMNS = 1 << 20 };

/* ---- keys */
static lake_bytes schema_key(lake_buffer *b, uint64_t hash, uint64_t len) {
    lake_buffer_reset(b);
    lake_buffer_printf(b, "s %d %016llx %llu", RULES, (unsigned long long)hash, (unsigned long long)len);
    return lake_bytes_of(lake_buffer_view(b));
}

/* Without "." and "..", as text: what a link makes of it does not matter, for the file itself is compared, too. */
static size_t tidy(char *path, size_t len) {
    size_t n = 0;
    for (size_t at = 0; at < len;) {
        size_t end = at;
        while (end < len && path[end] != '/')
            end++;
        size_t part = end - at;
        if (part == 2 && path[at] == '.' && path[at + 1] == '.') {
            while (n && path[--n] != '/') {
            }
        } else if (part && !(part == 1 && path[at] == '.')) {
            path[n++] = '/';
            memmove(path + n, path + at, part);
            n += part;
        }
        at = end + 1;
    }
    return n;
}

/* By the whole path, so that it does not matter from where it is named. ptr NULL: there is none. */
static lake_bytes file_key(plan_listing *l, lake_arena *scratch, lake_str location) {
    lake_str path = {0};
    char here[4096] = "";
    if (lake_store_resolve(&l->store, scratch, location, &path, NULL) != LAKE_OK || !path.len)
        return (lake_bytes){0};
    if (path.ptr[0] != '/' && !getcwd(here, sizeof here))
        return (lake_bytes){0};
    lake_str key = lake_arena_printf(scratch, "f %d %s ", RULES, LAKE_VERSION);
    size_t before = strlen(here), room = key.len + before + path.len + 2;
    char *whole = key.ptr ? lake_arena_alloc(scratch, room) : NULL;
    if (!whole)
        return (lake_bytes){0};
    memcpy(whole, key.ptr, key.len);
    char *to = whole + key.len;
    memcpy(to, here, before);
    to[before] = '/';
    memcpy(to + before + 1, path.ptr, path.len);
    return (lake_bytes){(uint8_t *)whole, key.len + tidy(to, before + 1 + path.len)};
}

/* ---- numbers */
static void put_number(lake_buffer *b, int64_t v) {
    uint64_t u = ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
    for (; u >= 128; u >>= 7)
        lake_buffer_char(b, (char)(u | 128));
    lake_buffer_char(b, (char)u);
}

static void put_bytes(lake_buffer *b, lake_bytes v) {
    put_number(b, v.ptr ? (int64_t)v.len : -1);
    lake_buffer_put(b, v.ptr, v.ptr ? v.len : 0);
}

static bool get_bytes(lake_cursor *c, lake_bytes *out) {
    int64_t n;
    *out = (lake_bytes){0};
    return lake_cursor_zigzag(c, &n) && (n == -1 || (n >= 0 && lake_cursor_take(c, (uint64_t)n, out)));
}

static bool get_count(lake_cursor *c, int64_t *n) {
    return lake_cursor_zigzag(c, n) && *n >= 0 && (uint64_t)*n <= lake_cursor_left(c) && *n <= MOST_COLUMNS;
}

static void put_stamp(lake_buffer *b, const lake_walk_file *f) {
    put_number(b, (int64_t)f->size);
    put_number(b, (int64_t)f->inode);
    put_number(b, f->modified);
    put_number(b, f->changed);
}

static bool same_stamp(lake_cursor *c, const lake_walk_file *f) {
    int64_t size, inode, modified, changed;
    return lake_cursor_zigzag(c, &size) && lake_cursor_zigzag(c, &inode) && lake_cursor_zigzag(c, &modified) &&
        lake_cursor_zigzag(c, &changed) && size == (int64_t)f->size && inode == (int64_t)f->inode &&
        modified == f->modified && changed == f->changed;
}

/* ---- files */
void listing_remember(plan_listing *l, lake_arena *scratch, const listing_file *f, lake_str schema) {
    const lake_walk_file *file = f->file;
    int64_t last = file->changed > file->modified ? file->changed : file->modified;
    if (!l->session->footers || last > l->began - (int64_t)YOUNG * 1000000000)
        return;
    lake_bytes key = file_key(l, scratch, file->path);
    uint64_t hash = lake_fnv1a(schema.ptr, schema.len);
    lake_buffer b, name;
    lake_buffer_init(&b);
    lake_buffer_init(&name);
    put_stamp(&b, file);
    put_number(&b, schema.ptr != NULL);
    if (schema.ptr) {
        put_number(&b, (int64_t)hash);
        put_number(&b, (int64_t)schema.len);
        put_number(&b, f->rows);
        put_number(&b, (int64_t)f->nsplit_offsets);
        for (size_t i = 0; i < f->nsplit_offsets; i++)
            put_number(&b, f->split_offsets[i]);
        put_number(&b, (int64_t)f->ncolumns);
    }
    for (size_t i = 0; schema.ptr && i < f->ncolumns; i++) {
        const lake_column_metrics *m = &f->columns[i];
        put_number(&b, m->id);
        put_number(&b, m->has);
        put_number(&b, m->size);
        put_number(&b, m->values);
        put_number(&b, m->nulls);
        put_number(&b, m->nans);
        put_bytes(&b, m->lower);
        put_bytes(&b, m->upper);
    }
    lake_bytes value;
    lake_bytes schema_name = schema_key(&name, hash, schema.len);
    if (key.ptr && !b.failed && !name.failed) {
        if (schema.ptr && !lake_cache_get(l->session->footers, schema_name, scratch, &value))
            lake_cache_put(l->session->footers, schema_name, lake_bytes_of(schema));
        lake_cache_put(l->session->footers, key, lake_bytes_of(lake_buffer_view(&b)));
    }
    lake_buffer_clear(&name);
    lake_buffer_clear(&b);
}

static bool recall_columns(lake_cursor *c, lake_arena *arena, listing_file *out) {
    int64_t n;
    if (!get_count(c, &n))
        return false;
    out->columns = LAKE_ARENA_ARRAY(arena, lake_column_metrics, (size_t)n + 1);
    out->ncolumns = (size_t)n;
    for (int64_t i = 0; out->columns && i < n; i++) {
        lake_column_metrics *m = &out->columns[i];
        lake_bytes lower, upper;
        int64_t id, has;
        if (!lake_cursor_zigzag(c, &id) || id < INT32_MIN || id > INT32_MAX || !lake_cursor_zigzag(c, &has) ||
            has < 0 || has > UINT32_MAX || !lake_cursor_zigzag(c, &m->size) || !lake_cursor_zigzag(c, &m->values) ||
            !lake_cursor_zigzag(c, &m->nulls) || !lake_cursor_zigzag(c, &m->nans) || !get_bytes(c, &lower) ||
            !get_bytes(c, &upper))
            return false;
        m->id = (int32_t)id;
        m->has = (uint32_t)has;
        m->lower = lower.ptr ? lake_arena_bytes(arena, lower.ptr, lower.len) : lower;
        m->upper = upper.ptr ? lake_arena_bytes(arena, upper.ptr, upper.len) : upper;
        if ((lower.ptr && !m->lower.ptr) || (upper.ptr && !m->upper.ptr))
            return false;
    }
    return out->columns && !lake_cursor_left(c);
}

static bool recall_schema(plan_listing *l, lake_cursor *c, lake_arena *scratch, lake_str *out) {
    int64_t hash, len;
    lake_buffer name;
    lake_bytes text;
    if (!lake_cursor_zigzag(c, &hash) || !lake_cursor_zigzag(c, &len))
        return false;
    lake_buffer_init(&name);
    lake_bytes key = schema_key(&name, (uint64_t)hash, (uint64_t)len);
    bool found = !name.failed && lake_cache_get(l->session->footers, key, scratch, &text);
    lake_buffer_clear(&name);
    *out = found ? lake_text_of(text) : (lake_str){0};
    return found && (int64_t)text.len == len && lake_fnv1a(text.ptr, text.len) == (uint64_t)hash;
}

bool listing_recall(plan_listing *l, const lake_walk_file *file, lake_arena *scratch, lake_arena *arena,
    listing_file *out, lake_str *schema) {
    lake_bytes value;
    int64_t parquet, n;
    *schema = (lake_str){0};
    if (!l->session->footers)
        return false;
    lake_bytes key = file_key(l, scratch, file->path);
    if (!key.ptr || !lake_cache_get(l->session->footers, key, scratch, &value))
        return false;
    lake_cursor c = lake_cursor_of(value.ptr, value.len, 0);
    if (!same_stamp(&c, file) || !lake_cursor_zigzag(&c, &parquet))
        return false;
    if (!parquet)
        return !lake_cursor_left(&c);
    if (!recall_schema(l, &c, scratch, schema) || !lake_cursor_zigzag(&c, &out->rows) || out->rows < 0 ||
        !get_count(&c, &n))
        return false;
    int64_t *offsets = LAKE_ARENA_ARRAY(arena, int64_t, (size_t)n + 1);
    for (int64_t i = 0; offsets && i < n; i++)
        if (!lake_cursor_zigzag(&c, &offsets[i]))
            return false;
    out->split_offsets = offsets;
    out->nsplit_offsets = (size_t)n;
    return offsets && recall_columns(&c, arena, out);
}
