/* Statistics of Avro data files. The file is read in windows of whole blocks, one after the other under a lock; workers
   decode and walk them. Stored and decoded bytes of a block together stay under 64 MiB. Of several errors the first in
   the file is reported. */
#include <pthread.h>
#include <stdlib.h>

#include "reader/avro_scan.h"
#include "reader/data_file.h"

enum { WINDOW = 1 << 20, MAX_WINDOW = 60 << 20, MAX_PACKED = 28 << 20, MAX_DECODED = 36 << 20 };
enum { FIRST_HEADER = 64 << 10, MAX_HEADER = 64 << 20, SYNC = 16 };

typedef struct avro_file {
    lake_file *file;
    uint64_t size, begin; /* begin: of the first block */
    lake_avro_reader reader; /* header and schema */
} avro_file;

typedef struct run {
    const lake_file_stats_options *options;
    lake_arena *arena;
    avro_file f;
    const lake_schema *schema;
    lake_avro_program program;
    lake_accum *totals; /* of the program's leaves */
    int64_t rows;
    pthread_mutex_t lock; /* all below, and totals and rows */
    uint64_t next; /* the block that comes next */
    size_t block; /* its number, from 0 */
    lake_status status; /* of the first failure in the file */
    uint64_t failed_at;
    lake_error failure;
} run;

/* ---- the header: as much of the file as it takes */

static lake_status read_header(lake_arena *arena, avro_file *f, lake_error *err) {
    for (uint64_t want = FIRST_HEADER;; want *= 8) {
        size_t n = (size_t)(want < f->size ? want : f->size);
        uint8_t *data = lake_arena_alloc(arena, n + 1);
        if (!data)
            return lake_fail_memory(err);
        LAKE_TRY(lake_file_read(f->file, 0, data, n, err));
        lake_status st = lake_avro_open_header(arena, (lake_bytes){data, n}, &f->reader, err);
        if (st == LAKE_OK || st != LAKE_ERR_MALFORMED || n == f->size || want >= MAX_HEADER) {
            f->begin = st == LAKE_OK ? (uint64_t)lake_cursor_offset(&f->reader.in) : 0;
            return st;
        }
    }
}

static lake_status read_schema(lake_arena *arena, avro_file *f, lake_error *err) {
    lake_json *json;
    LAKE_TRY(lake_json_parse(arena, f->reader.schema_text, "avro.schema", &json, err));
    LAKE_TRY(lake_avro_schema_parse(arena, json, &f->reader.schema, err));
    if (f->reader.schema->kind != LAKE_AVRO_RECORD)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED, "the rows of the Avro file are no records but %s values",
            lake_avro_kind_name(f->reader.schema->kind));
    return LAKE_OK;
}

