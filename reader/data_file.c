/* Which format a data file has: its first bytes say so, whatever it is called. What is no data file of a table is
   refused by name. */
#include "reader/data_file.h"

#include "reader/parquet_file.h"
#include "reader/parquet_types.h"

enum { HEAD = 512 };

typedef struct head {
    uint8_t bytes[HEAD];
    size_t len;
} head;

static lake_status read_head(const lake_store *store, lake_str location, head *out, lake_error *err) {
    lake_file *file;
    LAKE_TRY(lake_store_open(store, location, &file, err));
    uint64_t size = lake_file_size(file);
    out->len = size < HEAD ? (size_t)size : HEAD;
    lake_status st = lake_file_read(file, 0, out->bytes, out->len, err);
    lake_file_close(file);
    return st;
}

static bool begins(const head *h, const char *magic, size_t n) {
    return h->len >= n && memcmp(h->bytes, magic, n) == 0;
}

static bool ends_with(lake_str name, const char *ending) {
    size_t n = strlen(ending);
    if (name.len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        char c = name.ptr[name.len - n + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != ending[i])
            return false;
    }
    return true;
}

/* Printable text, in whatever encoding has ASCII in it. */
static bool is_text(const head *h) {
    for (size_t i = 0; i < h->len; i++)
        if (h->bytes[i] < 32 && h->bytes[i] != '\n' && h->bytes[i] != '\r' && h->bytes[i] != '\t')
            return false;
    return h->len > 0;
}

static char first_sign(const head *h) {
    size_t i = begins(h, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (i < h->len && (h->bytes[i] == ' ' || h->bytes[i] == '\n' || h->bytes[i] == '\r' || h->bytes[i] == '\t'))
        i++;
    return i < h->len ? (char)h->bytes[i] : 0;
}

/* What a file is that is none of the three; NULL: nothing known. */
static const char *foreign(const head *h, lake_str name) {
    static const struct {
        const char *ending, *what;
    } endings[] = {{".csv", "CSV"}, {".tsv", "tab-separated text"}, {".json", "JSON"}, {".jsonl", "JSON lines"},
        {".ndjson", "JSON lines"}, {".csv.gz", "CSV"}, {".json.gz", "JSON"}, {".jsonl.gz", "JSON lines"},
        {".ndjson.gz", "JSON lines"}, {".arrow", "Arrow IPC"}, {".feather", "Arrow IPC"}, {".txt", "text"},
        {".xlsx", "a spreadsheet"}, {".puffin", "Puffin"}};
    static const struct {
        const char *magic;
        size_t len;
        const char *what;
    } magics[] = {{"ARROW1", 6, "Arrow IPC"}, {"PFA1", 4, "Puffin"}, {"SQLite format 3", 15, "an SQLite database"},
        {"SEQ", 3, "a Hadoop sequence file"}, {"RCF", 3, "an RCFile"}, {"\x1f\x8b", 2, "gzip data"},
        {"\x28\xb5\x2f\xfd", 4, "zstd data"}, {"PK\3\4", 4, "a zip archive"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(name, endings[i].ending))
            return endings[i].what;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (begins(h, magics[i].magic, magics[i].len))
            return magics[i].what;
    if (!is_text(h) || ends_with(name, ".parquet"))
        return NULL;
    return first_sign(h) == '{' || first_sign(h) == '[' ? "JSON" : "text";
}

static lake_status find_format(const lake_store *store, lake_str location, lake_data_format *out, lake_error *err) {
    head h;
    LAKE_TRY(read_head(store, location, &h, err));
    *out = LAKE_DATA_PARQUET;
    if (begins(&h, "PAR1", 4) || begins(&h, "PARE", 4))
        return LAKE_OK;
    if (begins(&h, "Obj\1", 4))
        *out = LAKE_DATA_AVRO;
    else if (begins(&h, "ORC", 3))
        *out = LAKE_DATA_ORC;
    else if (foreign(&h, location))
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "%.*s: it is %s, no data file of a table: those are Parquet, Avro or ORC", LAKE_ARG(location),
            foreign(&h, location));
    else if (ends_with(location, ".avro") || ends_with(location, ".orc"))
        return lake_fail(err, LAKE_ERR_MALFORMED, "%.*s: it does not begin as %s file does (byte 0)",
            LAKE_ARG(location), ends_with(location, ".orc") ? "an ORC" : "an Avro");
    return LAKE_OK; /* the Parquet reader says what is wrong with it */
}

lake_str lake_data_format_name(lake_data_format format) {
    return format == LAKE_DATA_AVRO ? LAKE_STR("AVRO")
        : format == LAKE_DATA_ORC   ? LAKE_STR("ORC")
                                    : LAKE_STR("PARQUET");
}

lake_status lake_file_stats_read(const lake_store *store, lake_str location, const lake_file_stats_options *options,
    lake_arena *arena, lake_file_stats *out, lake_error *err) {
    static const lake_file_stats_options defaults = {0};
    lake_data_format format;
    LAKE_TRY(find_format(store, location, &format, err));
    if (!options)
        options = &defaults;
    *out = (lake_file_stats){.path = lake_arena_str(arena, location.ptr, location.len), .format = format};
    if (!out->path.ptr)
        return lake_fail_memory(err);
    switch (format) {
    case LAKE_DATA_AVRO: return lake_avro_stats_read(store, location, options, arena, out, err);
    case LAKE_DATA_ORC: return lake_orc_stats_read(store, location, options, arena, out, err);
    default: return lake_parquet_stats_read(store, location, options, arena, out, err);
    }
}

static lake_status schema_from_parquet(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err) {
    lake_parquet_file file;
    LAKE_TRY(lake_parquet_file_open(store, location, arena, &file, err));
    *ids = lake_parquet_has_ids(file.footer->root);
    lake_status st = lake_parquet_schema(arena, file.footer, out, err);
    lake_parquet_file_close(&file);
    return lake_wrap(err, st, "%.*s", LAKE_ARG(location));
}

lake_status lake_schema_from_file(
    const lake_store *store, lake_str location, lake_arena *arena, lake_schema **out, bool *ids, lake_error *err) {
    lake_data_format format;
    bool any = false;
    LAKE_TRY(find_format(store, location, &format, err));
    lake_status st = format == LAKE_DATA_AVRO ? lake_schema_from_avro(store, location, arena, out, &any, err)
        : format == LAKE_DATA_ORC             ? lake_schema_from_orc(store, location, arena, out, &any, err)
                                              : schema_from_parquet(store, location, arena, out, &any, err);
    if (ids)
        *ids = any;
    return st;
}
