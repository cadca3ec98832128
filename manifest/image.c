/* Images of manifests (image.h). Numbers are little-endian, sections begin at multiples of 8:

     head      checksum of the rest of the head (8, XXH64), magic (4), version (4), entries (8), partition fields (8),
               sections (8)
     sections  for each: column id or SECTION_CORE (8), begin (8), length (8), checksum (8)
     arrays    packed.h: the core's in the order of `numbers` and `texts` below, then the partition's and the lists';
               a column's: `has` (with PRESENT), size, values, nulls, nans, lower, upper */
#include <stddef.h>

#include "manifest/image.h"
#include "manifest/packed.h"

enum { MAGIC = 0x4d494b4c, VERSION = 1, HEAD = 40, SECTION = 32, NNUMBERS = 12, NTEXTS = 4, NCOUNTS = 5 };
enum { MOST_ENTRIES = 1 << 22, MOST_COLUMNS = 1 << 16, MOST_PARTITION = 1 << 12, MOST_CELLS = 1 << 23 };
#define SECTION_CORE INT64_MAX
#define PRESENT (UINT32_C(1) << 31)

typedef struct column {
    int32_t id;
    packed_ints counts[NCOUNTS];
    packed_views lower, upper;
    bool there; /* false: no entry has it */
} column;

struct lake_image {
    size_t n, npartition, ncolumns, nevery;
    packed_ints numbers[NNUMBERS];
    packed_views texts[NTEXTS];
    struct part {
        packed_ints kinds, numbers;
        packed_views bytes;
    } * parts;
    packed_ints split_ends, equality_ends;
    const int64_t *splits;
    const int32_t *equality;
    column *columns, *every; /* those that were named; all, if asked for */
    lake_datum *partition;
    lake_column_metrics *metrics;
    lake_entry entry;
};

static int64_t number_of(const lake_entry *e, unsigned k) {
    switch (k) {
    case 0: return e->status;
    case 1: return e->content;
    case 2: return e->has;
    case 3: return e->snapshot_id;
    case 4: return e->sequence_number;
    case 5: return e->file_sequence_number;
    case 6: return e->record_count;
    case 7: return e->file_size;
    case 8: return e->sort_order_id;
    case 9: return e->first_row_id;
    case 10: return e->content_offset;
    default: return e->content_size;
    }
}

static lake_bytes text_of(const lake_entry *e, unsigned k) {
    return k == 0 ? lake_bytes_of(e->file_path)
        : k == 1  ? lake_bytes_of(e->file_format)
        : k == 2  ? e->key_metadata
                  : lake_bytes_of(e->referenced_data_file);
}

/* ---------------------------------------------------------------- writing */
typedef struct writer {
    const lake_entry *entries;
    size_t n;
    int64_t *numbers, *scratch;
    lake_bytes *views;
    const lake_column_metrics **metrics; /* of one column */
    size_t *at; /* of each entry: its next column */
    lake_buffer body, sections;
    size_t nsections;
} writer;

static void put64(lake_buffer *b, int64_t v) {
    lake_buffer_put(b, &v, 8);
}

static void end_section(writer *w, int64_t id, size_t begin) {
    put64(&w->sections, id);
    put64(&w->sections, (int64_t)begin); /* the head is not counted yet */
    put64(&w->sections, (int64_t)(w->body.len - begin));
    put64(&w->sections, w->body.failed ? 0 : (int64_t)lake_xxh64(w->body.data + begin, w->body.len - begin));
    w->nsections++;
}

static void put_partition(writer *w, size_t field) {
    const lake_entry *e = w->entries;
    for (size_t i = 0; i < w->n; i++)
        w->numbers[i] = e[i].partition[field].kind;
    packed_put_ints(&w->body, w->numbers, w->n);
    for (size_t i = 0; i < w->n; i++) {
        const lake_datum *d = &e[i].partition[field];
        w->views[i] = (lake_bytes){0};
        w->numbers[i] = 0;
        if (d->kind == LAKE_DATUM_FLOAT)
            memcpy(&w->numbers[i], &d->f, 8);
        else if (d->kind == LAKE_DATUM_BYTES)
            w->views[i] = d->b;
        else if (d->kind != LAKE_DATUM_NULL)
            w->numbers[i] = d->i;
    }
    packed_put_ints(&w->body, w->numbers, w->n);
    packed_put_views(&w->body, w->views, w->n, true, w->scratch);
}

