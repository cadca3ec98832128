/* Shards of a cache in memory: looked up by a table of hashes over the bytes of the file, checksums verified when a
   record is used. A shard is

     magic       8 bytes, "LAKEch1\n"
     records     checksum (8, XXH64 of what follows), length of the key (4), of the value (4), key, value

   with little-endian numbers, the newest records first. Files are in cache_files.c. */
#include <pthread.h>

#include "store/cache_internal.h"

static cache_shard *shard_of(lake_cache *c, uint64_t hash) {
    return &c->shards[hash >> 56]; /* the table uses the low bits */
}

/* ---- records */
bool cache_record_next(lake_cursor *at, cache_record *out) {
    lake_cursor c = *at;
    uint32_t nkey, nvalue;
    out->at = c.at;
    if (!lake_cursor_le64(&c, &out->checksum) || !lake_cursor_le32(&c, &nkey) || !lake_cursor_le32(&c, &nvalue) ||
        !lake_cursor_take(&c, nkey, &out->key) || !lake_cursor_take(&c, nvalue, &out->value))
        return false;
    out->len = (size_t)(c.at - out->at);
    *at = c;
    return true;
}

bool cache_record_good(const cache_record *r) {
    return lake_xxh64(r->at + 8, r->len - 8) == r->checksum;
}

void cache_record_put(lake_buffer *b, lake_bytes key, lake_bytes value) {
    size_t begin = b->len;
    uint8_t head[16] = {0};
    lake_put_le32(head + 8, (uint32_t)key.len);
    lake_put_le32(head + 12, (uint32_t)value.len);
    lake_buffer_put(b, head, sizeof head);
    lake_buffer_put(b, key.ptr, key.len);
    lake_buffer_put(b, value.ptr, value.len);
    if (!b->failed)
        lake_put_le64(b->data + begin, lake_xxh64(b->data + begin + 8, b->len - begin - 8));
}

bool cache_records(lake_bytes file, lake_cursor *out) {
    *out = lake_cursor_of(file.ptr, file.len, 0);
    return file.len >= 8 && memcmp(file.ptr, CACHE_MAGIC, 8) == 0 && lake_cursor_skip(out, 8);
}

/* ---- the table of a shard */
static bool room(cache_table *t) {
    if (2 * (t->n + 1) <= t->size)
        return true;
    size_t size = t->size ? 2 * t->size : 64;
    cache_slot *more = lake_mem_zalloc(size, sizeof *more);
    if (!more)
        return false;
    for (size_t i = 0; i < t->size; i++)
        if (t->slots[i].record.at) {
            size_t at = (size_t)t->slots[i].hash & (size - 1);
            while (more[at].record.at)
                at = (at + 1) & (size - 1);
            more[at] = t->slots[i];
        }
    lake_mem_free(t->slots);
    t->slots = more;
    t->size = size;
    return true;
}

/* The slot of a key, or the free one where it would be. */
static cache_slot *find(const cache_table *t, uint64_t hash, lake_bytes key) {
    size_t at = (size_t)hash & (t->size - 1);
    for (; t->slots[at].record.at; at = (at + 1) & (t->size - 1))
        if (t->slots[at].hash == hash && lake_bytes_cmp(t->slots[at].record.key, key) == 0)
            break;
    return &t->slots[at];
}

bool cache_table_add(cache_table *t, const cache_record *r, bool replace, bool *added) {
    uint64_t hash = lake_xxh64(r->key.ptr, r->key.len);
    *added = false;
    if (!room(t))
        return false;
    cache_slot *s = find(t, hash, r->key);
    if (s->record.at && !replace)
        return true;
    *added = true;
    t->n += !s->record.at;
    *s = (cache_slot){hash, *r, false};
    return true;
}

void cache_table_clear(cache_table *t) {
    lake_mem_free(t->slots);
    *t = (cache_table){0};
}

/* Once a process; what cannot be read is empty. */
static void load(lake_cache *c, cache_shard *s) {
    lake_cursor at;
    cache_record r;
    bool added;
    if (s->loaded)
        return;
    s->loaded = true;
    cache_file_read(c, (unsigned)(s - c->shards), &s->file);
    if (!cache_records((lake_bytes){s->file.data, s->file.size}, &at))
        return;
    while (cache_record_next(&at, &r))
        if (!cache_table_add(&s->table, &r, false, &added))
            return;
}

/* ---- for callers */
lake_status lake_cache_open(const char *folder, const char *kind, uint64_t limit, lake_cache **out, lake_error *err) {
    *out = NULL;
    if (!*folder || strlen(folder) > 3000)
        return lake_fail(err, LAKE_ERR_USAGE, "cache: the name of its folder is %s", *folder ? "too long" : "empty");
    lake_cache *c = lake_mem_zalloc(1, sizeof *c);
    if (!c)
        return lake_fail_memory(err);
    lake_arena_init(&c->arena, 0);
    c->folder = lake_arena_str(&c->arena, folder, strlen(folder));
    c->kind = lake_arena_printf(&c->arena, "%s/%s", folder, kind);
    c->shard_limit = (size_t)(limit / CACHE_SHARDS);
    for (unsigned i = 0; i < CACHE_SHARDS; i++)
        pthread_mutex_init(&c->shards[i].lock, NULL);
    if (!c->folder.ptr || !c->kind.ptr) {
        lake_cache_close(c);
        return lake_fail_memory(err);
    }
    *out = c;
    return LAKE_OK;
}

