/* Many entries into manifests, by several threads. Entries are cut into Avro blocks by their sizes alone; blocks are
   encoded and compressed in any order and put together in theirs, so that the files do not depend on the threads (but
   for the random sync marker). A wave of blocks is in memory at a time, and the file that is being put together. */
#include "base/threads.h"
#include "manifest/encode.h"

enum { BLOCK_SIZE = 64 * 1024, WAVE = 256 };

typedef struct block {
    const lake_entry *entries;
    size_t n;
    lake_buffer data;
    lake_encode_tally tally;
} block;

typedef struct many {
    const lake_manifest_write_options *options;
    const lake_entry *entries;
    size_t n, next; /* entries; the first that is in no block yet */
    uint64_t target_size;
    lake_manifest_writer **workers; /* made on first use */
    unsigned nworkers;
    block *blocks;
    size_t nblocks;
    lake_manifest_writer *file; /* that blocks go to; NULL: none is open */
    lake_arena own; /* the tallies of the blocks */
    lake_arena *arena;
    lake_manifest_take take;
    void *user;
} many;

/* About what an entry takes before compression. */
static size_t size_of(const lake_entry *e) {
    size_t size = 64 + e->file_path.len + 8 * e->npartition + e->key_metadata.len + 5 * e->nsplit_offsets +
        e->referenced_data_file.len;
    for (size_t i = 0; i < e->ncolumns; i++)
        size += 16 + e->columns[i].lower.len + e->columns[i].upper.len;
    return size;
}

/* The next blocks: entries until one is full. A small target makes small blocks, since files end with a block. */
static void cut(many *m) {
    size_t most = m->target_size && m->target_size < BLOCK_SIZE ? (size_t)m->target_size : BLOCK_SIZE;
    for (m->nblocks = 0; m->nblocks < WAVE && m->next < m->n; m->nblocks++) {
        block *b = &m->blocks[m->nblocks];
        size_t size = 0;
        b->entries = &m->entries[m->next];
        for (b->n = 0; m->next < m->n && size < most; b->n++)
            size += size_of(&m->entries[m->next++]);
    }
}

static lake_status make_block(void *user, size_t item, unsigned worker, lake_error *err) {
    many *m = user;
    block *b = &m->blocks[item];
    if (!m->workers[worker])
        LAKE_TRY(lake_encode_blocks_open(m->options, &m->workers[worker], err));
    lake_manifest_writer *w = m->workers[worker];
    for (size_t i = 0; i < b->n; i++)
        LAKE_TRY(lake_encode_add(w, &b->entries[i], err));
    lake_encode_tally_move(&b->tally, &w->tally, w->nfields);
    lake_buffer_reset(&b->data);
    return lake_avro_writer_pack(&w->avro, &b->data, err);
}

static lake_status end_file(many *m, lake_error *err) {
    lake_bytes bytes;
    lake_manifest_file line;
    LAKE_TRY(lake_manifest_writer_finish(m->file, m->arena, &bytes, &line, err));
    LAKE_TRY(m->take(m->user, bytes, &line, err));
    lake_manifest_writer_close(m->file);
    m->file = NULL;
    return LAKE_OK;
}

static lake_status put_block(many *m, block *b, lake_error *err) {
    if (!m->file)
        LAKE_TRY(lake_manifest_writer_open(m->options, &m->file, err));
    lake_encode_tally_move(&m->file->tally, &b->tally, m->file->nfields);
    LAKE_TRY(lake_avro_writer_block(&m->file->avro, b->n, lake_bytes_of(lake_buffer_view(&b->data)), err));
    return m->target_size && lake_manifest_writer_size(m->file) >= m->target_size ? end_file(m, err) : LAKE_OK;
}

static lake_status init(many *m, lake_error *err) {
    m->workers = LAKE_ARENA_ARRAY(&m->own, lake_manifest_writer *, m->nworkers);
    m->blocks = LAKE_ARENA_ARRAY(&m->own, block, WAVE);
    if (!m->workers || !m->blocks)
        return lake_fail_memory(err);
    LAKE_TRY(lake_manifest_writer_open(m->options, &m->file, err));
    for (size_t i = 0; i < WAVE; i++) {
        lake_buffer_init(&m->blocks[i].data);
        LAKE_TRY(lake_encode_tally_init(m->file, &m->own, &m->blocks[i].tally, err));
    }
    return LAKE_OK;
}

static lake_status write_all(many *m, lake_error *err) {
    LAKE_TRY(init(m, err));
    for (;;) {
        cut(m);
        if (!m->nblocks)
            break;
        LAKE_TRY(lake_parallel(m->nblocks, m->nworkers, make_block, m, err));
        for (size_t i = 0; i < m->nblocks; i++)
            LAKE_TRY(put_block(m, &m->blocks[i], err));
    }
    return m->file ? end_file(m, err) : LAKE_OK;
}

lake_status lake_manifest_write_entries(const lake_manifest_write_options *options, const lake_entry *entries, size_t n,
    uint64_t target_size, unsigned threads, lake_arena *arena, lake_manifest_take take, void *user, lake_error *err) {
    many m = {.options = options,
        .entries = entries,
        .n = n,
        .target_size = target_size,
        .nworkers = threads ? threads : lake_threads_default(),
        .arena = arena,
        .take = take,
        .user = user};
    lake_arena_init(&m.own, 0);
    lake_status status = write_all(&m, err);
    size_t nfields = options->spec->nfields;
    for (size_t i = 0; m.blocks && i < WAVE; i++) {
        lake_encode_tally_clear(&m.blocks[i].tally, nfields);
        lake_buffer_clear(&m.blocks[i].data);
    }
    for (unsigned i = 0; m.workers && i < m.nworkers; i++)
        lake_manifest_writer_close(m.workers[i]);
    lake_manifest_writer_close(m.file);
    lake_arena_clear(&m.own);
    return status;
}
