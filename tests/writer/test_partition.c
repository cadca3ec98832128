/* Partition values of new files: from rows, from --partition, from paths; what is refused. Files are stood in for by
   statistics made by hand. */
#include "writer/partition.h"

#include "tests/support.h"
#include "writer/partition_text.h"

static const char schema_text[] =
    "{\"type\":\"struct\",\"fields\":["
    "{\"id\":1,\"name\":\"i\",\"required\":false,\"type\":\"int\"},"
    "{\"id\":2,\"name\":\"l\",\"required\":true,\"type\":\"long\"},"
    "{\"id\":3,\"name\":\"d\",\"required\":false,\"type\":\"double\"},"
    "{\"id\":4,\"name\":\"s\",\"required\":false,\"type\":\"string\"},"
    "{\"id\":5,\"name\":\"ts\",\"required\":false,\"type\":\"timestamptz\"},"
    "{\"id\":6,\"name\":\"day\",\"required\":false,\"type\":\"date\",\"initial-default\":\"2020-02-29\"}]}";

typedef struct fixture {
    lake_arena arena;
    lake_schema *schema;
    lake_spec *spec;
    lake_partitioner partitioner;
    lake_partition_watch watch;
    lake_column_stats column;
    lake_file_stats stats;
    lake_error err;
} fixture;

static lake_status start(fixture *f, const char *spec, const char *text, const char *path) {
    *f = (fixture){0};
    lake_json *json;
    int32_t next = 1000;
    lake_arena_init(&f->arena, 0);
    lake_error_init(&f->err);
    cr_assert_eq(lake_json_parse(&f->arena, lake_str_of(schema_text), NULL, &json, &f->err), LAKE_OK);
    cr_assert_eq(lake_schema_read(&f->arena, json, &f->schema, &f->err), LAKE_OK, "%s", f->err.message);
    cr_assert_eq(lake_spec_from_text(&f->arena, lake_str_of(spec), f->schema, 0, &next, &f->spec, &f->err), LAKE_OK,
        "%s: %s", spec, f->err.message);
    lake_status status = lake_partitioner_init(&f->arena, f->schema, f->spec, text, true, &f->partitioner, &f->err);
    if (status == LAKE_OK)
        cr_assert_eq(
            lake_partition_watch_init(&f->watch, &f->partitioner, lake_str_of(path), &f->arena, &f->err), LAKE_OK);
    f->stats = (lake_file_stats){.record_count = 10, .schema = f->schema};
    return status;
}

static void stop(fixture *f) {
    lake_partition_watch_clear(&f->watch);
    lake_arena_clear(&f->arena);
}

/* Gives the file the column that the first field comes from: 10 rows, with these bounds. */
static void has_column(fixture *f, int64_t nulls, int64_t nans, bool has_bounds, lake_key min, lake_key max) {
    const lake_field *source = f->partitioner.fields[0].source;
    f->column = (lake_column_stats){.field = source,
        .name = source->name,
        .values = 10,
        .nulls = nulls,
        .nans = nans,
        .has_min = has_bounds,
        .has_max = has_bounds,
        .min = min,
        .max = max};
    f->stats.columns = &f->column;
    f->stats.ncolumns = 1;
}

static lake_key whole(int64_t v) {
    return (lake_key){.i = v};
}
static lake_key text(const char *z) {
    return (lake_key){.b = lake_bytes_of(lake_str_of(z))};
}
static lake_key real(double v) {
    return (lake_key){.f = v};
}

static lake_status value_of(fixture *f, lake_datum *out) {
    lake_datum *data;
    lake_status status = lake_partition_values(&f->watch, &f->stats, &f->arena, &data, &f->err);
    if (status == LAKE_OK)
        *out = data[0];
    return status;
}

static void expect_value(fixture *f, lake_datum_kind kind, int64_t i) {
    lake_datum got;
    cr_assert_eq(value_of(f, &got), LAKE_OK, "%s", f->err.message);
    cr_expect_eq(got.kind, kind);
    if (kind == LAKE_DATUM_INT)
        cr_expect_eq(got.i, i);
}

static void expect_refused(fixture *f, lake_status status, const char *const *words) {
    lake_datum got;
    cr_expect_eq(value_of(f, &got), status);
    for (; *words; words++)
        cr_expect(strstr(f->err.message, *words), "'%s' is not in: %s", *words, f->err.message);
}