static void put_lists(writer *w) {
    int64_t end = 0;
    for (size_t i = 0; i < w->n; i++)
        w->numbers[i] = end += (int64_t)w->entries[i].nsplit_offsets;
    packed_put_ints(&w->body, w->numbers, w->n);
    for (size_t i = 0; i < w->n; i++)
        lake_buffer_put(&w->body, w->entries[i].split_offsets, 8 * w->entries[i].nsplit_offsets);
    end = 0;
    for (size_t i = 0; i < w->n; i++)
        w->numbers[i] = end += (int64_t)w->entries[i].nequality_ids;
    packed_put_ints(&w->body, w->numbers, w->n);
    for (size_t i = 0; i < w->n; i++)
        lake_buffer_put(&w->body, w->entries[i].equality_ids, 4 * w->entries[i].nequality_ids);
    packed_align(&w->body);
}

static void put_core(writer *w) {
    for (unsigned k = 0; k < NNUMBERS; k++) {
        for (size_t i = 0; i < w->n; i++)
            w->numbers[i] = number_of(&w->entries[i], k);
        packed_put_ints(&w->body, w->numbers, w->n);
    }
    for (unsigned k = 0; k < NTEXTS; k++) {
        for (size_t i = 0; i < w->n; i++)
            w->views[i] = text_of(&w->entries[i], k);
        packed_put_views(&w->body, w->views, w->n, true, w->scratch);
    }
    for (size_t k = 0; w->n && k < w->entries[0].npartition; k++)
        put_partition(w, k);
    put_lists(w);
    end_section(w, SECTION_CORE, 0);
}

static int64_t count_of(const lake_column_metrics *m, unsigned k) {
    return !m    ? 0
        : k == 0 ? (int64_t)(m->has | PRESENT)
        : k == 1 ? m->size
        : k == 2 ? m->values
        : k == 3 ? m->nulls
                 : m->nans;
}

static void put_column(writer *w, int32_t id) {
    size_t begin = w->body.len;
    for (size_t i = 0; i < w->n; i++) {
        const lake_entry *e = &w->entries[i];
        bool here = w->at[i] < e->ncolumns && e->columns[w->at[i]].id == id;
        w->metrics[i] = here ? &e->columns[w->at[i]++] : NULL;
    }
    for (unsigned k = 0; k < NCOUNTS; k++) {
        for (size_t i = 0; i < w->n; i++)
            w->numbers[i] = count_of(w->metrics[i], k);
        packed_put_ints(&w->body, w->numbers, w->n);
    }
    for (unsigned upper = 0; upper < 2; upper++) {
        for (size_t i = 0; i < w->n; i++) {
            const lake_column_metrics *m = w->metrics[i];
            w->views[i] = !m ? (lake_bytes){0} : upper ? m->upper : m->lower;
        }
        packed_put_views(&w->body, w->views, w->n, false, w->scratch);
    }
    end_section(w, id, begin);
}

/* The least id that no entry is past yet; false: there is none. */
static bool next_column(const writer *w, int32_t *id) {
    bool found = false;
    for (size_t i = 0; i < w->n; i++) {
        const lake_entry *e = &w->entries[i];
        if (w->at[i] < e->ncolumns && (!found || e->columns[w->at[i]].id < *id)) {
            *id = e->columns[w->at[i]].id;
            found = true;
        }
    }
    return found;
}

