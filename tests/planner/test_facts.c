/* Facts that no single entry's metrics give: partition summaries of manifests, columns that came after a file, structs,
   delete files, and what contradictions leave. */
#include "../support.h"
#include "format/metadata.h"
#include "manifest/manifest.h"
#include "planner/predicate.h"
#include "planner/step.h"

typedef struct told {
    bool null, nan, value;
    long lo, hi; /* inclusive; LONG_MIN: open */
} told;
enum { OPEN = -999999 };

static lake_schema *read_schema(lake_arena *arena, int id, const char *fields) {
    lake_json *json;
    lake_schema *schema;
    lake_error err;
    lake_str text = lake_arena_printf(arena, "{\"type\":\"struct\",\"schema-id\":%d,\"fields\":[%s]}", id, fields);
    cr_assert_eq(lake_json_parse(arena, text, NULL, &json, &err), LAKE_OK, "%s", err.message);
    cr_assert_eq(lake_schema_read(arena, json, &schema, &err), LAKE_OK, "%s", err.message);
    return schema;
}

static void check(const char *name, const lake_facts *f, told want) {
    cr_expect_eq(f->null, want.null, "%s: null %d", name, f->null);
    cr_expect_eq(f->nan, want.nan, "%s: NaN %d", name, f->nan);
    cr_expect_eq(f->value, want.value, "%s: value %d", name, f->value);
    if (!f->value)
        return;
    cr_assert_eq(f->nspans, 1, "%s", name);
    long lo = f->spans[0].lo.at == LAKE_END_KEY ? (long)f->spans[0].lo.key.i : OPEN;
    long hi = f->spans[0].hi.at == LAKE_END_KEY ? (long)(f->spans[0].hi.key.i - 1) : OPEN;
    cr_expect(want.lo == OPEN || lo == want.lo, "%s: from %ld, not %ld", name, lo, want.lo);
    cr_expect(want.hi == OPEN || hi == want.hi, "%s: to %ld, not %ld", name, hi, want.hi);
}

/* ---------------------------------------------------------------- manifests */
static const struct {
    const char *name, *type, *transform;
    bool null;
    int nan;
    const char *lower, *upper;
    told want;
} summaries[] = {
    {"a range", "int", "identity", false, -1, "05000000", "09000000", {false, false, true, 5, 9}},
    {"a range and nulls", "int", "identity", true, -1, "05000000", "09000000", {true, false, true, 5, 9}},
    {"only nulls", "int", "identity", true, -1, NULL, NULL, {true, false, false, 0, 0}},
    {"nothing recorded", "int", "identity", false, -1, NULL, NULL, {false, false, true, OPEN, OPEN}},
    {"inverted", "int", "identity", false, -1, "09000000", "05000000", {false, false, true, OPEN, OPEN}},
    {"too wide for an int", "int", "identity", false, -1, "0500000000000000", "0900000000000000",
        {false, false, true, OPEN, OPEN}},
    {"an int's bounds on a long", "long", "identity", false, -1, "05000000", "09000000", {false, false, true, 5, 9}},
    {"only NaN", "double", "identity", false, 1, NULL, NULL, {false, true, false, 0, 0}},
    {"NaN not recorded", "double", "identity", false, -1, "000000000000f03f", "000000000000f03f",
        {false, true, true, OPEN, OPEN}},
    {"no NaN", "double", "identity", false, 0, "000000000000f03f", "000000000000f03f",
        {false, false, true, OPEN, OPEN}},
    {"months", "date", "month", false, -1, "00000000", "01000000", {false, false, true, 0, 58}},
    {"days of one day", "date", "day", false, -1, "05000000", "05000000", {false, false, true, 5, 5}},
    {"truncated", "int", "truncate[10]", false, -1, "14000000", "1e000000", {false, false, true, 20, 39}},
    {"void", "int", "void", true, -1, NULL, NULL, {true, false, true, OPEN, OPEN}},
    {"unknown", "int", "zorder[3]", true, -1, NULL, NULL, {true, false, true, OPEN, OPEN}},
};

