/* Writing packs: values as they come, to a temporary name; then rows and index, and the name. Nothing is synced: what a
   crash tears has no valid checksum. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/pack_internal.h"

typedef struct item {
    uint64_t hash, begin, len, checksum;
    uint32_t key, nkey;
    uint32_t number, place; /* as written; in the index */
} item;

typedef struct row {
    lake_pack_row row;
    uint32_t number;
} row;

struct lake_pack_writer {
    int folder, fd;
    char temp[32];
    uint64_t size;
    lake_buffer items, keys, rows;
    bool failed;
};

static bool put(lake_pack_writer *w, const void *data, size_t n) {
    for (size_t done = 0; done < n && !w->failed;) {
        ssize_t got = write(w->fd, (const uint8_t *)data + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        w->failed = got <= 0;
        done += got > 0 ? (size_t)got : 0;
    }
    w->size += n;
    return !w->failed;
}

static bool align(lake_pack_writer *w) {
    static const uint8_t zeros[8];
    return put(w, zeros, (8 - w->size % 8) % 8);
}

lake_pack_writer *lake_pack_writer_new(int folder) {
    static const uint8_t head[PACK_HEAD];
    uint64_t r;
    lake_pack_writer *w = lake_mem_zalloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->folder = folder;
    lake_buffer_init(&w->items);
    lake_buffer_init(&w->keys);
    lake_buffer_init(&w->rows);
    if (folder < 0) {
        w->fd = memfd_create("lake-manifests", MFD_CLOEXEC);
    } else {
        w->fd = -1;
        if (getrandom(&r, sizeof r, 0) == (ssize_t)sizeof r) {
            snprintf(w->temp, sizeof w->temp, ".pack-%016llx", (unsigned long long)r);
            w->fd = openat(folder, w->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        }
    }
    if (w->fd >= 0 && put(w, head, sizeof head))
        return w;
    lake_pack_writer_free(w);
    return NULL;
}

bool lake_pack_put(lake_pack_writer *w, lake_bytes key, lake_bytes value, const lake_pack_row *rows, size_t nrows) {
    item x = {.hash = lake_pack_hash(key),
        .begin = w->size,
        .len = value.len,
        .checksum = lake_xxh64(value.ptr, value.len),
        .key = (uint32_t)w->keys.len,
        .nkey = (uint32_t)key.len,
        .number = (uint32_t)(w->items.len / sizeof x)};
    if (x.number >= PACK_MOST || key.len > UINT32_MAX - w->keys.len)
        w->failed = true;
    if (!put(w, value.ptr, value.len) || !align(w))
        return false;
    lake_buffer_put(&w->keys, key.ptr, key.len);
    lake_buffer_put(&w->items, &x, sizeof x);
    for (size_t i = 0; i < nrows; i++) {
        row r = {rows[i], x.number};
        lake_buffer_put(&w->rows, &r, sizeof r);
    }
    w->failed = w->failed || w->keys.failed || w->items.failed || w->rows.failed;
    return !w->failed;
}

uint64_t lake_pack_written(const lake_pack_writer *w) {
    return w->size;
}

static int by_hash(const void *a, const void *b) {
    const item *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->number > y->number) - (x->number < y->number);
}

static int by_row_id(const void *a, const void *b) {
    int32_t x = ((const row *)a)->row.id, y = ((const row *)b)->row.id;
    return (x > y) - (x < y);
}

static void put64(lake_buffer *b, uint64_t v) {
    lake_buffer_put(b, &v, 8);
}

/* Writes the rows of each id, and what the index says of them. */
static bool put_rows(lake_pack_writer *w, const uint32_t *places, size_t n, lake_buffer *ids, lake_buffer *table) {
    row *rows = (row *)(void *)w->rows.data;
    size_t nrows = w->rows.len / sizeof *rows;
    if (nrows)
        qsort(rows, nrows, sizeof *rows, by_row_id);
    for (size_t i = 0; i < nrows && !w->failed;) {
        int32_t id = rows[i].row.id;
        lake_buffer_reset(table);
        if (!lake_buffer_reserve(table, n * LAKE_PACK_ROW))
            return false;
        memset(table->data, 0, n * LAKE_PACK_ROW);
        for (; i < nrows && rows[i].row.id == id; i++)
            memcpy(table->data + (size_t)places[rows[i].number] * LAKE_PACK_ROW, rows[i].row.bytes, LAKE_PACK_ROW);
        put64(ids, (uint64_t)(int64_t)id);
        put64(ids, w->size);
        put64(ids, lake_xxh64(table->data, n * LAKE_PACK_ROW));
        put(w, table->data, n * LAKE_PACK_ROW);
    }
    return !w->failed;
}

static void put_records(const lake_pack_writer *w, lake_buffer *index) {
    const item *items = (const item *)(const void *)w->items.data;
    for (size_t i = 0; i < w->items.len / sizeof *items; i++) {
        put64(index, items[i].hash);
        put64(index, items[i].begin);
        put64(index, items[i].len);
        lake_buffer_put(index, &items[i].key, 4);
        lake_buffer_put(index, &items[i].nkey, 4);
        put64(index, items[i].checksum);
    }
}

static bool put_head(lake_pack_writer *w, size_t n, uint64_t begin, const lake_buffer *index) {
    uint8_t head[PACK_HEAD] = PACK_MAGIC;
    lake_put_le64(head + 8, n);
    lake_put_le64(head + 16, w->size);
    lake_put_le64(head + 24, begin);
    lake_put_le64(head + 32, index->len);
    lake_put_le64(head + 40, lake_xxh64(index->data, index->len));
    lake_put_le64(head + PACK_HEAD - 8, lake_xxh64(head, PACK_HEAD - 8));
    return pwrite(w->fd, head, sizeof head, 0) == (ssize_t)sizeof head;
}

static bool end_file(lake_pack_writer *w, uint32_t *places, lake_buffer *index, lake_buffer *ids, lake_buffer *table) {
    item *items = (item *)(void *)w->items.data;
    size_t n = w->items.len / sizeof *items;
    if (n)
        qsort(items, n, sizeof *items, by_hash);
    for (size_t i = 0; i < n; i++)
        places[items[i].number] = (uint32_t)i;
    if (!put_rows(w, places, n, ids, table))
        return false;
    put_records(w, index);
    put64(index, ids->len / PACK_ID);
    lake_buffer_str(index, lake_buffer_view(ids));
    lake_buffer_str(index, lake_buffer_view(&w->keys));
    uint64_t begin = w->size;
    return !index->failed && !ids->failed && put(w, index->data, index->len) && put_head(w, n, begin, index);
}

lake_pack *lake_pack_finish(lake_pack_writer *w, const char *name) {
    lake_buffer index, ids, table;
    lake_buffer_init(&index);
    lake_buffer_init(&ids);
    lake_buffer_init(&table);
    uint32_t *places = lake_mem_alloc((w->items.len / sizeof(item) + 1) * sizeof *places);
    bool ok = places && !w->failed && align(w) && end_file(w, places, &index, &ids, &table);
    if (ok && w->folder >= 0) {
        ok = renameat(w->folder, w->temp, w->folder, name) == 0;
        if (ok)
            w->temp[0] = 0;
    }
    lake_mem_free(places);
    lake_buffer_clear(&index);
    lake_buffer_clear(&ids);
    lake_buffer_clear(&table);
    int fd = ok ? w->fd : -1;
    if (ok)
        w->fd = -1;
    return fd >= 0 ? lake_pack_map(fd) : NULL;
}

void lake_pack_writer_free(lake_pack_writer *w) {
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    if (w->temp[0])
        unlinkat(w->folder, w->temp, 0);
    lake_buffer_clear(&w->items);
    lake_buffer_clear(&w->keys);
    lake_buffer_clear(&w->rows);
    lake_mem_free(w);
}