static void assemble(writer *w, lake_buffer *out) {
    size_t begin = out->len, head = HEAD + w->sections.len;
    uint32_t magic[2] = {MAGIC, VERSION};
    put64(out, 0);
    lake_buffer_put(out, magic, sizeof magic);
    put64(out, (int64_t)w->n);
    put64(out, w->n ? (int64_t)w->entries[0].npartition : 0);
    put64(out, (int64_t)w->nsections);
    for (size_t i = 0; i < w->nsections && !w->sections.failed; i++) {
        uint8_t *at = w->sections.data + i * SECTION + 8;
        lake_put_le64(at, lake_get_le64(at) + head);
    }
    lake_buffer_str(out, lake_buffer_view(&w->sections));
    lake_buffer_str(out, lake_buffer_view(&w->body));
    if (!out->failed)
        lake_put_le64(out->data + begin, lake_xxh64(out->data + begin + 8, head - 8));
}

static lake_status write_all(writer *w, lake_buffer *out, lake_error *err) {
    int32_t id = 0;
    if (!w->numbers || !w->scratch || !w->views || !w->metrics || !w->at)
        return lake_fail_memory(err);
    put_core(w);
    while (next_column(w, &id)) {
        if (w->nsections > MOST_COLUMNS || w->nsections * w->n > MOST_CELLS)
            return lake_fail(err, LAKE_ERR_LIMIT, "too many columns for the cache");
        put_column(w, id);
    }
    assemble(w, out);
    return w->body.failed || w->sections.failed || out->failed ? lake_fail_memory(err) : LAKE_OK;
}

lake_status lake_image_write(const lake_entry *entries, size_t n, lake_buffer *out, lake_error *err) {
    if (n > MOST_ENTRIES || (n && entries[0].npartition > MOST_PARTITION))
        return lake_fail(err, LAKE_ERR_LIMIT, "too many entries for the cache");
    for (size_t i = 1; i < n; i++)
        if (entries[i].npartition != entries[0].npartition)
            return lake_fail(err, LAKE_ERR_INTERNAL, "partitions of different sizes");
    writer w = {.entries = entries, .n = n};
    w.numbers = lake_mem_zalloc(n + 1, sizeof *w.numbers);
    w.scratch = lake_mem_zalloc(n + 1, sizeof *w.scratch);
    w.views = lake_mem_zalloc(n + 1, sizeof *w.views);
    w.metrics = lake_mem_zalloc(n + 1, sizeof *w.metrics);
    w.at = lake_mem_zalloc(n + 1, sizeof *w.at);
    lake_buffer_init(&w.body);
    lake_buffer_init(&w.sections);
    lake_status s = write_all(&w, out, err);
    lake_buffer_clear(&w.body);
    lake_buffer_clear(&w.sections);
    lake_mem_free(w.numbers);
    lake_mem_free(w.scratch);
    lake_mem_free(w.views);
    lake_mem_free((void *)w.metrics);
    lake_mem_free(w.at);
    return s;
}

/* ---------------------------------------------------------------- reading */
static bool section(lake_bytes image, const uint8_t *head, lake_cursor *out) {
    uint64_t begin = lake_get_le64(head + 8), len = lake_get_le64(head + 16);
    if (begin % 8 || begin > image.len || len > image.len - begin ||
        lake_xxh64(image.ptr + begin, len) != lake_get_le64(head + 24))
        return false;
    *out = lake_cursor_of(image.ptr + begin, len, 0);
    return true;
}

static bool in_range(const packed_ints *p, size_t n, int64_t most) {
    for (size_t i = 0; i < n; i++)
        if ((uint64_t)packed_int(p, i) > (uint64_t)most)
            return false;
    return true;
}

static bool all_there(const packed_views *v, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!packed_view(v, i).ptr)
            return false;
    return true;
}

static bool take_list(lake_cursor *c, size_t n, size_t each, packed_ints *ends, const void **out) {
    uint64_t before = 0;
    lake_bytes bytes;
    if (!packed_take_ints(c, n, ends))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t end = (uint64_t)packed_int(ends, i);
        if (end < before || end > lake_cursor_left(c) / each)
            return false;
        before = end;
    }
    if (!lake_cursor_take(c, before * each, &bytes))
        return false;
    *out = bytes.ptr;
    return lake_cursor_skip(c, (8 - before * each % 8) % 8);
}