static lake_status open_file(
    const lake_store *store, lake_str location, lake_arena *arena, avro_file *f, lake_error *err) {
    *f = (avro_file){0};
    LAKE_TRY(lake_store_open(store, location, &f->file, err));
    f->size = lake_file_size(f->file);
    lake_status st = read_header(arena, f, err);
    if (st == LAKE_OK)
        st = read_schema(arena, f, err);
    if (st != LAKE_OK)
        lake_file_close(f->file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}

/* ---- windows */

/* Bytes of the block that begins at the cursor; 0: its head is torn (reading it says how). */
static uint64_t block_bytes(lake_cursor c, int64_t *count) {
    const uint8_t *start = c.at;
    int64_t size;
    if (!lake_cursor_zigzag(&c, count) || !lake_cursor_zigzag(&c, &size) || *count < 0 || size < 0)
        return 0;
    return (uint64_t)(c.at - start) + (uint64_t)size + SYNC;
}

static lake_status fill(run *r, lake_buffer *window, size_t n, lake_error *err) {
    lake_buffer_reset(window);
    if (!lake_buffer_reserve(window, n))
        return lake_fail_memory(err);
    LAKE_TRY(lake_file_read(r->f.file, r->next, window->data, n, err));
    window->len = n;
    return LAKE_OK;
}

/* How many of the window's first bytes are whole blocks. *need: bytes of the first that is not. */
static size_t whole_blocks(const lake_buffer *window, size_t *blocks, uint64_t *need) {
    size_t at = 0;
    int64_t count;
    *blocks = 0;
    while (at < window->len) {
        *need = block_bytes(lake_cursor_of(window->data + at, window->len - at, 0), &count);
        if (!*need || *need > window->len - at)
            break;
        at += (size_t)*need;
        ++*blocks;
    }
    return at;
}

/* The next blocks; window->len 0: there are none. What is torn goes to the worker, who finds out how. */
static lake_status next_window(run *r, lake_buffer *window, uint64_t *at, size_t *first, lake_error *err) {
    uint64_t left = r->f.size - r->next, need = 0;
    size_t blocks, limit = r->f.reader.codec == LAKE_CODEC_NONE ? MAX_WINDOW : MAX_PACKED;
    lake_buffer_reset(window);
    *at = r->next;
    *first = r->block;
    if (r->status != LAKE_OK || !left)
        return LAKE_OK;
    LAKE_TRY(fill(r, window, (size_t)(left < WINDOW ? left : WINDOW), err));
    size_t whole = whole_blocks(window, &blocks, &need);
    if (!whole && need > window->len && window->len < left) {
        if (need > limit && need <= left)
            return lake_fail_at(err, LAKE_ERR_LIMIT, (int64_t)r->next,
                "block %zu at byte %llu: %llu bytes, at most %zu are read at once", r->block + 1,
                (unsigned long long)r->next, (unsigned long long)need, limit);
        if (need <= left)
            LAKE_TRY(fill(r, window, (size_t)need, err));
        whole = whole_blocks(window, &blocks, &need);
    }
    if (whole)
        window->len = whole;
    r->next += window->len;
    r->block += blocks;
    return LAKE_OK;
}

static void failed(run *r, uint64_t at, lake_status status, const lake_error *err) {
    if (r->status != LAKE_OK && r->failed_at <= at)
        return;
    r->status = status;
    r->failed_at = at;
    r->failure = *err;
}

/* ---- workers */

typedef struct worker {
    lake_avro_scan scan;
    lake_codec_scratch *codec;
    lake_buffer window, decoded;
} worker;

static lake_status scan_window(run *r, worker *w, uint64_t at, size_t first, lake_error *err) {
    lake_avro_reader reader = r->f.reader;
    reader.in = lake_cursor_of(w->window.data, w->window.len, (int64_t)at);
    reader.block = first;
    reader.max_block = reader.codec == LAKE_CODEC_NONE ? MAX_WINDOW : MAX_DECODED;
    for (;;) {
        bool more;
        uint64_t count;
        lake_cursor objects;
        int64_t offset = lake_cursor_offset(&reader.in);
        LAKE_TRY(lake_avro_next_block(&reader, w->codec, &w->decoded, &more, &count, &objects, err));
        if (!more)
            return LAKE_OK;
        LAKE_TRY_WRAP(lake_avro_scan_block(&w->scan, objects, count, err), err, "block %zu at byte %lld", reader.block,
            (long long)offset);
    }
}

static lake_status scan_windows(run *r, worker *w, lake_error *err) {
    for (;;) {
        uint64_t at;
        size_t first;
        lake_error e = {0};
        pthread_mutex_lock(&r->lock);
        lake_status st = next_window(r, &w->window, &at, &first, &e);
        if (st != LAKE_OK)
            failed(r, at, st, &e);
        bool stop = r->status != LAKE_OK || !w->window.len;
        pthread_mutex_unlock(&r->lock);
        if (stop)
            return LAKE_OK;
        st = scan_window(r, w, at, first, &e);
        if (st == LAKE_OK)
            continue;
        pthread_mutex_lock(&r->lock);
        failed(r, at, st, &e);
        pthread_mutex_unlock(&r->lock);
        return LAKE_OK;
    }
}

static lake_status add_up(run *r, const lake_avro_scan *s, lake_error *err) {
    if (__builtin_add_overflow(r->rows, s->rows, &r->rows))
        return lake_fail(err, LAKE_ERR_MALFORMED, "the blocks have more than 2^63 rows");
    for (size_t i = 0; i < r->program.nleaves; i++) {
        lake_accum_merge(&r->totals[i], &s->columns[i].stats);
        LAKE_TRY(lake_accum_check(&r->totals[i], err));
    }
    return LAKE_OK;
}

static lake_status work(void *user, size_t item, unsigned index, lake_error *err) {
    run *r = user;
    worker w = {.codec = lake_codec_scratch_new()};
    lake_buffer_init(&w.window);
    lake_buffer_init(&w.decoded);
    lake_status st = w.codec ? lake_avro_scan_init(&w.scan, &r->program, r->options, err) : lake_fail_memory(err);
    if (st == LAKE_OK)
        st = scan_windows(r, &w, err);
    if (st == LAKE_OK) {
        pthread_mutex_lock(&r->lock);
        st = add_up(r, &w.scan, err);
        pthread_mutex_unlock(&r->lock);
    }
    lake_avro_scan_clear(&w.scan);
    lake_codec_scratch_free(w.codec);
    lake_buffer_clear(&w.window);
    lake_buffer_clear(&w.decoded);
    return st;
}

static unsigned worker_count(const run *r) {
    unsigned threads = r->options->threads ? r->options->threads : lake_threads_default();
    uint64_t windows = (r->f.size - r->f.begin) / WINDOW + 1;
    for (size_t i = 0; i < r->program.nleaves; i++)
        if (r->program.leaves[i].rows) /* in order */
            return 1;
    return windows < threads ? (unsigned)windows : threads;
}

static lake_status scan_all(run *r, lake_error *err) {
    r->next = r->f.begin;
    if (pthread_mutex_init(&r->lock, NULL) != 0)
        return lake_fail_memory(err);
    unsigned n = worker_count(r);
    lake_status st = lake_parallel(n, n, work, r, err);
    pthread_mutex_destroy(&r->lock);
    if (r->status == LAKE_OK)
        return st;
    if (err)
        *err = r->failure;
    return r->status;
}

/* ---- without the data: heads of blocks alone */

static lake_status count_rows(run *r, lake_error *err) {
    uint8_t head[SYNC + 20];
    size_t skip = 0; /* the sync marker of the block before */
    for (uint64_t at = r->f.begin, block = 1; at < r->f.size; block++) {
        uint64_t from = at - skip, left = r->f.size - from;
        size_t n = left < sizeof head ? (size_t)left : sizeof head;
        int64_t count;
        LAKE_TRY(lake_file_read(r->f.file, from, head, n, err));
        uint64_t need = block_bytes(lake_cursor_of(head + skip, n - skip, 0), &count);
        bool synced = !skip || memcmp(head, r->f.reader.sync, SYNC) == 0;
        if (!synced || !need || need > r->f.size - at || count > INT64_MAX - r->rows)
            return lake_fail_at(err, LAKE_ERR_MALFORMED, (int64_t)at, "byte %llu: %s block %llu",
                (unsigned long long)at, synced ? "torn" : "no sync marker before", (unsigned long long)block);
        r->rows += count;
        at += need;
        skip = SYNC;
    }
    return LAKE_OK;
}

/* ---- results */

static int by_id(const void *a, const void *b) {
    int32_t x = ((const lake_column_stats *)a)->field->id, y = ((const lake_column_stats *)b)->field->id;
    return (x > y) - (x < y);
}

static lake_status report(run *r, lake_file_stats *out, lake_error *err) {
    bool footer_only = r->options->footer_only;
    out->record_count = r->rows;
    out->ncolumns = r->program.nleaves;
    out->unmatched = r->program.unmatched;
    out->columns = LAKE_ARENA_ARRAY(r->arena, lake_column_stats, out->ncolumns + 1);
    if (!out->columns)
        return lake_fail_memory(err);
    for (size_t i = 0; i < out->ncolumns; i++) {
        const lake_avro_leaf *leaf = &r->program.leaves[i];
        lake_column_stats *c = &out->columns[i];
        LAKE_TRY(lake_column_stats_set(r->arena, leaf->field, &r->totals[i], c, err));
        c->leaf = leaf->number;
        c->column_size = -1;
        if (footer_only) {
            c->values = leaf->inside_list ? -1 : r->rows;
            c->nulls = c->nans = -1;
        }
    }
    qsort(out->columns, out->ncolumns, sizeof *out->columns, by_id);
    return LAKE_OK;
}

static lake_status compute(run *r, lake_file_stats *out, lake_error *err) {
    lake_schema *own = NULL;
    out->file_size = (int64_t)r->f.size;
    out->from_footer = r->options->footer_only;
    out->schema = r->options->schema;
    if (!out->schema) {
        LAKE_TRY(lake_avro_own_schema(r->arena, r->f.reader.schema, &own, err));
        out->schema = own;
    }
    LAKE_TRY(lake_avro_compile(r->arena, r->f.reader.schema, out->schema, own != NULL, r->options, &r->program, err));
    r->totals = LAKE_ARENA_ARRAY(r->arena, lake_accum, r->program.nleaves + 1);
    if (!r->totals)
        return lake_fail_memory(err);
    for (size_t i = 0; i < r->program.nleaves; i++) {
        const lake_avro_reading *how = &r->program.leaves[i].reading;
        lake_accum_init(&r->totals[i], how->form, 0, how->mul, how->div);
    }
    lake_status st = r->options->footer_only ? count_rows(r, err) : scan_all(r, err);
    if (st == LAKE_OK)
        st = report(r, out, err);
    for (size_t i = 0; i < r->program.nleaves; i++)
        lake_accum_clear(&r->totals[i]);
    return st;
}

lake_status lake_avro_stats_read(const lake_store *store, lake_str location, const lake_file_stats_options *options,
    lake_arena *arena, lake_file_stats *out, lake_error *err) {
    run r = {.options = options, .arena = arena};
    LAKE_TRY(open_file(store, location, arena, &r.f, err));
    lake_status st = compute(&r, out, err);
    lake_file_close(r.f.file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}

lake_status lake_schema_from_avro(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err) {
    avro_file f;
    LAKE_TRY(open_file(store, location, arena, &f, err));
    *ids = lake_avro_has_ids(f.reader.schema);
    lake_status st = lake_avro_own_schema(arena, f.reader.schema, out, err);
    lake_file_close(f.file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}