Test(facts, of_manifests_are_their_partition_summaries) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++) {
        lake_str field = lake_arena_printf(
            &arena, "{\"id\":1,\"name\":\"x\",\"type\":\"%s\",\"required\":false}", summaries[i].type);
        lake_schema *schema = read_schema(&arena, 0, field.ptr);
        int32_t source = 1;
        lake_partition_field part = {.id = 1000,
            .source_ids = &source,
            .nsource_ids = 1,
            .transform = lake_transform_parse(lake_str_of(summaries[i].transform))};
        lake_spec spec = {.fields = &part, .nfields = 1};
        lake_term term = {.field = lake_schema_field(schema, 1)};
        lake_planning_table table = {.schema = schema};
        lake_field_summary summary = {.contains_null = summaries[i].null, .contains_nan = (int8_t)summaries[i].nan};
        if (summaries[i].lower)
            summary.lower = test_hex(&arena, summaries[i].lower);
        if (summaries[i].upper)
            summary.upper = test_hex(&arena, summaries[i].upper);
        lake_manifest_file line = {.has = LAKE_HAS_PARTITIONS, .partitions = &summary, .npartitions = 1};
        lake_fact_maker *maker;
        lake_facts f;
        cr_assert_eq(lake_fact_maker_new(&arena, &table, &term, 1, &spec, &maker, NULL), LAKE_OK);
        cr_assert(lake_facts_of_manifest(maker, &line, &arena, &f));
        check(summaries[i].name, &f, summaries[i].want);
        line.has = 0; /* without summaries only the type is known */
        cr_assert(lake_facts_of_manifest(maker, &line, &arena, &f));
        check(summaries[i].name, &f, (told){true, strcmp(summaries[i].type, "double") == 0, true, OPEN, OPEN});
    }
    lake_arena_clear(&arena);
}

/* ---------------------------------------------------------------- columns that came later */
#define A "{\"id\":1,\"name\":\"a\",\"type\":\"int\",\"required\":true}"
#define B ",{\"id\":2,\"name\":\"b\",\"type\":\"int\",\"required\":false}"
#define C ",{\"id\":3,\"name\":\"c\",\"type\":\"int\",\"required\":true,\"initial-default\":7}"
#define S                                                                                                              \
    ",{\"id\":4,\"name\":\"s\",\"type\":{\"type\":\"struct\",\"fields\":[{\"id\":5,\"name\":\"x\",\"type\":\"int\","   \
    "\"required\":true}]},\"required\":false}"

typedef struct history {
    lake_schema *schemas[3];
    lake_snapshot snapshots[4];
    lake_metadata metadata;
} history;

/* Schema 0 has a, 1 has a and b, 2 all; snapshots 30, 10, 20 and 40 were made with schemas 2, 0, (unknown) and 1. */
static void make_history(lake_arena *arena, history *h) {
    static const char *const fields[] = {A, A B, A B C S};
    for (int i = 0; i < 3; i++)
        h->schemas[i] = read_schema(arena, i, fields[i]);
    h->snapshots[0] = (lake_snapshot){.id = 30, .has_schema_id = true, .schema_id = 2};
    h->snapshots[1] = (lake_snapshot){.id = 10, .has_schema_id = true, .schema_id = 0};
    h->snapshots[2] = (lake_snapshot){.id = 20};
    h->snapshots[3] = (lake_snapshot){.id = 40, .has_schema_id = true, .schema_id = 1};
    h->metadata = (lake_metadata){.schemas = h->schemas, .nschemas = 3, .snapshots = h->snapshots, .nsnapshots = 4};
}