static bool take_core(lake_image *m, lake_cursor c) {
    for (unsigned k = 0; k < NNUMBERS; k++)
        if (!packed_take_ints(&c, m->n, &m->numbers[k]))
            return false;
    if (!in_range(&m->numbers[0], m->n, LAKE_ENTRY_DELETED) ||
        !in_range(&m->numbers[1], m->n, LAKE_CONTENT_EQUALITY_DELETES))
        return false;
    for (unsigned k = 0; k < NTEXTS; k++)
        if (!packed_take_views(&c, m->n, true, &m->texts[k]) || (k < 2 && !all_there(&m->texts[k], m->n)))
            return false; /* every entry has a path and a format */
    for (size_t k = 0; k < m->npartition; k++) {
        struct part *p = &m->parts[k];
        if (!packed_take_ints(&c, m->n, &p->kinds) || !in_range(&p->kinds, m->n, LAKE_DATUM_BYTES) ||
            !packed_take_ints(&c, m->n, &p->numbers) || !packed_take_views(&c, m->n, true, &p->bytes))
            return false;
        for (size_t i = 0; i < m->n; i++)
            if (packed_int(&p->kinds, i) == LAKE_DATUM_BYTES && !packed_view(&p->bytes, i).ptr)
                return false;
    }
    const void *splits, *equality;
    if (!take_list(&c, m->n, 8, &m->split_ends, &splits) || !take_list(&c, m->n, 4, &m->equality_ends, &equality))
        return false;
    m->splits = splits;
    m->equality = equality;
    return true;
}

static bool take_column(lake_image *m, lake_cursor c, column *out) {
    for (unsigned k = 0; k < NCOUNTS; k++)
        if (!packed_take_ints(&c, m->n, &out->counts[k]))
            return false;
    out->there = true;
    return packed_take_views(&c, m->n, false, &out->lower) && packed_take_views(&c, m->n, false, &out->upper);
}

/* The section of a column; sections are sorted by id behind the core. */
static const uint8_t *find(const uint8_t *sections, size_t n, int64_t id) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if ((int64_t)lake_get_le64(sections + mid * SECTION) < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && (int64_t)lake_get_le64(sections + lo * SECTION) == id ? sections + lo * SECTION : NULL;
}

static bool take_columns(lake_image *m, lake_bytes bytes, const uint8_t *sections, size_t n, const int32_t *ids) {
    lake_cursor c;
    for (size_t i = 0; i < m->ncolumns; i++) {
        const uint8_t *at = find(sections, n, ids[i]);
        m->columns[i].id = ids[i];
        if (at && (!section(bytes, at, &c) || !take_column(m, c, &m->columns[i])))
            return false;
    }
    for (size_t i = 0; i < m->nevery; i++) {
        const uint8_t *at = sections + i * SECTION;
        m->every[i].id = (int32_t)lake_get_le64(at);
        if (!section(bytes, at, &c) || !take_column(m, c, &m->every[i]))
            return false;
    }
    return true;
}

size_t lake_image_span(
    const uint8_t *head, size_t have, const int32_t *ids, size_t nids, uint64_t *begin, uint64_t *end) {
    *begin = UINT64_MAX;
    *end = 0;
    if (have < HEAD)
        return HEAD;
    uint64_t n = lake_get_le64(head + 32);
    if (lake_get_le32(head + 8) != MAGIC || n < 1 || n > MOST_COLUMNS + 1)
        return 0;
    size_t want = HEAD + (size_t)n * SECTION;
    for (size_t i = 0; i < nids && have >= want; i++) {
        const uint8_t *at = find(head + HEAD + SECTION, (size_t)n - 1, ids[i]);
        uint64_t from = at ? lake_get_le64(at + 8) : 0, len = at ? lake_get_le64(at + 16) : 0;
        if (!at || len > UINT64_MAX - from)
            continue;
        *begin = from < *begin ? from : *begin;
        *end = from + len > *end ? from + len : *end;
    }
    return want;
}

