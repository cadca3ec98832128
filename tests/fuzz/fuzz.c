/* Damaged input for every reader: mutations of real files, drawn from a seed, through the same functions that users
   call. Any status will do, but a failure must have a message, and the sanitizers must stay silent.

   fuzz TARGET SEED COUNT FILE…   targets: json metadata manifest list parquet avro orc directory dump sql filter
   wkb bitmap sketch
   One line at the end: "N inputs, N accepted, N refused". `fuzz TARGET 0 0 FILE…` runs the files as they are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "format/deletion_vector.h"
#include "format/geometry.h"
#include "format/metadata.h"
#include "format/sketch.h"
#include "lake/lake.h"
#include "manifest/manifest.h"
#include "planner/predicate.h"
#include "reader/stats.h"

static uint64_t state;

static uint64_t draw(void) { /* splitmix64 */
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static lake_arena arena; /* reset for each input */

typedef lake_status (*target)(lake_bytes data, const char *path, lake_error *err);

static lake_status fuzz_json(lake_bytes data, const char *path, lake_error *err) {
    lake_json *j;
    return lake_json_parse(&arena, lake_text_of(data), "input", &j, err);
}

static lake_status fuzz_metadata(lake_bytes data, const char *path, lake_error *err) {
    lake_metadata *m;
    return lake_metadata_read(&arena, data, "input", &m, err);
}

static lake_status walk_manifest(const lake_store *store, const char *path, bool all, lake_error *err) {
    int32_t ids[] = {1, 3, 2147483546};
    lake_manifest_want want = {
        .all_columns = all, .column_ids = all ? NULL : ids, .ncolumn_ids = all ? 0 : 3, .rest = all};
    lake_manifest_want everything = {.all_columns = true, .rest = true};
    lake_manifest_reader *r = NULL;
    lake_status s = lake_manifest_open(store, lake_str_of(path), NULL, NULL, &want, NULL, &r, err);
    const lake_entry *e = NULL;
    while (s == LAKE_OK && (s = lake_manifest_next(r, &e, err)) == LAKE_OK && e) {
        lake_entry whole;
        lake_arena_reset(&arena);
        s = lake_manifest_materialise(r, &everything, &arena, &whole, err);
    }
    lake_manifest_close(r);
    return s;
}

static lake_status fuzz_manifest(lake_bytes data, const char *path, lake_error *err) {
    lake_store store = {.max_file = 1 << 28};
    lake_status s = walk_manifest(&store, path, false, err);
    return s == LAKE_OK ? walk_manifest(&store, path, true, err) : s;
}

static lake_status fuzz_list(lake_bytes data, const char *path, lake_error *err) {
    lake_store store = {.max_file = 1 << 28};
    lake_manifest_file *lines;
    size_t n;
    return lake_manifest_list_read(&store, &arena, lake_str_of(path), &lines, &n, err);
}

/* A data file, whose first bytes say of which format. */
static lake_status fuzz_data(lake_bytes data, const char *path, lake_error *err) {
    lake_store store = {.max_file = 1 << 28};
    lake_file_stats stats;
    lake_file_stats_options options = {.footer_only = true, .threads = 1};
    lake_status s = lake_file_stats_read(&store, lake_str_of(path), &options, &arena, &stats, err);
    options.footer_only = false;
    if (s == LAKE_OK)
        s = lake_file_stats_read(&store, lake_str_of(path), &options, &arena, &stats, err);
    options.page_whole = 1; /* every page piece by piece */
    lake_status pieces =
        lake_file_stats_read(&store, lake_str_of(path), &options, &arena, &stats, s == LAKE_OK ? err : NULL);
    return s == LAKE_OK ? pieces : s;
}

static lake_status swallow(void *user, const void *data, size_t len, lake_error *err) {
    return LAKE_OK;
}

static lake_status fuzz_dump(lake_bytes data, const char *path, lake_error *err) {
    lake_session *session;
    LAKE_TRY(lake_session_open(NULL, &session, err));
    lake_sink sink = {swallow, NULL};
    lake_status s = lake_dump(session, path, 0, &sink, err);
    lake_session_close(session);
    return s;
}

/* The file as a directory's only one, with what row groups and JSON add. */
static lake_status fuzz_directory(lake_bytes data, const char *path, lake_error *err) {
    lake_session *session;
    lake_plan *plan;
    lake_plan_options options = LAKE_PLAN_OPTIONS_INIT;
    LAKE_TRY(lake_session_open(&(lake_session_options){.version = 1, .threads = 1}, &session, err));
    options.where = "1 = 1 OR 2 < 1";
    options.explain = options.stats = options.row_groups = 1;
    lake_status s = lake_plan_open_paths(session, &path, 1, NULL, &options, &plan, err);
    lake_sink sink = {swallow, NULL};
    if (s == LAKE_OK)
        s = lake_plan_write(plan, LAKE_PLAN_JSON, 0, &sink, err);
    lake_plan_close(plan);
    lake_session_close(session);
    return s;
}

