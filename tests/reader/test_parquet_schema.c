/* Columns of files and columns of schemas: by id, by name mapping, by name; promotion; schemas made from files; rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reader/stats.h"
#include "tests/support.h"

static lake_arena arena;
static lake_store store;
static void begin(void) {
    lake_arena_init(&arena, 0);
}
static void end(void) {
    lake_arena_clear(&arena);
}
TestSuite(parquet_schema, .init = begin, .fini = end);

/* A file of the corpus (skips the test without it); `foreign`: one that others wrote. */
static lake_str file_of(const char *name, bool foreign) {
    const char *dir = getenv(foreign ? "LAKE_FOREIGN" : "LAKE_CORPUS");
    lake_str path =
        lake_arena_printf(&arena, "%s/%s/%s.parquet", dir && *dir ? dir : LAKE_SOURCE_ROOT "/../shared/corpus",
            foreign ? "parquet-testing/data" : "given/metrics", name);
    if (access(path.ptr, R_OK) != 0)
        cr_skip_test("absent: %s", path.ptr);
    return path;
}

static lake_json *json_of(const char *text) {
    lake_json *v = NULL;
    lake_error err = {0};
    cr_assert_eq(lake_json_parse(&arena, lake_str_of(text), "test", &v, &err), LAKE_OK, "%s", err.message);
    return v;
}

static lake_schema *schema_of(const char *fields) {
    lake_schema *s = NULL;
    lake_error err = {0};
    lake_json *v =
        json_of(lake_arena_printf(&arena, "{\"type\":\"struct\",\"schema-id\":0,\"fields\":[%s]}", fields).ptr);
    cr_assert_eq(lake_schema_read(&arena, v, &s, &err), LAKE_OK, "%s", err.message);
    return s;
}

static lake_file_stats stats_of(lake_str path, lake_file_stats_options options) {
    lake_file_stats out;
    lake_error err = {0};
    options.threads = 1;
    cr_assert_eq(lake_file_stats_read(&store, path, &options, &arena, &out, &err), LAKE_OK, "%s", err.message);
    return out;
}

static const lake_column_stats *column(const lake_file_stats *s, int32_t id) {
    for (size_t i = 0; i < s->ncolumns; i++)
        if (s->columns[i].field->id == id)
            return &s->columns[i];
    return NULL;
}

static void same(const lake_file_stats *a, int32_t ida, const lake_file_stats *b, int32_t idb) {
    const lake_column_stats *x = column(a, ida), *y = column(b, idb);
    cr_assert(x && y, "columns %d and %d", ida, idb);
    cr_expect(x->values == y->values && x->nulls == y->nulls && x->nans == y->nans, "counts of %d and %d", ida, idb);
    cr_assert(x->has_min && y->has_min && x->has_max && y->has_max);
    lake_key_kind kind = lake_type_kind(&x->field->type);
    cr_expect(lake_key_cmp_total(kind, x->min, y->min) == 0 && lake_key_cmp_total(kind, x->max, y->max) == 0,
        "bounds of %d and %d", ida, idb);
}

/* The corpus' nested schema with other names and ids. */
static const char renamed[] =
    "{\"id\":101,\"name\":\"key\",\"required\":false,\"type\":\"long\"},"
    "{\"id\":102,\"name\":\"s\",\"required\":false,\"type\":{\"type\":\"struct\",\"fields\":["
    "{\"id\":103,\"name\":\"x9\",\"required\":false,\"type\":\"long\"}]}},"
    "{\"id\":107,\"name\":\"labels\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":108,"
    "\"element-required\":false,\"element\":\"string\"}},"
    "{\"id\":109,\"name\":\"map\",\"required\":false,\"type\":{\"type\":\"map\",\"key-id\":110,\"key\":\"string\","
    "\"value-id\":111,\"value-required\":false,\"value\":\"int\"}},"
    "{\"id\":112,\"name\":\"list\",\"required\":false,\"type\":{\"type\":\"list\",\"element-id\":113,"
    "\"element-required\":false,\"element\":{\"type\":\"struct\",\"fields\":[{\"id\":114,\"name\":\"b\",\"required\":"
    "false,\"type\":\"int\"}]}}}";