static void forget(cache_shard *s) {
    cache_table_clear(&s->table);
    lake_blob_clear(&s->file);
    for (cache_put *p = s->puts; p;) {
        cache_put *next = p->next;
        lake_mem_free(p);
        p = next;
    }
    s->puts = NULL;
    s->nputs = 0;
    s->loaded = false;
}

void lake_cache_close(lake_cache *c) {
    if (!c)
        return;
    for (unsigned i = 0; i < CACHE_SHARDS; i++) {
        forget(&c->shards[i]);
        pthread_mutex_destroy(&c->shards[i].lock);
    }
    lake_arena_clear(&c->arena);
    lake_mem_free(c);
}

bool lake_cache_get(lake_cache *c, lake_bytes key, lake_arena *arena, lake_bytes *value) {
    uint64_t hash = lake_xxh64(key.ptr, key.len);
    cache_shard *s = shard_of(c, hash);
    bool found = false;
    pthread_mutex_lock(&s->lock);
    load(c, s);
    cache_slot *slot = s->table.size ? find(&s->table, hash, key) : NULL;
    if (slot && slot->record.at && cache_record_good(&slot->record)) {
        *value = lake_arena_bytes(arena, slot->record.value.ptr, slot->record.value.len);
        found = slot->used = value->ptr != NULL;
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

void lake_cache_put(lake_cache *c, lake_bytes key, lake_bytes value) {
    uint64_t hash = lake_xxh64(key.ptr, key.len);
    cache_shard *s = shard_of(c, hash);
    size_t len = 16 + key.len + value.len;
    cache_put *p = len <= c->shard_limit ? lake_mem_alloc(sizeof *p + len) : NULL;
    lake_buffer b = {p ? p->record : NULL, 0, len, false};
    cache_record r;
    bool added;
    if (!p)
        return;
    cache_record_put(&b, key, value);
    lake_cursor at = lake_cursor_of(p->record, len, 0);
    pthread_mutex_lock(&s->lock);
    load(c, s);
    if (cache_record_next(&at, &r) && cache_table_add(&s->table, &r, true, &added)) {
        p->next = s->puts;
        p->len = len;
        s->puts = p;
        s->nputs++;
    } else {
        lake_mem_free(p);
    }
    pthread_mutex_unlock(&s->lock);
}

/* The shard anew: what was put, the last first; what was used; then what its file holds by now. */
static bool merge(lake_cache *c, cache_shard *s, lake_buffer *out) {
    cache_table seen = {0};
    lake_blob now;
    lake_cursor at;
    cache_record r;
    bool ok = true, added = false;
    lake_buffer_put(out, CACHE_MAGIC, 8);
    for (cache_put *p = s->puts; p && ok; p = p->next) {
        at = lake_cursor_of(p->record, p->len, 0);
        ok = cache_record_next(&at, &r) && cache_table_add(&seen, &r, false, &added);
        if (ok && added && out->len + r.len <= c->shard_limit)
            lake_buffer_put(out, r.at, r.len);
    }
    cache_file_read(c, (unsigned)(s - c->shards), &now);
    for (int used = 1; used >= 0; used--) {
        if (!cache_records((lake_bytes){now.data, now.size}, &at))
            break;
        while (ok && cache_record_next(&at, &r)) {
            cache_slot *slot = s->table.size ? find(&s->table, lake_xxh64(r.key.ptr, r.key.len), r.key) : NULL;
            if ((slot && slot->record.at && slot->used) != used || !cache_record_good(&r))
                continue;
            ok = cache_table_add(&seen, &r, false, &added);
            if (ok && added && out->len + r.len <= c->shard_limit)
                lake_buffer_put(out, r.at, r.len);
        }
    }
    lake_blob_clear(&now);
    cache_table_clear(&seen);
    return ok && !out->failed;
}

bool lake_cache_flush(lake_cache *c) {
    bool ok = true;
    lake_buffer b;
    lake_buffer_init(&b);
    for (unsigned i = 0; i < CACHE_SHARDS; i++) {
        cache_shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        if (s->nputs) {
            lake_buffer_reset(&b);
            ok = merge(c, s, &b) && cache_file_write(c, i, lake_bytes_of(lake_buffer_view(&b))) && ok;
            forget(s); /* the next get reads what is there */
        }
        pthread_mutex_unlock(&s->lock);
    }
    lake_buffer_clear(&b);
    return ok;
}
