/* The manifest cache (cache.h): which packs there are, finding in them, and writing a new one. */
#include "manifest/cache.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_PACKS = 64, MOST_ROWS = 1024, MOST_BAD = 8 };

typedef struct known_pack {
    char name[LAKE_PACK_NAME + 1];
    lake_pack *pack;
} known_pack;

struct lake_manifest_cache {
    pthread_mutex_t lock;
    char *folder; /* NULL: in memory */
    uint64_t limit;
    known_pack *packs;
    size_t n, room;
};

struct lake_manifest_use {
    lake_manifest_cache *cache;
    uint64_t table;
    known_pack packs[MOST_PACKS];
    bool hit[MOST_PACKS], spoiled[MOST_PACKS];
    size_t n;
    char bad[MOST_BAD][LAKE_PACK_NAME + 1]; /* of the right name, but no pack */
    size_t nbad;
    pthread_mutex_t lock;
    int folder; /* of the writer */
    lake_pack_writer *writer;
    size_t kept;
    bool failed;
};

lake_status lake_manifest_cache_open(const char *folder, uint64_t limit, lake_manifest_cache **out, lake_error *err) {
    *out = NULL;
    if (folder && (!*folder || strlen(folder) > 3000))
        return lake_fail(err, LAKE_ERR_USAGE, "cache: the name of its folder is %s", *folder ? "too long" : "empty");
    lake_manifest_cache *c = lake_mem_zalloc(1, sizeof *c);
    if (!c)
        return lake_fail_memory(err);
    pthread_mutex_init(&c->lock, NULL);
    c->limit = limit ? limit : LAKE_CACHE_MANIFESTS_LIMIT;
    if (folder) {
        c->folder = lake_mem_alloc(strlen(folder) + 1);
        if (!c->folder) {
            lake_manifest_cache_close(c);
            return lake_fail_memory(err);
        }
        memcpy(c->folder, folder, strlen(folder) + 1);
    }
    *out = c;
    return LAKE_OK;
}

void lake_manifest_cache_close(lake_manifest_cache *c) {
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++)
        lake_pack_release(c->packs[i].pack);
    lake_mem_free(c->packs);
    lake_mem_free(c->folder);
    pthread_mutex_destroy(&c->lock);
    lake_mem_free(c);
}

/* ---- which packs: under the cache's lock */
static bool of_table(const char *name, uint64_t table) {
    char prefix[17];
    snprintf(prefix, sizeof prefix, "%016llx", (unsigned long long)table);
    return memcmp(name, prefix, 16) == 0;
}

static bool add_known(lake_manifest_cache *c, const char *name, lake_pack *pack) {
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 16;
        known_pack *more = lake_mem_realloc(c->packs, room * sizeof *more);
        if (!more)
            return false;
        c->packs = more;
        c->room = room;
    }
    memcpy(c->packs[c->n].name, name, LAKE_PACK_NAME + 1);
    c->packs[c->n++].pack = pack;
    return true;
}

static void forget(lake_manifest_cache *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->packs[i].name, name) == 0) {
            lake_pack_release(c->packs[i].pack);
            memmove(&c->packs[i], &c->packs[i + 1], (c->n - i - 1) * sizeof *c->packs);
            c->n--;
            return;
        }
}

static lake_pack *known(const lake_manifest_cache *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->packs[i].name, name) == 0)
            return c->packs[i].pack;
    return NULL;
}

static void add_use(lake_manifest_use *u, const char *name, lake_pack *pack) {
    if (u->n == MOST_PACKS)
        return;
    memcpy(u->packs[u->n].name, name, LAKE_PACK_NAME + 1);
    u->packs[u->n++].pack = lake_pack_keep(pack);
}

/* Packs of the table in the folder: new ones are mapped, others stay, those that are gone are let go. */
static void look_around(lake_manifest_use *u) {
    lake_manifest_cache *c = u->cache;
    int folder = lake_pack_folder(c->folder, LAKE_CACHE_MANIFESTS, false);
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    if (!dir && folder >= 0)
        close(folder);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        if (!lake_pack_is_name(e->d_name) || !of_table(e->d_name, u->table) || u->n == MOST_PACKS)
            continue;
        lake_pack *pack = known(c, e->d_name);
        bool here = pack != NULL;
        if (!here)
            pack = lake_pack_open(dirfd(dir), e->d_name);
        if (!pack && u->nbad < MOST_BAD)
            memcpy(u->bad[u->nbad++], e->d_name, LAKE_PACK_NAME + 1);
        if (!pack)
            continue;
        add_use(u, e->d_name, pack);
        if (!here && !add_known(c, e->d_name, pack))
            lake_pack_release(pack); /* the use has its own reference */
    }
    if (dir)
        closedir(dir);
    for (size_t i = c->n; i-- > 0;) {
        bool used = !of_table(c->packs[i].name, u->table);
        for (size_t k = 0; k < u->n && !used; k++)
            used = strcmp(u->packs[k].name, c->packs[i].name) == 0;
        if (!used)
            forget(c, c->packs[i].name);
    }
}