static const char mapping[] =
    "[{\"field-id\":101,\"names\":[\"other\",\"id\"]},{\"field-id\":102,\"names\":[\"st\"],\"fields\":["
    "{\"field-id\":103,\"names\":[\"x\"]}]},{\"field-id\":107,\"names\":[\"tags\"],\"fields\":[{\"field-id\":108,"
    "\"names\":[\"element\"]}]},{\"field-id\":109,\"names\":[\"m\"],\"fields\":[{\"field-id\":110,\"names\":[\"key\"]},"
    "{\"field-id\":111,\"names\":[\"value\"]}]},{\"field-id\":112,\"names\":[\"rows\"],\"fields\":[{\"field-id\":113,"
    "\"names\":[\"element\"],\"fields\":[{\"field-id\":114,\"names\":[\"a\"]}]}]}]";

Test(parquet_schema, a_name_mapping_finds_columns_without_ids) {
    lake_str path = file_of("arrow_nested_noids", false);
    lake_file_stats own = stats_of(path, (lake_file_stats_options){0});
    lake_file_stats got =
        stats_of(path, (lake_file_stats_options){.schema = schema_of(renamed), .name_mapping = json_of(mapping)});
    cr_expect(got.ncolumns == 6 && got.unmatched == 2, "%zu columns, %zu others", got.ncolumns, got.unmatched);
    const int32_t ids[] = {101, 103, 108, 110, 111, 114};
    const char *const names[] = {"id", "st.x", "tags.element", "m.key", "m.value", "rows.element.a"};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < own.ncolumns; k++)
            if (lake_str_is(own.columns[k].name, names[i]))
                same(&got, ids[i], &own, own.columns[k].field->id);
    cr_expect(column(&got, 101)->field->type.id == LAKE_LONG && lake_str_is(column(&got, 103)->name, "s.x9"));
    /* What the mapping does not name is not there, whatever its name. */
    got = stats_of(path,
        (lake_file_stats_options){.schema = schema_of("{\"id\":1,\"name\":\"id\",\"required\":false,\"type\":"
                                                      "\"long\"}"),
            .name_mapping = json_of("[{\"field-id\":1,\"names\":[\"ID\"]}]")});
    cr_expect(got.ncolumns == 0 && got.unmatched == 8);
}

Test(parquet_schema, ids_win_over_names_and_names_are_the_last_resort) {
    lake_schema *s = schema_of("{\"id\":3,\"name\":\"id\",\"required\":false,\"type\":\"long\"}");
    lake_file_stats own = stats_of(file_of("arrow_nested", false), (lake_file_stats_options){0});
    lake_file_stats by_id = stats_of(file_of("arrow_nested", false), (lake_file_stats_options){.schema = s});
    cr_assert_eq(by_id.ncolumns, 1);
    same(&by_id, 3, &own, 3);
    lake_file_stats plain = stats_of(file_of("arrow_nested_noids", false), (lake_file_stats_options){0});
    lake_file_stats by_name = stats_of(file_of("arrow_nested_noids", false), (lake_file_stats_options){.schema = s});
    cr_assert_eq(by_name.ncolumns, 1);
    same(&by_name, 3, &plain, 1);
}

Test(parquet_schema, promoted_columns_are_read_and_others_only_counted) {
    lake_str path = file_of("arrow_none_v1", false);
    lake_file_stats own = stats_of(path, (lake_file_stats_options){0});
    for (size_t i = 0; i < own.ncolumns; i++) {
        const lake_column_stats *c = &own.columns[i];
        const char *type = c->field->type.id == LAKE_INT ? "long"
            : c->field->type.id == LAKE_FLOAT            ? "double"
            : c->field->type.id == LAKE_DECIMAL          ? "decimal(38, %d)"
            : c->field->type.id == LAKE_STRING           ? "int"
                                                         : NULL;
        if (!type)
            continue;
        lake_str t = lake_arena_printf(&arena, "decimal(38, %d)", c->field->type.scale);
        lake_schema *s =
            schema_of(lake_arena_printf(&arena, "{\"id\":%d,\"name\":\"x\",\"required\":false,\"type\":\"%s\"}",
                c->field->id, c->field->type.id == LAKE_DECIMAL ? t.ptr : type)
                          .ptr);
        lake_file_stats got = stats_of(path, (lake_file_stats_options){.schema = s});
        cr_assert_eq(got.ncolumns, 1);
        if (c->field->type.id != LAKE_STRING) {
            same(&got, c->field->id, &own, c->field->id);
            continue;
        }
        const lake_column_stats *x = &got.columns[0];
        cr_expect(x->values == c->values && x->nulls == c->nulls && !x->has_min && !x->has_max, "strings are no ints");
    }
}