/* A schema for predicates, with a column of every ordered kind; single quotes stand for double ones. */
static const char schema_text[] =
    "{'type':'struct','schema-id':0,'fields':["
    "{'id':1,'name':'i','type':'int','required':false},{'id':2,'name':'l','type':'long','required':true},"
    "{'id':3,'name':'f','type':'float','required':false},{'id':4,'name':'d','type':'double','required':false},"
    "{'id':5,'name':'s','type':'string','required':false},{'id':6,'name':'b','type':'boolean','required':false},"
    "{'id':7,'name':'dt','type':'date','required':false},{'id':8,'name':'ts','type':'timestamptz','required':false},"
    "{'id':9,'name':'dec','type':'decimal(38, "
    "10)','required':false},{'id':10,'name':'u','type':'uuid','required':false},"
    "{'id':11,'name':'x','type':'binary','required':false},{'id':12,'name':'st','required':false,'type':{'type':'"
    "struct','fields':["
    "{'id':13,'name':'a','type':'int','required':false}]}}]}";

static lake_status bind_and_evaluate(const lake_tree *tree, bool two_valued, lake_error *err) {
    char text[sizeof schema_text];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = schema_text[i] == '\'' ? '"' : schema_text[i];
    lake_json *j;
    lake_schema *schema;
    LAKE_TRY(lake_json_parse(&arena, lake_str_of(text), "schema", &j, err));
    LAKE_TRY(lake_schema_read(&arena, j, &schema, err));
    lake_bind_options options = {.two_valued = two_valued};
    lake_bound *bound;
    LAKE_TRY(lake_bind(&arena, tree, schema, &options, &bound, err));
    lake_facts *facts = LAKE_ARENA_ARRAY(&arena, lake_facts, bound->nterms + 1);
    if (!facts)
        return lake_fail_memory(err);
    for (size_t i = 0; i < bound->nterms; i++)
        facts[i] = (lake_facts){
            .null = true, .value = true, .nspans = 1, .spans = {{{.at = LAKE_END_LOW}, {.at = LAKE_END_TOP}}}};
    if (bound->nterms)
        (void)lake_bound_evaluate(bound, facts);
    lake_buffer json, sql;
    lake_buffer_init(&json);
    lake_buffer_init(&sql);
    bool exact;
    lake_status s = lake_bound_residual(bound, facts, &arena, &json, &exact, &sql, err);
    lake_buffer_clear(&json);
    lake_buffer_clear(&sql);
    return s;
}

static lake_status fuzz_sql(lake_bytes data, const char *path, lake_error *err) {
    const lake_tree *tree;
    LAKE_TRY(lake_tree_from_sql(&arena, lake_text_of(data), &tree, err));
    return bind_and_evaluate(tree, false, err);
}

static lake_status fuzz_filter(lake_bytes data, const char *path, lake_error *err) {
    lake_json *j;
    const lake_tree *tree;
    LAKE_TRY(lake_json_parse(&arena, lake_text_of(data), "filter", &j, err));
    LAKE_TRY(lake_tree_from_json(&arena, j, &tree, err));
    return bind_and_evaluate(tree, true, err);
}

static lake_status fuzz_wkb(lake_bytes data, const char *path, lake_error *err) {
    lake_box box;
    uint8_t corner[32];
    lake_box_init(&box);
    bool plain = lake_box_add(&box, data, false), round = lake_box_add(&box, data, true);
    lake_box_corner(&box, true, corner);
    return plain || round ? LAKE_OK : lake_fail(err, LAKE_ERR_MALFORMED, "no geometry");
}

static lake_status count_positions(void *user, const uint64_t *positions, size_t n, lake_error *err) {
    uint64_t *seen = user;
    return (*seen += n) > 1 << 20 ? lake_fail(err, LAKE_ERR_LIMIT, "enough") : LAKE_OK;
}

/* The bitmap of a vector alone, too: its checksum would stop most of what is damaged. */
static lake_status fuzz_bitmap(lake_bytes data, const char *path, lake_error *err) {
    lake_roaring_info info;
    uint64_t seen = 0;
    lake_error ignored;
    lake_error_init(&ignored);
    lake_status whole = lake_deletion_vector_read(data, NULL, &info, &ignored);
    LAKE_TRY(lake_roaring_check(data, &info, err));
    lake_status status = lake_roaring_read(data, count_positions, &seen, err);
    if (status == LAKE_OK && seen != info.cardinality)
        abort();
    return whole == LAKE_OK ? LAKE_OK : status;
}

static lake_status fuzz_sketch(lake_bytes data, const char *path, lake_error *err) {
    lake_sketch s;
    lake_sketch_init(&s);
    lake_status status = lake_sketch_merge_compact(&s, data, err);
    if (status == LAKE_OK)
        status = lake_sketch_trim(&s, err);
    if (status == LAKE_OK && !(lake_sketch_estimate(&s) >= 0))
        abort();
    lake_sketch_clear(&s);
    return status;
}