bool lake_image_longs(const lake_image *m, size_t which, const uint8_t **lower, const uint8_t **upper) {
    const column *c = &m->columns[which];
    const packed_ints *has = &c->counts[0], *values = &c->counts[2], *nulls = &c->counts[3];
    if (!c->there || has->width || !(has->base & LAKE_METRIC_NULLS) || nulls->width || nulls->base ||
        ((has->base & LAKE_METRIC_VALUES) && (int64_t)values->base <= 0) || c->lower.mode != PACKED_FIXED ||
        c->upper.mode != PACKED_FIXED || c->lower.len != 8 || c->upper.len != 8)
        return false;
    *lower = c->lower.at;
    *upper = c->upper.at;
    return true;
}

lake_image *lake_image_open(lake_arena *arena, lake_bytes b, const int32_t *ids, size_t nids, lake_image_parts parts) {
    if (b.len < HEAD || (uintptr_t)b.ptr % 8 || lake_get_le32(b.ptr + 8) != MAGIC ||
        lake_get_le32(b.ptr + 12) != VERSION)
        return NULL;
    uint64_t n = lake_get_le64(b.ptr + 16), npartition = lake_get_le64(b.ptr + 24),
             nsections = lake_get_le64(b.ptr + 32);
    if (n > MOST_ENTRIES || npartition > MOST_PARTITION || nsections < 1 || nsections > (b.len - HEAD) / SECTION ||
        lake_xxh64(b.ptr + 8, HEAD + nsections * SECTION - 8) != lake_get_le64(b.ptr) ||
        (int64_t)lake_get_le64(b.ptr + HEAD) != SECTION_CORE)
        return NULL;
    lake_image *m = LAKE_ARENA_NEW(arena, lake_image);
    if (!m)
        return NULL;
    m->n = (size_t)n;
    m->npartition = (size_t)npartition;
    m->ncolumns = nids;
    m->nevery = parts == LAKE_IMAGE_EVERYTHING ? (size_t)nsections - 1 : 0;
    m->parts = LAKE_ARENA_ARRAY(arena, struct part, m->npartition + 1);
    m->partition = LAKE_ARENA_ARRAY(arena, lake_datum, m->npartition + 1);
    m->columns = LAKE_ARENA_ARRAY(arena, column, m->ncolumns + 1);
    m->every = LAKE_ARENA_ARRAY(arena, column, m->nevery + 1);
    m->metrics = LAKE_ARENA_ARRAY(arena, lake_column_metrics, m->ncolumns + 1);
    lake_cursor core;
    if (!m->parts || !m->partition || !m->columns || !m->every || !m->metrics ||
        (parts != LAKE_IMAGE_COLUMNS && (!section(b, b.ptr + HEAD, &core) || !take_core(m, core))) ||
        !take_columns(m, b, b.ptr + HEAD + SECTION, (size_t)nsections - 1, ids))
        return NULL;
    return m;
}

size_t lake_image_count(const lake_image *m) {
    return m->n;
}

static uint32_t fill_column(const column *c, size_t i, lake_column_metrics *out) {
    uint32_t has = c->there ? (uint32_t)packed_int(&c->counts[0], i) : 0;
    *out = (lake_column_metrics){.id = c->id};
    if (has)
        *out = (lake_column_metrics){.id = c->id,
            .has = has & ~PRESENT,
            .size = packed_int(&c->counts[1], i),
            .values = packed_int(&c->counts[2], i),
            .nulls = packed_int(&c->counts[3], i),
            .nans = packed_int(&c->counts[4], i),
            .lower = packed_view(&c->lower, i),
            .upper = packed_view(&c->upper, i)};
    return has;
}

/* sparse: only those that the entry has. */
static size_t fill_columns(const column *columns, size_t ncolumns, bool sparse, size_t i, lake_column_metrics *out) {
    size_t n = 0;
    for (size_t k = 0; k < ncolumns; k++)
        n += fill_column(&columns[k], i, &out[n]) || !sparse;
    return n;
}

void lake_image_metrics(const lake_image *m, size_t which, size_t i, lake_column_metrics *out) {
    fill_column(&m->columns[which], i, out);
}