static const struct {
    const char *name;
    int32_t column;
    int64_t snapshot; /* 0: not known */
    bool mapping, recorded, identity;
    size_t schemas;
    told want;
} absences[] = {
    {"an older file", 2, 10, false, false, false, 3, {true, false, false, 0, 0}},
    {"its default", 3, 10, false, false, false, 3, {false, false, true, 7, 7}},
    {"within a struct that came later", 5, 10, false, false, false, 3, {true, false, false, 0, 0}},
    {"a file of the schema that brought it", 2, 40, false, false, false, 3, {true, false, true, OPEN, OPEN}},
    {"a newer file", 2, 30, false, false, false, 3, {true, false, true, OPEN, OPEN}},
    {"a snapshot without a schema", 2, 20, false, false, false, 3, {true, false, true, OPEN, OPEN}},
    {"a snapshot that has expired", 2, 11, false, false, false, 3, {true, false, true, OPEN, OPEN}},
    {"no snapshot", 2, 0, false, false, false, 3, {true, false, true, OPEN, OPEN}},
    {"a column of the first schema", 1, 10, false, false, false, 3, {false, false, true, OPEN, OPEN}},
    {"a name mapping may give the id to older files", 2, 10, true, false, false, 3, {true, false, true, OPEN, OPEN}},
    {"metrics show that it is there", 2, 10, false, true, false, 3, {false, false, true, OPEN, OPEN}},
    {"an identity partition value comes first", 3, 10, false, false, true, 3, {false, false, true, 5, 5}},
};

Test(facts, of_columns_that_came_after_the_file) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    history h;
    make_history(&arena, &h);
    for (size_t i = 0; i < sizeof absences / sizeof *absences; i++) {
        int32_t source = absences[i].column;
        lake_partition_field part = {.id = 1000,
            .source_ids = &source,
            .nsource_ids = 1,
            .transform = lake_transform_parse(LAKE_STR("identity"))};
        lake_spec spec = {.fields = &part, .nfields = absences[i].identity};
        lake_datum five = {.kind = LAKE_DATUM_INT, .i = 5};
        lake_term term = {.field = lake_schema_field(h.schemas[2], absences[i].column)};
        lake_planning_table table = {
            .metadata = &h.metadata, .schema = h.schemas[2], .name_mapping = absences[i].mapping};
        lake_column_metrics m = {.id = absences[i].column,
            .has = absences[i].recorded ? LAKE_METRIC_VALUES | LAKE_METRIC_NULLS : 0,
            .values = 10};
        lake_entry e = {.record_count = 10,
            .has = absences[i].snapshot ? LAKE_HAS_SNAPSHOT_ID : 0,
            .snapshot_id = absences[i].snapshot,
            .columns = &m,
            .ncolumns = 1,
            .partition = &five,
            .npartition = 1};
        lake_fact_maker *maker;
        lake_facts f;
        cr_assert_eq(lake_fact_maker_new(&arena, &table, &term, 1, &spec, &maker, NULL), LAKE_OK);
        cr_assert(lake_facts_of_entry(maker, &e, false, &arena, &f));
        check(absences[i].name, &f, absences[i].want);
        e.content = LAKE_CONTENT_EQUALITY_DELETES; /* of a delete file an absent column says nothing */
        e.equality_ids = &source;
        e.nequality_ids = 1;
        cr_assert(lake_facts_of_entry(maker, &e, true, &arena, &f));
        if (!absences[i].identity && !absences[i].recorded)
            check(absences[i].name, &f,
                (told){absences[i].column != 1 && absences[i].column != 3, false, true, OPEN, OPEN});
    }
    h.schemas[0]->id = 9; /* schema 0 is not listed any more: it might have had the column */
    lake_term term = {.field = lake_schema_field(h.schemas[2], 2)};
    lake_planning_table table = {.metadata = &h.metadata, .schema = h.schemas[2]};
    lake_column_metrics m = {.id = 2};
    lake_entry e = {.record_count = 10, .has = LAKE_HAS_SNAPSHOT_ID, .snapshot_id = 10, .columns = &m, .ncolumns = 1};
    lake_fact_maker *maker;
    lake_facts f;
    cr_assert_eq(lake_fact_maker_new(&arena, &table, &term, 1, NULL, &maker, NULL), LAKE_OK);
    cr_assert(lake_facts_of_entry(maker, &e, false, &arena, &f));
    check("a list of schemas with a gap", &f, (told){true, false, true, OPEN, OPEN});
    lake_arena_clear(&arena);
}