Test(parquet_schema, the_column_ids_asked_for) {
    const int32_t ids[] = {3, 8, 999};
    lake_file_stats got =
        stats_of(file_of("arrow_nested", false), (lake_file_stats_options){.column_ids = ids, .ncolumn_ids = 3});
    cr_expect(got.ncolumns == 2 && column(&got, 3) && column(&got, 8));
    cr_expect_eq(got.record_count, 110);
}

Test(parquet_schema, schemas_made_from_files) {
    static const struct {
        const char *file, *fields;
    } table[] = {
        {"alltypes_plain",
            "id 1 int, bool_col 2 boolean, tinyint_col 3 int, smallint_col 4 int, int_col 5 int, bigint_col 6 "
            "long, float_col 7 float, double_col 8 double, date_string_col 9 binary, string_col 10 binary, "
            "timestamp_col 11 timestamptz"},
        {"old_list_structure", "a 1! list(element 2! list(element 3! int))"},
        {"repeated_no_annotation",
            "id 1! int, phoneNumbers 2 struct(phone 3! list(element 4! struct(number 5! long, kind 6 "
            "string)))"},
        {"repeated_primitive_no_list",
            "Int32_list 1! list(element 4! int), String_list 2! list(element 5! string), group_of_lists 3! "
            "struct(Int32_list_in_group 6! list(element 8! int), String_list_in_group 7! list(element 9! string))"},
        {"map_no_value",
            "my_map 1! map(key 4! int, value 5 int), my_map_no_v 2! list(element 6! int), my_list 3! "
            "list(element 7! int)"},
        {"incorrect_map_schema", "my_map 1 map(key 2! string, value 3 string)"},
        {"nested_lists.snappy", "a 1 list(element 3 list(element 4 list(element 5 string))), b 2! int"},
        {"nested_maps.snappy",
            "a 1 map(key 4! string, value 5 map(key 6! int, value 7! boolean)), b 2! int, c 3! double"},
        {"null_list", "emptylist 1 list(element 2 unknown)"},
        {"fixed_length_byte_array", "flba_field 1 fixed[4]"},
        {"float16_nonzeros_and_nans", "x 1 float"},
        {"byte_array_decimal", "value 6 decimal(4, 2)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        lake_schema *s = NULL;
        lake_error err = {0};
        lake_buffer b;
        cr_assert_eq(lake_schema_from_parquet(&store, file_of(table[i].file, true), &arena, &s, &err), LAKE_OK, "%s",
            err.message);
        lake_buffer_init(&b);
        struct frame {
            const lake_type *type;
            size_t at;
        } stack[20] = {{&s->root, 0}};
        for (int depth = 0; depth >= 0;) {
            struct frame *top = &stack[depth];
            if (top->at == top->type->nfields) {
                if (depth-- > 0)
                    lake_buffer_char(&b, ')');
                continue;
            }
            const lake_field *f = &top->type->fields[top->at];
            lake_buffer_printf(&b, "%s%s %d%s ", top->at++ ? ", " : "", f->name.ptr, f->id, f->required ? "!" : "");
            lake_type_print(&b, &f->type);
            if (lake_type_is_nested(&f->type)) {
                lake_buffer_char(&b, '(');
                stack[++depth] = (struct frame){&f->type, 0};
            }
        }
        cr_expect(lake_str_is(lake_buffer_view(&b), table[i].fields), "%s: %.*s", table[i].file,
            LAKE_ARG(lake_buffer_view(&b)));
        lake_buffer_clear(&b);
    }
}

typedef struct rows {
    int64_t n[200], nulls[200], nans[200];
    lake_key min[200], max[200];
    bool any[200];
} rows;

static lake_status take(
    void *user, const lake_field *f, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    rows *r = user;
    lake_key_kind kind = lake_type_kind(&f->type);
    r->n[f->id] += (int64_t)n;
    for (size_t i = 0; i < n; i++) {
        lake_key k = keys[i];
        r->nulls[f->id] += present[i] == 0;
        r->nans[f->id] += present[i] == 2;
        if (present[i] != 1)
            continue;
        if (kind == LAKE_KEY_BYTES)
            k.b = lake_arena_bytes(&arena, k.b.ptr, k.b.len);
        if (!r->any[f->id] || lake_key_cmp_total(kind, k, r->min[f->id]) < 0)
            r->min[f->id] = k;
        if (!r->any[f->id] || lake_key_cmp_total(kind, k, r->max[f->id]) > 0)
            r->max[f->id] = k;
        r->any[f->id] = true;
    }
    return LAKE_OK;
}

Test(parquet_schema, rows_are_given_with_their_nulls) {
    static const char *const files[] = {"java_types_4", "arrow_small_pages", "arrow_groups", "arrow_delta_bytes",
        "arrow_split", "arrow_floats", "arrow_nested", "duckdb_8"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        rows *r = lake_mem_zalloc(1, sizeof *r);
        lake_str path = file_of(files[i], false);
        lake_file_stats all = stats_of(path, (lake_file_stats_options){0});
        int32_t ids[50];
        for (size_t k = 0; k < all.ncolumns; k++)
            ids[k] = all.columns[k].field->id;
        lake_file_stats got = stats_of(path,
            (lake_file_stats_options){
                .on_values = take, .on_values_user = r, .on_values_ids = ids, .non_values_ids = all.ncolumns});
        for (size_t k = 0; k < all.ncolumns; k++) {
            const lake_column_stats *c = column(&got, ids[k]);
            const lake_field *f = all.columns[k].field;
            cr_expect(c->values == all.columns[k].values && c->nans == all.columns[k].nans);
            if (f->inside_list) {
                cr_expect_eq(r->n[f->id], 0);
                continue;
            }
            cr_expect(
                r->n[f->id] == all.record_count && r->nulls[f->id] == c->nulls, "%s: %s: rows", files[i], c->name.ptr);
            cr_expect(c->nans == -1 || r->nans[f->id] == c->nans, "%s: %s: NaNs", files[i], c->name.ptr);
            cr_expect_eq(r->any[f->id], c->has_min);
            lake_key_kind kind = lake_type_kind(&f->type);
            if (c->has_min)
                cr_expect(lake_key_cmp_total(kind, r->min[f->id], c->min) == 0 &&
                        lake_key_cmp_total(kind, r->max[f->id], c->max) == 0,
                    "%s: %s: values", files[i], c->name.ptr);
        }
        lake_mem_free(r);
    }
}

static lake_status in_order(
    void *user, const lake_field *f, const lake_key *keys, const uint8_t *present, size_t n, lake_error *err) {
    int64_t *next = user;
    for (size_t i = 0; i < n; i++)
        cr_assert(present[i] == 1 && keys[i].i == (*next)++);
    return *next > 100 ? lake_fail(err, LAKE_ERR_CANCELLED, "enough") : LAKE_OK;
}

Test(parquet_schema, rows_come_in_order_until_the_caller_stops) {
    int64_t next = 0;
    int32_t id = 1;
    lake_file_stats out;
    lake_error err = {0};
    lake_file_stats_options o = {
        .on_values = in_order, .on_values_user = &next, .on_values_ids = &id, .non_values_ids = 1};
    cr_expect_eq(
        lake_file_stats_read(&store, file_of("arrow_nested", false), &o, &arena, &out, &err), LAKE_ERR_CANCELLED);
    cr_expect(next == 110 && strstr(err.message, "enough"), "%s", err.message);
}