uint8_t lake_image_status(const lake_image *m, size_t i) {
    return (uint8_t)packed_int(&m->numbers[0], i);
}

int64_t lake_image_file_size(const lake_image *m, size_t i) {
    return packed_int(&m->numbers[7], i);
}

static void fill_partition(const lake_image *m, size_t i, lake_datum *out) {
    for (size_t k = 0; k < m->npartition; k++) {
        const struct part *p = &m->parts[k];
        out[k] = (lake_datum){.kind = (lake_datum_kind)packed_int(&p->kinds, i)};
        int64_t v = packed_int(&p->numbers, i);
        if (out[k].kind == LAKE_DATUM_BYTES)
            out[k].b = packed_view(&p->bytes, i);
        else
            memcpy(&out[k].i, &v, 8); /* a float by its bits */
    }
}

static void fill_core(const lake_image *m, size_t i, lake_entry *e) {
    const packed_ints *x = m->numbers;
    size_t split = i ? (size_t)packed_int(&m->split_ends, i - 1) : 0;
    size_t equality = i ? (size_t)packed_int(&m->equality_ends, i - 1) : 0;
    *e = (lake_entry){.status = (uint8_t)packed_int(&x[0], i),
        .content = (uint8_t)packed_int(&x[1], i),
        .has = (uint32_t)packed_int(&x[2], i),
        .snapshot_id = packed_int(&x[3], i),
        .sequence_number = packed_int(&x[4], i),
        .file_sequence_number = packed_int(&x[5], i),
        .record_count = packed_int(&x[6], i),
        .file_size = packed_int(&x[7], i),
        .sort_order_id = (int32_t)packed_int(&x[8], i),
        .first_row_id = packed_int(&x[9], i),
        .content_offset = packed_int(&x[10], i),
        .content_size = packed_int(&x[11], i),
        .file_path = lake_text_of(packed_view(&m->texts[0], i)),
        .file_format = lake_text_of(packed_view(&m->texts[1], i)),
        .key_metadata = packed_view(&m->texts[2], i),
        .referenced_data_file = lake_text_of(packed_view(&m->texts[3], i)),
        .split_offsets = m->splits + split,
        .nsplit_offsets = (size_t)packed_int(&m->split_ends, i) - split,
        .equality_ids = m->equality + equality,
        .nequality_ids = (size_t)packed_int(&m->equality_ends, i) - equality,
        .npartition = m->npartition};
}

const lake_entry *lake_image_entry(lake_image *m, size_t i) {
    fill_core(m, i, &m->entry);
    fill_partition(m, i, m->partition);
    m->entry.partition = m->partition;
    m->entry.ncolumns = fill_columns(m->columns, m->ncolumns, false, i, m->metrics);
    m->entry.columns = m->metrics;
    return &m->entry;
}

lake_status lake_image_materialise(lake_image *m, size_t i, const lake_manifest_want *want, bool deep,
    lake_arena *arena, lake_entry *out, lake_error *err) {
    bool every = want->all_columns;
    size_t ncolumns = every ? m->nevery : want->ncolumn_ids < m->ncolumns ? want->ncolumn_ids : m->ncolumns;
    lake_datum *partition = LAKE_ARENA_ARRAY(arena, lake_datum, m->npartition);
    lake_column_metrics *columns = LAKE_ARENA_ARRAY(arena, lake_column_metrics, ncolumns);
    if (!partition || !columns)
        return lake_fail_memory(err);
    fill_core(m, i, out);
    fill_partition(m, i, partition);
    out->partition = partition;
    out->ncolumns = fill_columns(every ? m->every : m->columns, ncolumns, every, i, columns);
    out->columns = columns;
    if (!out->nsplit_offsets)
        out->split_offsets = NULL;
    if (!out->nequality_ids)
        out->equality_ids = NULL;
    lake_manifest_want all = {.all_columns = true};
    return !deep || lake_entry_copy(arena, &all, out) ? LAKE_OK : lake_fail_memory(err);
}