lake_manifest_use *lake_manifest_use_begin(lake_manifest_cache *c, lake_str table) {
    lake_manifest_use *u = lake_mem_zalloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->cache = c;
    u->folder = -1;
    u->table = lake_xxh64(table.ptr, table.len);
    pthread_mutex_init(&u->lock, NULL);
    pthread_mutex_lock(&c->lock);
    if (c->folder)
        look_around(u);
    for (size_t i = 0; !c->folder && i < c->n; i++)
        if (of_table(c->packs[i].name, u->table))
            add_use(u, c->packs[i].name, c->packs[i].pack);
    pthread_mutex_unlock(&c->lock);
    return u;
}

void lake_manifest_use_end(lake_manifest_use *u) {
    if (!u)
        return;
    lake_pack_writer_free(u->writer);
    if (u->folder >= 0)
        close(u->folder);
    for (size_t i = 0; i < u->n; i++)
        lake_pack_release(u->packs[i].pack);
    pthread_mutex_destroy(&u->lock);
    lake_mem_free(u);
}

/* ---- keys */
static uint64_t spec_print(const lake_spec *spec) {
    uint64_t h = spec ? spec->nfields + 1 : 0;
    for (size_t i = 0; spec && i < spec->nfields; i++) {
        const lake_partition_field *f = &spec->fields[i];
        uint64_t parts[4] = {
            h, (uint64_t)(int64_t)f->id, (uint64_t)f->transform.id, lake_xxh64(f->name.ptr, f->name.len)};
        h = lake_xxh64(parts, sizeof parts);
    }
    return h;
}

lake_bytes lake_manifest_key(
    const lake_store *store, lake_arena *arena, const lake_manifest_file *line, const lake_spec *spec) {
    char here[4096] = "";
    lake_str path;
    if (line->length <= 0 || lake_store_resolve(store, arena, line->path, &path, NULL) != LAKE_OK || !path.len)
        return (lake_bytes){0};
    if (path.ptr[0] != '/' && !getcwd(here, sizeof here))
        return (lake_bytes){0};
    int64_t facts[9] = {line->length, line->spec_id, line->content,
        line->has & (LAKE_HAS_SNAPSHOT_ID | LAKE_HAS_FIRST_ROW_ID), line->added_snapshot_id, line->sequence_number,
        line->first_row_id, (int64_t)spec_print(spec), (int64_t)store->max_file};
    size_t before = strlen(here);
    uint8_t *key = lake_arena_alloc(arena, sizeof facts + before + 1 + path.len);
    if (!key)
        return (lake_bytes){0};
    memcpy(key, facts, sizeof facts);
    memcpy(key + sizeof facts, here, before);
    key[sizeof facts + before] = '/';
    memcpy(key + sizeof facts + before + 1, path.ptr, path.len);
    return (lake_bytes){key, sizeof facts + before + 1 + path.len};
}

bool lake_manifest_find(lake_manifest_use *u, lake_bytes key, lake_manifest_found *out) {
    uint64_t hash = lake_pack_hash(key);
    for (size_t i = 0; i < u->n; i++) {
        size_t record = lake_pack_find(u->packs[i].pack, hash, key);
        if (record != SIZE_MAX) {
            *out = (lake_manifest_found){u->packs[i].pack, record};
            __atomic_store_n(&u->hit[i], true, __ATOMIC_RELAXED);
            return true;
        }
    }
    return false;
}

void lake_manifest_spoiled(lake_manifest_use *u, const lake_manifest_found *found) {
    for (size_t i = 0; i < u->n; i++)
        if (u->packs[i].pack == found->pack)
            __atomic_store_n(&u->spoiled[i], true, __ATOMIC_RELAXED);
}

/* ---- writing */
bool lake_manifest_keeps(const lake_manifest_use *u) {
    return !__atomic_load_n(&u->failed, __ATOMIC_RELAXED);
}

static void fail(lake_manifest_use *u) {
    lake_pack_writer_free(u->writer);
    u->writer = NULL;
    __atomic_store_n(&u->failed, true, __ATOMIC_RELAXED);
}

static void open_writer(lake_manifest_use *u) {
    const char *folder = u->cache->folder;
    if (folder)
        u->folder = lake_pack_folder(folder, LAKE_CACHE_MANIFESTS, true);
    if (!folder || u->folder >= 0)
        u->writer = lake_pack_writer_new(u->folder);
}