#define REFUSED(f, status, ...) expect_refused(f, status, (const char *const[]){__VA_ARGS__, NULL})

Test(partition, rows_that_agree_give_the_value) {
    static const struct {
        const char *spec;
        int64_t min, max, want;
    } rows[] = {
        {"i", 7, 7, 7},
        {"truncate(10, i)", 10, 19, 10},
        {"truncate(10, i)", -10, -1, -10},
        {"months(ts)", 1743033600000000, 1743465599999999, 662}, /* 2025-03-27 to 2025-03-31T23:59:59.999999 UTC */
        {"days(ts)", -86400000000, -1, -1},
        {"hours(ts)", 0, 3599999999, 0},
        {"years(ts)", -1, -1, -1},
        {"days(day)", 19000, 19000, 19000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        cr_assert_eq(start(&f, rows[i].spec, NULL, "f.parquet"), LAKE_OK, "%s", f.err.message);
        has_column(&f, 0, -1, true, whole(rows[i].min), whole(rows[i].max));
        expect_value(&f, LAKE_DATUM_INT, rows[i].want);
        stop(&f);
    }
}

Test(partition, rows_that_do_not_agree_are_refused_with_both_values) {
    fixture f;
    start(&f, "months(ts)", NULL, "dir/f.parquet");
    has_column(&f, 0, -1, true, whole(1743465599999999), whole(1743465600000000));
    REFUSED(&f, LAKE_ERR_MALFORMED, "dir/f.parquet", "ts_month", "2025-03", "2025-04");
    has_column(&f, 1, -1, true, whole(1743465600000000), whole(1743465600000000));
    REFUSED(&f, LAKE_ERR_MALFORMED, "dir/f.parquet", "null", "2025-04");
    stop(&f);
    start(&f, "truncate(2, s)", NULL, "f");
    has_column(&f, 0, -1, true, text("ab"), text("acx"));
    REFUSED(&f, LAKE_ERR_MALFORMED, "some are ab", "others ac");
    stop(&f);
    start(&f, "d", NULL, "f");
    has_column(&f, 0, 3, true, real(1.5), real(1.5));
    REFUSED(&f, LAKE_ERR_MALFORMED, "NaN", "1.5");
    has_column(&f, 0, 0, true, real(-0.0), real(0.0));
    REFUSED(&f, LAKE_ERR_MALFORMED, "-0.0", "0.0");
    stop(&f);
}

Test(partition, nulls_and_nans_alone_are_values) {
    fixture f;
    start(&f, "d", NULL, "f");
    has_column(&f, 10, 0, false, real(0), real(0));
    expect_value(&f, LAKE_DATUM_NULL, 0);
    has_column(&f, 0, 10, false, real(0), real(0));
    lake_datum got;
    cr_assert_eq(value_of(&f, &got), LAKE_OK);
    cr_expect(got.kind == LAKE_DATUM_FLOAT && got.f != got.f);
    has_column(&f, 4, 6, false, real(0), real(0));
    REFUSED(&f, LAKE_ERR_MALFORMED, "null", "NaN");
    stop(&f);
    start(&f, "bucket(4, i)", NULL, "f");
    has_column(&f, 10, -1, false, whole(0), whole(0));
    expect_value(&f, LAKE_DATUM_NULL, 0);
    stop(&f);
}

/* 34 hashes to 2017239379 as int and as long (spec.md, Appendix B). */
Test(partition, buckets_look_at_every_value) {
    fixture f;
    start(&f, "bucket(16, l)", NULL, "f");
    cr_assert_eq(f.partitioner.nwatched, 1);
    const lake_field *l = lake_schema_field(f.schema, 2);
    const lake_key same[] = {whole(34), whole(1), whole(34)};
    static const uint8_t present[] = {1, 0, 1};
    cr_assert_eq(lake_partition_watch_values(&f.watch, l, same, present, 3, &f.err), LAKE_OK);
    has_column(&f, 0, -1, true, whole(34), whole(34));
    expect_value(&f, LAKE_DATUM_INT, (2017239379 & INT32_MAX) % 16);
    /* some value between min and max lies in another bucket */
    lake_key other = whole(35);
    while (lake_transform_bucket(&l->type, 16, other) == (2017239379 & INT32_MAX) % 16)
        other.i++;
    cr_expect_eq(lake_partition_watch_values(&f.watch, l, &other, present, 1, &f.err), LAKE_ERR_MALFORMED);
    cr_expect(strstr(f.err.message, "l_bucket") && strstr(f.err.message, "rows differ"), "%s", f.err.message);
    stop(&f);
}

/* apache/iceberg#9767, apache/iceberg#9713 */
Test(partition, results_that_wrap_are_refused_naming_file_column_and_value) {
    fixture f;
    start(&f, "truncate(10000, i)", NULL, "f.parquet");
    has_column(&f, 0, -1, true, whole(INT32_MIN), whole(INT32_MIN));
    REFUSED(&f, LAKE_ERR_MALFORMED, "f.parquet", "column i", "-2147483648");
    stop(&f);
    start(&f, "truncate(10, l)", NULL, "f.parquet");
    has_column(&f, 0, -1, true, whole(INT64_MIN), whole(INT64_MIN));
    REFUSED(&f, LAKE_ERR_MALFORMED, "f.parquet", "column l", "-9223372036854775808");
    stop(&f);
    start(&f, "hours(ts)", NULL, "f.parquet");
    const int64_t far = 7826953766400000000; /* 2174153824 hours */
    has_column(&f, 0, -1, true, whole(far), whole(far));
    REFUSED(&f, LAKE_ERR_MALFORMED, "f.parquet", "column ts");
    stop(&f);
}

Test(partition, given_text_is_checked_against_the_data) {
    fixture f;
    start(&f, "months(ts)", "ts_month=2025-03", "f.parquet");
    has_column(&f, 0, -1, true, whole(1743033600000000), whole(1743033600000000));
    expect_value(&f, LAKE_DATUM_INT, 662);
    has_column(&f, 0, -1, true, whole(1743465600000000), whole(1743465600000000));
    REFUSED(&f, LAKE_ERR_MALFORMED, "f.parquet", "2025-03", "2025-04");
    f.stats.ncolumns = 0; /* a delete file lacks the column: the text says it */
    f.partitioner.nulls_for_absent = false;
    expect_value(&f, LAKE_DATUM_INT, 662);
    stop(&f);
}

Test(partition, text_is_read_with_escapes_quotes_and_nulls) {
    static const struct {
        const char *given;
        bool null;
        const char *value;
    } rows[] = {
        {"s=abc", false, "abc"},
        {"s=null", true, NULL},
        {"s=\"null\"", false, "null"},
        {"s=a%2Cb%3Dc%25", false, "a,b=c%"},
        {"s=\"a,b\"", false, "a,b"},
        {"s=", false, ""},
        {"s=a=b", false, "a=b"},
        {"s=100%", false, "100%"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        lake_datum got;
        cr_assert_eq(start(&f, "s", rows[i].given, "f"), LAKE_OK, "%s: %s", rows[i].given, f.err.message);
        cr_assert_eq(value_of(&f, &got), LAKE_OK, "%s", f.err.message);
        cr_expect_eq(got.kind == LAKE_DATUM_NULL, rows[i].null, "%s", rows[i].given);
        if (!rows[i].null)
            cr_expect(lake_str_is(lake_text_of(got.b), rows[i].value), "%s gave %.*s", rows[i].given,
                LAKE_ARG(lake_text_of(got.b)));
        stop(&f);
    }
}

Test(partition, text_that_is_wrong_is_a_usage_error) {
    static const struct {
        const char *spec, *given, *word;
    } rows[] = {
        {"s", "t=1", "there are: s"},
        {"s", "abc", "FIELD=VALUE"},
        {"s", "s=a,s=b", "twice"},
        {"i", "i=abc", "i=abc"},
        {"months(ts)", "ts_month=2025-13", "2025-13"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        cr_expect_eq(start(&f, rows[i].spec, rows[i].given, "f"), LAKE_ERR_USAGE, "%s", rows[i].given);
        cr_expect_eq(f.err.status, LAKE_ERR_USAGE);
        cr_expect(strstr(f.err.message, rows[i].word), "%s: %s", rows[i].given, f.err.message);
        lake_arena_clear(&f.arena);
    }
}

Test(partition, hive_paths_speak_for_columns_that_the_file_lacks) {
    fixture f;
    start(&f, "s", NULL, "s3://b/t/data/s=a%2Fb%20c/f.parquet");
    lake_datum got;
    cr_assert_eq(value_of(&f, &got), LAKE_OK, "%s", f.err.message);
    cr_expect(lake_str_is(lake_text_of(got.b), "a/b c"));
    has_column(&f, 0, -1, true, text("x"), text("x")); /* the data rules where there is some */
    cr_assert_eq(value_of(&f, &got), LAKE_OK);
    cr_expect(lake_str_is(lake_text_of(got.b), "x"));
    stop(&f);
    start(&f, "s", NULL, "t/s=__HIVE_DEFAULT_PARTITION__/f.parquet");
    expect_value(&f, LAKE_DATUM_NULL, 0);
    stop(&f);
    start(&f, "i", NULL, "t/i=12/f.parquet");
    expect_value(&f, LAKE_DATUM_INT, 12);
    stop(&f);
    start(&f, "i", NULL, "t/i=twelve/f.parquet");
    REFUSED(&f, LAKE_ERR_MALFORMED, "i=twelve");
    stop(&f);
}

/* Only an identity field gives readers the column's value; by any other the rows read as the default or null. */
Test(partition, a_transform_says_nothing_of_a_column_that_the_file_lacks) {
    fixture f;
    start(&f, "days(ts)", NULL, "t/ts_day=2025-03-27/f.parquet");
    REFUSED(&f, LAKE_ERR_MALFORMED, "the path says 2025-03-27", "read as null");
    f.stats.record_count = 0; /* no row is read wrongly */
    expect_value(&f, LAKE_DATUM_INT, 20174);
    stop(&f);
    start(&f, "days(ts)", NULL, "t/ts_day=2025-03-27/deletes.parquet");
    f.partitioner.nulls_for_absent = false; /* delete files */
    expect_value(&f, LAKE_DATUM_INT, 20174);
    stop(&f);
    start(&f, "days(ts)", NULL, "t/ts_day=__HIVE_DEFAULT_PARTITION__/f.parquet");
    expect_value(&f, LAKE_DATUM_NULL, 0);
    stop(&f);
    start(&f, "bucket(4, i)", "i_bucket=1", "t/f.parquet");
    REFUSED(&f, LAKE_ERR_MALFORMED, "--partition says 1", "read as null");
    stop(&f);
    start(&f, "years(day)", "day_year=2021", "t/f.parquet"); /* its initial default is of 2020 */
    REFUSED(&f, LAKE_ERR_MALFORMED, "--partition says 2021", "read as 2020");
    stop(&f);
    start(&f, "years(day)", "day_year=2020", "t/f.parquet");
    expect_value(&f, LAKE_DATUM_INT, 50);
    stop(&f);
}

Test(partition, absent_columns_read_as_null_or_their_default) {
    fixture f;
    start(&f, "i", NULL, "t/f.parquet");
    expect_value(&f, LAKE_DATUM_NULL, 0);
    f.stats.unmatched = 1; /* it may be the one that no column of the schema matches */
    REFUSED(&f, LAKE_ERR_MALFORMED, "t/f.parquet", "no column i");
    stop(&f);
    start(&f, "l", NULL, "t/f.parquet"); /* required */
    REFUSED(&f, LAKE_ERR_MALFORMED, "t/f.parquet", "no column l");
    stop(&f);
    start(&f, "years(day)", NULL, "t/f.parquet");
    expect_value(&f, LAKE_DATUM_INT, 50);
    stop(&f);
    start(&f, "i", NULL, "t/f.parquet"); /* delete files say nothing about columns that they lack */
    f.partitioner.nulls_for_absent = false;
    REFUSED(&f, LAKE_ERR_MALFORMED, "no column i");
    stop(&f);
}

/* Rows that read as the identity field's value must have its results in the fields beside it. */
Test(partition, fields_beside_an_identity_field_follow_it) {
    fixture f;
    start(&f, "truncate(10, i), i", "i=34", "f.parquet");
    expect_value(&f, LAKE_DATUM_INT, 30);
    stop(&f);
    start(&f, "truncate(10, i), i", NULL, "t/i=-1/f.parquet");
    expect_value(&f, LAKE_DATUM_INT, -10);
    stop(&f);
    start(&f, "truncate(10, i), i", "i=34,i_trunc=40", "f.parquet");
    REFUSED(&f, LAKE_ERR_MALFORMED, "--partition says 40", "read as 30");
    stop(&f);
}