static const struct {
    const char *name;
    target run;
    bool file; /* reads a path, not bytes */
} targets[] = {
    {"json", fuzz_json, false},
    {"metadata", fuzz_metadata, false},
    {"manifest", fuzz_manifest, true},
    {"list", fuzz_list, true},
    {"parquet", fuzz_data, true},
    {"avro", fuzz_data, true},
    {"orc", fuzz_data, true},
    {"directory", fuzz_directory, true},
    {"dump", fuzz_dump, true},
    {"sql", fuzz_sql, false},
    {"filter", fuzz_filter, false},
    {"wkb", fuzz_wkb, false},
    {"bitmap", fuzz_bitmap, false},
    {"sketch", fuzz_sketch, false},
};

static void die(const char *what, const char *path) {
    fprintf(stderr, "fuzz: %s %s: %s\n", what, path, strerror(errno));
    exit(2);
}

static lake_bytes read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        die("open", path);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(n + 1);
    if (!data || fread(data, 1, n, f) != n)
        die("read", path);
    fclose(f);
    return (lake_bytes){data, n};
}

static void write_file(const char *path, lake_bytes data) {
    FILE *f = fopen(path, "wb");
    if (!f || (data.len && fwrite(data.ptr, 1, data.len, f) != data.len) || fclose(f) != 0)
        die("write", path);
}

/* One to eight of: a flipped bit, a nasty byte, a cut, ones, a piece doubled, dropped, or taken from another file. */
static size_t mutate(lake_bytes from, lake_bytes other, uint8_t *into, size_t room) {
    static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, '"', '\'', '(', '[', '{', '}', '\\', '%', '-'};
    size_t n = from.len < room ? from.len : room;
    memcpy(into, from.ptr, n);
    for (uint64_t k = 1 + draw() % 8; k > 0 && n > 0; k--) {
        size_t at = draw() % n, len = 1 + draw() % 16;
        if (draw() % 4 == 0) /* near the ends, where headers and footers are */
            at = draw() % 2 ? n - 1 - (draw() % (n < 64 ? n : 64)) : draw() % (n < 64 ? n : 64);
        switch (draw() % 7) {
        case 0: into[at] ^= (uint8_t)(1u << draw() % 8); break;
        case 1: into[at] = nasty[draw() % sizeof nasty]; break;
        case 2: n = draw() % 4 ? n : at; break;
        case 3: memset(into + at, 0xff, at + len < n ? len : n - at); break;
        case 4:
            if (n + len <= room && at + len <= n) {
                memmove(into + at + len, into + at, n - at);
                n += len;
            }
            break;
        case 5:
            if (at + len < n) {
                memmove(into + at, into + at + len, n - at - len);
                n -= len;
            }
            break;
        default:
            for (size_t i = at; i < n && i < at + len && i < other.len; i++)
                into[i] = other.ptr[i];
        }
    }
    return n;
}

/* Runs one input from a block of exactly its size, so that a read beyond the end is seen. */
static lake_status run_one(size_t which, lake_bytes data, const char *path, lake_error *err) {
    uint8_t *exact = malloc(data.len ? data.len : 1);
    if (!exact)
        die("memory for", path);
    memcpy(exact, data.ptr, data.len);
    if (targets[which].file)
        write_file(path, data);
    lake_arena_init(&arena, 1 << 28);
    lake_status s = targets[which].run((lake_bytes){exact, data.len}, path, err);
    lake_arena_clear(&arena);
    free(exact);
    return s;
}

int main(int argc, char **argv) {
    size_t which = 0, ntargets = sizeof targets / sizeof *targets;
    while (argc > 4 && which < ntargets && strcmp(targets[which].name, argv[1]) != 0)
        which++;
    if (argc < 5 || which == ntargets) {
        fprintf(stderr, "usage: fuzz TARGET SEED COUNT FILE...\n");
        return 2;
    }
    state = strtoull(argv[2], NULL, 10);
    size_t count = strtoull(argv[3], NULL, 10), nfiles = (size_t)argc - 4, accepted = 0, room = 256;
    lake_bytes *files = calloc(nfiles, sizeof *files);
    for (size_t i = 0; i < nfiles; i++) {
        files[i] = read_all(argv[4 + i]);
        room = files[i].len + 256 > room ? files[i].len + 256 : room;
    }
    uint8_t *work = malloc(room);
    char path[512];
    snprintf(path, sizeof path, "%s/lake-fuzz-%ld.bin", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
    size_t total = count ? count : nfiles;
    for (size_t i = 0; i < total; i++) {
        lake_bytes data = files[i % nfiles];
        if (count)
            data = (lake_bytes){work, mutate(files[draw() % nfiles], files[draw() % nfiles], work, room)};
        lake_error err;
        lake_error_init(&err);
        lake_status s = run_one(which, data, path, &err);
        accepted += s == LAKE_OK;
        if (s != LAKE_OK && (!err.message[0] || err.status != s || s == LAKE_ERR_INTERNAL)) {
            fprintf(stderr, "fuzz: input %zu: status %s, message \"%s\"\n", i, lake_status_name(s), err.message);
            return 1;
        }
    }
    unlink(path);
    for (size_t i = 0; i < nfiles; i++)
        free((void *)(uintptr_t)files[i].ptr);
    free(files);
    free(work);
    printf("%zu inputs, %zu accepted, %zu refused\n", total, accepted, total - accepted);
    return 0;
}