bool lake_manifest_keep(
    lake_manifest_use *u, lake_bytes key, lake_bytes image, const lake_pack_row *rows, size_t nrows) {
    pthread_mutex_lock(&u->lock);
    if (!u->failed && !u->writer)
        open_writer(u);
    if (!u->failed &&
        (!u->writer || lake_pack_written(u->writer) + image.len > u->cache->limit ||
            !lake_pack_put(u->writer, key, image, rows, nrows)))
        fail(u);
    else
        u->kept++;
    bool ok = !u->failed;
    pthread_mutex_unlock(&u->lock);
    return ok;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = lake_pack_size(((const known_pack *)a)->pack), y = lake_pack_size(((const known_pack *)b)->pack);
    return (x > y) - (x < y);
}

/* Copies the sound records of a pack that the writer does not have from one that was merged before it. */
static bool copy_pack(lake_manifest_use *u, const known_pack *from, const known_pack *before, size_t nbefore) {
    lake_pack_row *rows = lake_mem_alloc(MOST_ROWS * sizeof *rows);
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < lake_pack_count(from->pack); i++) {
        lake_bytes key = lake_pack_key(from->pack, i);
        bool again = false;
        for (size_t k = 0; k < nbefore && !again; k++)
            again = lake_pack_find(before[k].pack, lake_pack_hash(key), key) != SIZE_MAX;
        if (again || !lake_pack_value_good(from->pack, i))
            continue;
        size_t n = lake_pack_rows_of(from->pack, i, rows, MOST_ROWS);
        ok = lake_pack_put(u->writer, key, lake_pack_value(from->pack, i), rows, n);
    }
    lake_mem_free(rows);
    return ok;
}

/* The smallest packs go into the new one, as long as they are not much larger than it: so there are never many, and
   none is copied often. */
static bool merge(lake_manifest_use *u, known_pack *packs, size_t *merged) {
    uint64_t size = lake_pack_written(u->writer);
    size_t nspoiled = 0, n = u->n;
    for (int spoiled = 1, at = 0; spoiled >= 0; spoiled--)
        for (size_t i = 0; i < n; i++)
            if (u->spoiled[i] == spoiled) {
                packs[at++] = u->packs[i];
                nspoiled += (size_t)spoiled;
            }
    qsort(packs + nspoiled, n - nspoiled, sizeof *packs, by_size);
    for (*merged = 0; *merged < n; ++*merged) {
        uint64_t more = lake_pack_size(packs[*merged].pack);
        if (*merged >= nspoiled && (more > 2 * size || size + more > u->cache->limit))
            return true;
        if (!copy_pack(u, &packs[*merged], packs, *merged))
            return false;
        size += more;
    }
    return true;
}

static void drop_memory(lake_manifest_cache *c) {
    uint64_t sum = 0;
    for (size_t i = 0; i < c->n; i++)
        sum += lake_pack_size(c->packs[i].pack);
    while (c->n > 1 && sum > c->limit) { /* the oldest first */
        sum -= lake_pack_size(c->packs[0].pack);
        forget(c, c->packs[0].name);
    }
}

static void end_writer(lake_manifest_use *u, const char *name) {
    lake_manifest_cache *c = u->cache;
    known_pack packs[MOST_PACKS];
    size_t merged = 0;
    lake_pack *pack = merge(u, packs, &merged) ? lake_pack_finish(u->writer, name) : NULL;
    if (!pack) {
        fail(u);
        return;
    }
    lake_pack_writer_free(u->writer);
    u->writer = NULL;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < merged; i++) {
        forget(c, packs[i].name);
        if (u->folder >= 0)
            unlinkat(u->folder, packs[i].name, 0);
    }
    for (size_t i = 0; i < u->nbad && u->folder >= 0; i++)
        unlinkat(u->folder, u->bad[i], 0);
    if (!add_known(c, name, pack))
        lake_pack_release(pack);
    if (u->folder < 0)
        drop_memory(c);
    pthread_mutex_unlock(&c->lock);
    if (u->folder >= 0)
        lake_pack_evict(u->folder, c->limit, name);
}

void lake_manifest_use_write(lake_manifest_use *u) {
    char name[LAKE_PACK_NAME + 1];
    int folder = -1;
    for (size_t i = 0; i < u->n && u->cache->folder; i++) {
        if (u->hit[i] && folder < 0)
            folder = lake_pack_folder(u->cache->folder, LAKE_CACHE_MANIFESTS, false);
        if (u->hit[i] && folder >= 0)
            lake_pack_touch(folder, u->packs[i].name);
    }
    if (folder >= 0)
        close(folder);
    if (!u->writer || !u->kept)
        return;
    if (lake_pack_new_name(u->table, name))
        end_writer(u, name);
    else
        fail(u);
}