/* ---------------------------------------------------------------- structs, delete files, contradictions */
Test(facts, of_a_struct_and_of_delete_files) {
    lake_arena arena;
    lake_arena_init(&arena, 0);
    lake_schema *schema = read_schema(&arena, 0, A B C S);
    lake_planning_table table = {.schema = schema};
    lake_term terms[] = {{.field = lake_schema_field(schema, 4)}, {.field = lake_schema_field(schema, 2)}};
    lake_fact_maker *maker;
    lake_facts f[2];
    size_t n;
    cr_assert_eq(lake_fact_maker_new(&arena, &table, terms, 2, NULL, &maker, NULL), LAKE_OK);
    const int32_t *columns = lake_fact_maker_columns(maker, &n);
    cr_assert_eq(n, 2);
    cr_expect_eq(columns[0], 5, "the struct's field, for the struct has no metrics");
    cr_expect_eq(columns[1], 2);
    lake_column_metrics m[] = {{.id = 5, .has = LAKE_METRIC_NULLS, .nulls = 3},
        {.id = 2,
            .has = LAKE_METRIC_NULLS,
            .nulls = 0,
            .lower = test_hex(&arena, "05000000"),
            .upper = test_hex(&arena, "06000000")}};
    lake_entry e = {.record_count = 10, .columns = m, .ncolumns = 2};
    cr_assert(lake_facts_of_entry(maker, &e, false, &arena, f));
    check("a struct whose field is null at times", &f[0], (told){true, false, true, OPEN, OPEN});
    m[0].nulls = 0;
    cr_assert(lake_facts_of_entry(maker, &e, false, &arena, f));
    cr_expect_not(f[0].null, "a field that is never null proves that the struct never is");
    check("a data file", &f[1], (told){false, false, true, 5, 6});

    e.content = LAKE_CONTENT_POSITION_DELETES; /* its metrics are those of the delete file's own columns */
    cr_assert(lake_facts_of_entry(maker, &e, true, &arena, f));
    check("position deletes", &f[1], (told){true, false, true, OPEN, OPEN});
    int32_t ids[] = {2};
    e.content = LAKE_CONTENT_EQUALITY_DELETES;
    e.equality_ids = ids;
    cr_assert(lake_facts_of_entry(maker, &e, true, &arena, f));
    check("equality deletes by another column", &f[1], (told){true, false, true, OPEN, OPEN});
    e.nequality_ids = 1;
    cr_assert(lake_facts_of_entry(maker, &e, true, &arena, f));
    check("equality deletes by this column", &f[1], (told){false, false, true, 5, 6});
    lake_arena_clear(&arena);
}

static lake_facts range(bool null, long lo, long hi) {
    lake_facts f;
    lake_facts_set(&f, null, false, hi > lo);
    f.spans[0] = (lake_span){lake_end_key((lake_key){.i = lo}), lake_end_key((lake_key){.i = hi})};
    return f;
}

Test(facts, that_contradict_each_other_say_nothing) {
    lake_facts base = range(true, 0, 100), out;
    lake_facts both[] = {range(false, 10, 20), range(true, 15, 40)},
               apart[] = {range(true, 10, 20), range(true, 20, 40)};
    lake_facts_joint(LAKE_KEY_INT, &base, both, 2, &out);
    check("both", &out, (told){false, false, true, 15, 19});
    lake_facts_joint(LAKE_KEY_INT, &base, apart, 2, &out);
    check("apart", &out, (told){true, false, true, 0, 99});
    cr_expect(lake_facts_overlap(LAKE_KEY_INT, &both[0], &both[1]));
    lake_facts a = range(false, 0, 5), b = range(false, 5, 9), nulls = range(true, 0, 0);
    cr_expect_not(lake_facts_overlap(LAKE_KEY_INT, &a, &b));
    cr_expect_not(lake_facts_overlap(LAKE_KEY_INT, &a, &nulls));
    cr_expect(lake_facts_overlap(LAKE_KEY_INT, &apart[0], &nulls), "null equals null in equality deletes");
}
