/* A plan as text for programs: the REST catalog's completed planning result, one task a line, CSV, paths. Formats of
   the REST protocol: open-api/rest-catalog-open-api.yaml (CompletedPlanningResult, FileScanTask, DataFile, DeleteFile,
   ScanReport). */
#include "planner/plan.h"

lake_str plan_format_name(lake_str format) {
    static const char *const known[] = {"parquet", "avro", "orc", "puffin"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncasecmp(format.ptr ? format.ptr : "", known[i], format.len) == 0 && strlen(known[i]) == format.len)
            return lake_str_of(known[i]);
    return format;
}

static void count_map(lake_buffer *out, const char *name, const lake_column_metrics *c, size_t n, uint32_t bit) {
    size_t have = 0;
    for (size_t i = 0; i < n; i++)
        have += (c[i].has & bit) != 0;
    if (!have)
        return;
    lake_buffer_printf(out, ",\"%s\":{\"keys\":[", name);
    for (size_t i = 0, k = 0; i < n; i++)
        if (c[i].has & bit)
            lake_buffer_printf(out, "%s%d", k++ ? "," : "", c[i].id);
    lake_buffer_puts(out, "],\"values\":[");
    for (size_t i = 0, k = 0; i < n; i++)
        if (c[i].has & bit) {
            int64_t v = bit == LAKE_METRIC_SIZE ? c[i].size
                : bit == LAKE_METRIC_VALUES     ? c[i].values
                : bit == LAKE_METRIC_NULLS      ? c[i].nulls
                                                : c[i].nans;
            lake_buffer_printf(out, "%s%lld", k++ ? "," : "", (long long)v);
        }
    lake_buffer_puts(out, "]}");
}

/* Bounds as JSON single values where the column and its width are known, else as hex. */
static void value_map(
    const lake_plan *plan, lake_buffer *out, const char *name, const lake_column_metrics *c, size_t n, bool upper) {
    size_t have = 0;
    for (size_t i = 0; i < n; i++)
        have += (upper ? c[i].upper : c[i].lower).ptr != NULL;
    if (!have)
        return;
    lake_buffer_printf(out, ",\"%s\":{\"keys\":[", name);
    for (size_t i = 0, k = 0; i < n; i++)
        if ((upper ? c[i].upper : c[i].lower).ptr)
            lake_buffer_printf(out, "%s%d", k++ ? "," : "", c[i].id);
    lake_buffer_puts(out, "],\"values\":[");
    for (size_t i = 0, k = 0; i < n; i++) {
        lake_bytes b = upper ? c[i].upper : c[i].lower;
        if (!b.ptr)
            continue;
        if (k++)
            lake_buffer_char(out, ',');
        const lake_field *f = plan_any_field(plan, c[i].id);
        lake_key key;
        lake_bound_state state = f ? lake_value_from_binary(&f->type, b, &key) : LAKE_BOUND_NONE;
        if (state == LAKE_BOUND_KEY && (f->type.id != LAKE_STRING || lake_utf8_valid(b)))
            lake_value_to_json(out, &f->type, key);
        else if (state == LAKE_BOUND_NAN)
            lake_buffer_puts(out, "\"NaN\"");
        else
            plan_datum_json((lake_datum){.kind = LAKE_DATUM_BYTES, .b = b}, out);
    }
    lake_buffer_puts(out, "]}");
}

/* The members that data and delete files share, without the braces. */
static void number_member(lake_buffer *out, const char *name, int64_t v) {
    lake_buffer_puts(out, name);
    lake_buffer_number(out, v);
}

static void content_file(lake_plan *plan, const lake_spec *spec, const lake_entry *e, lake_buffer *out) {
    static const char *const contents[] = {"data", "position-deletes", "equality-deletes"};
    lake_buffer_puts(out, "\"content\":\"");
    lake_buffer_puts(out, contents[e->content <= 2 ? e->content : 0]);
    lake_buffer_puts(out, "\",\"file-path\":");
    lake_json_quote(out, e->file_path);
    lake_buffer_puts(out, ",\"file-format\":");
    lake_json_quote(out, plan_format_name(e->file_format));
    number_member(out, ",\"spec-id\":", spec->id);
    lake_buffer_puts(out, ",\"partition\":");
    plan_partition_json(plan, spec, e, &plan->scratch, false, out);
    number_member(out, ",\"file-size-in-bytes\":", e->file_size);
    number_member(out, ",\"record-count\":", e->record_count);
    if (e->key_metadata.ptr) {
        lake_buffer_puts(out, ",\"key-metadata\":\"");
        lake_buffer_hex(out, e->key_metadata);
        lake_buffer_char(out, '"');
    }
    if (e->nsplit_offsets) {
        lake_buffer_puts(out, ",\"split-offsets\":[");
        for (size_t i = 0; i < e->nsplit_offsets; i++)
            number_member(out, i ? "," : "", e->split_offsets[i]);
        lake_buffer_char(out, ']');
    }
    if (e->has & LAKE_HAS_SORT_ORDER_ID)
        number_member(out, ",\"sort-order-id\":", e->sort_order_id);
}

static void data_file(lake_plan *plan, const plan_task *task, lake_buffer *out) {
    const lake_entry *e = &task->entry;
    lake_buffer_char(out, '{');
    content_file(plan, task->spec, e, out);
    if (e->has & LAKE_HAS_FIRST_ROW_ID)
        lake_buffer_printf(out, ",\"first-row-id\":%lld", (long long)e->first_row_id);
    if (plan->options.stats) {
        const lake_column_metrics *c = task->all_columns;
        size_t n = task->nall_columns;
        count_map(out, "column-sizes", c, n, LAKE_METRIC_SIZE);
        count_map(out, "value-counts", c, n, LAKE_METRIC_VALUES);
        count_map(out, "null-value-counts", c, n, LAKE_METRIC_NULLS);
        count_map(out, "nan-value-counts", c, n, LAKE_METRIC_NANS);
        value_map(plan, out, "lower-bounds", c, n, false);
        value_map(plan, out, "upper-bounds", c, n, true);
    }
    lake_buffer_char(out, '}');
}

static void delete_file(lake_plan *plan, const plan_delete *d, lake_buffer *out) {
    const lake_entry *e = &d->entry;
    lake_buffer_char(out, '{');
    content_file(plan, d->spec, e, out);
    if (e->has & LAKE_HAS_CONTENT_OFFSET)
        lake_buffer_printf(out, ",\"content-offset\":%lld", (long long)e->content_offset);
    if (e->has & LAKE_HAS_CONTENT_SIZE)
        lake_buffer_printf(out, ",\"content-size-in-bytes\":%lld", (long long)e->content_size);
    if (e->referenced_data_file.ptr) {
        lake_buffer_puts(out, ",\"referenced-data-file\":");
        lake_json_quote(out, e->referenced_data_file);
    }
    if (e->content == LAKE_CONTENT_EQUALITY_DELETES) {
        lake_buffer_puts(out, ",\"equality-ids\":[");
        for (size_t i = 0; i < e->nequality_ids; i++)
            lake_buffer_printf(out, "%s%d", i ? "," : "", e->equality_ids[i]);
        lake_buffer_char(out, ']');
    }
    lake_buffer_char(out, '}');
}

/* whole: with its delete files as objects (ndjson), not as references. */
lake_status plan_task_json(lake_plan *plan, size_t index, bool whole, lake_buffer *out, lake_error *err) {
    const plan_task *task = plan->tasks[index];
    lake_str json, sql;
    int exact;
    lake_buffer_puts(out, "{\"data-file\":");
    data_file(plan, task, out);
    if (task->view.ndeletes) {
        lake_buffer_puts(out, whole ? ",\"delete-files\":[" : ",\"delete-file-references\":[");
        for (size_t i = 0; i < task->view.ndeletes; i++) {
            uint32_t d = task->view.deletes[i];
            if (i)
                lake_buffer_char(out, ',');
            if (whole)
                delete_file(plan, plan->used_deletes[d], out);
            else
                lake_buffer_printf(out, "%u", d);
        }
        lake_buffer_char(out, ']');
    }
    plan_groups_json(&task->view, out);
    if (plan->order)
        lake_buffer_printf(out, ",\"order-group\":%zu", task->view.order_group);
    if (task->view.match_all) {
        lake_buffer_puts(out, ",\"residual-filter\":true,\"match\":\"all\"}");
        return lake_buffer_check(out, err);
    }
    LAKE_TRY(lake_plan_residual(plan, index, &json, &exact, &sql, err));
    lake_buffer_puts(out, ",\"residual-filter\":");
    lake_buffer_str(out, json);
    if (!exact) {
        lake_buffer_puts(out, ",\"residual-sql\":");
        lake_json_quote(out, sql);
        lake_buffer_puts(out, ",\"residual-exact\":false");
    }
    lake_buffer_puts(out, ",\"match\":\"some\"}");
    return lake_buffer_check(out, err);
}

static void counter(lake_buffer *out, const char *name, const char *unit, int64_t v) {
    lake_buffer_printf(out, ",\"%s\":{\"unit\":\"%s\",\"value\":%lld}", name, unit, (long long)v);
}

static lake_status scan_report(lake_plan *plan, lake_buffer *out, lake_error *err) {
    const lake_plan_counts *c = &plan->counts;
    lake_str location = plan->planning.metadata->location;
    int64_t delete_bytes = 0;
    for (size_t i = 0; i < plan->nused; i++) {
        const lake_delete_file *d = &plan->used_views[i];
        delete_bytes = lake_total_add(delete_bytes, d->has_content_offset ? d->content_size : d->file_size);
    }
    lake_buffer_puts(out, "{\"table-name\":");
    lake_json_quote(out, location);
    lake_buffer_printf(out,
        ",\"snapshot-id\":%lld,\"filter\":", (long long)(plan->planning.snapshot ? plan->planning.snapshot->id : -1));
    lake_buffer_reset(&plan->sql);
    bool exact;
    /* the filter itself: the residual where nothing is known */
    lake_facts *unknown = plan->workers[0].facts;
    for (size_t i = 0; i < plan->bound->nterms; i++)
        unknown[i] = (lake_facts){.null = true,
            .nan = true,
            .value = true,
            .nspans = 1,
            .spans = {{{.at = LAKE_END_LOW}, {.at = LAKE_END_TOP}}}};
    LAKE_TRY(lake_bound_residual(plan->bound, unknown, &plan->scratch, out, &exact, NULL, err));
    lake_buffer_printf(out, ",\"schema-id\":%d,\"projected-field-ids\":[", plan->planning.schema->id);
    const lake_type *root = &plan->planning.schema->root;
    for (size_t i = 0; i < root->nfields; i++)
        lake_buffer_printf(out, "%s%d", i ? "," : "", root->fields[i].id);
    lake_buffer_puts(out, "],\"projected-field-names\":[");
    for (size_t i = 0; i < root->nfields; i++) {
        if (i)
            lake_buffer_char(out, ',');
        lake_json_quote(out, root->fields[i].name);
    }
    lake_buffer_printf(out,
        "],\"metrics\":{\"total-planning-duration\":{\"count\":1,\"time-unit\":\"nanoseconds\",\"total-duration\":%"
        "lld}",
        (long long)c->planning_ns);
    counter(out, "result-data-files", "count", c->kept_files);
    counter(out, "result-delete-files", "count", c->delete_files);
    counter(out, "total-data-manifests", "count", c->total_data_manifests);
    counter(out, "total-delete-manifests", "count", c->total_delete_manifests);
    counter(out, "scanned-data-manifests", "count", c->scanned_data_manifests);
    counter(out, "skipped-data-manifests", "count", c->skipped_data_manifests);
    counter(out, "scanned-delete-manifests", "count", c->scanned_delete_manifests);
    counter(out, "skipped-delete-manifests", "count", c->skipped_delete_manifests);
    counter(out, "skipped-data-files", "count", c->skipped_files_in_scanned);
    counter(out, "skipped-delete-files", "count", c->skipped_delete_files);
    counter(out, "indexed-delete-files", "count", (int64_t)plan->deletes.nall);
    counter(out, "equality-delete-files", "count", c->equality_delete_files);
    counter(out, "positional-delete-files", "count", c->position_delete_files);
    counter(out, "dvs", "count", c->deletion_vectors);
    counter(out, "total-file-size-in-bytes", "bytes", c->kept_bytes);
    counter(out, "total-delete-file-size-in-bytes", "bytes", delete_bytes);
    counter(out, "scanned-file-size-in-bytes", "bytes", c->scanned_bytes);
    counter(out, "total-manifest-size-in-bytes", "bytes", c->total_manifest_bytes);
    counter(out, "scanned-manifest-size-in-bytes", "bytes", c->scanned_manifest_bytes);
    if (plan->options.row_groups)
        plan_groups_counters(c, counter, out);
    lake_buffer_puts(out, "}}");
    return lake_buffer_check(out, err);
}

lake_status plan_flush(lake_buffer *out, size_t more_than, const lake_sink *sink, lake_error *err) {
    LAKE_TRY(lake_buffer_check(out, err));
    lake_str view = lake_buffer_view(out);
    if (view.len <= more_than)
        return LAKE_OK;
    lake_buffer_reset(out);
    return sink->write(sink->user, view.ptr, view.len, err);
}

static lake_status write_json(lake_plan *plan, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    lake_buffer_puts(out, "{\"status\":\"completed\",\"delete-files\":[");
    for (size_t i = 0; i < plan->nused; i++) {
        if (i)
            lake_buffer_char(out, ',');
        delete_file(plan, plan->used_deletes[i], out);
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    lake_buffer_puts(out, "],\"file-scan-tasks\":[");
    for (size_t i = 0; i < plan->ntasks; i++) {
        if (i)
            lake_buffer_char(out, ',');
        LAKE_TRY(plan_task_json(plan, i, false, out, err));
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    lake_buffer_puts(out, "],\"scan-report\":");
    LAKE_TRY(scan_report(plan, out, err));
    if (plan->options.explain)
        LAKE_TRY(plan_explain_json(plan, out, sink, err));
    LAKE_TRY(plan_answers_json(plan, out, err));
    lake_buffer_puts(out, "}\n");
    return plan_flush(out, 0, sink, err);
}

/* RFC 4180: quotes where they are needed. */
void plan_csv_text(lake_buffer *out, lake_str s) {
    bool plain = true;
    for (size_t i = 0; i < s.len; i++)
        plain &= s.ptr[i] != '"' && s.ptr[i] != ',' && s.ptr[i] != '\n' && s.ptr[i] != '\r';
    if (plain) {
        lake_buffer_str(out, s);
        return;
    }
    lake_buffer_char(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '"')
            lake_buffer_char(out, '"');
        lake_buffer_char(out, s.ptr[i]);
    }
    lake_buffer_char(out, '"');
}

static lake_status write_splits(
    lake_plan *plan, lake_plan_format format, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    if (format == LAKE_PLAN_CSV)
        lake_buffer_puts(out, "scan-task,path,start,length,match,deletes\n");
    for (size_t i = 0; i < plan->nsplit_groups; i++) {
        LAKE_TRY(plan_splits_line(plan, i, format == LAKE_PLAN_CSV, out, err));
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    return plan_flush(out, 0, sink, err);
}

static lake_status write_lines(
    lake_plan *plan, lake_plan_format format, lake_buffer *out, const lake_sink *sink, lake_error *err) {
    bool splits = plan->split_size && (format == LAKE_PLAN_NDJSON || format == LAKE_PLAN_CSV);
    if (splits)
        LAKE_TRY(write_splits(plan, format, out, sink, err));
    else if (format == LAKE_PLAN_CSV)
        lake_buffer_printf(
            out, "path,format,records,bytes,spec-id,match,deletes%s\n", plan->order ? ",order-group" : "");
    for (size_t i = splits ? plan->ntasks : 0; i < plan->ntasks; i++) {
        const lake_scan_task *t = &plan->tasks[i]->view;
        if (format == LAKE_PLAN_NDJSON) {
            LAKE_TRY(plan_task_json(plan, i, true, out, err));
            lake_buffer_char(out, '\n');
        } else if (format == LAKE_PLAN_CSV) {
            plan_csv_text(out, t->path);
            lake_buffer_char(out, ',');
            plan_csv_text(out, t->format);
            lake_buffer_printf(out, ",%lld,%lld,%d,%s,%zu", (long long)t->record_count, (long long)t->file_size,
                t->spec_id, t->match_all ? "all" : "some", t->ndeletes);
            if (plan->order)
                lake_buffer_printf(out, ",%zu", t->order_group);
            lake_buffer_char(out, '\n');
        } else {
            lake_buffer_str(out, t->path);
            lake_buffer_char(out, format == LAKE_PLAN_PATHS ? '\n' : 0);
        }
        LAKE_TRY(plan_flush(out, PLAN_FLUSH, sink, err));
    }
    if (format == LAKE_PLAN_NDJSON && plan->options.explain)
        LAKE_TRY(plan_explain_lines(plan, out, sink, err));
    return plan_flush(out, 0, sink, err);
}

lake_status lake_plan_write(
    lake_plan *plan, lake_plan_format format, int ignore_deletes, const lake_sink *sink, lake_error *err) {
    if ((format == LAKE_PLAN_PATHS || format == LAKE_PLAN_PATHS0) && plan->nused && !ignore_deletes)
        return lake_fail(err, LAKE_ERR_UNSUPPORTED,
            "the plan has %zu delete files: a bare list of paths would give deleted rows back (--ignore-deletes, or "
            "another format)",
            plan->nused);
    /* One path must not read as two. */
    for (size_t i = 0; format == LAKE_PLAN_PATHS && i < plan->ntasks; i++) {
        lake_str path = plan->tasks[i]->view.path;
        if (path.len && memchr(path.ptr, '\n', path.len))
            return lake_fail(err, LAKE_ERR_UNSUPPORTED,
                "the path of data file %zu holds a line break: paths0 (NUL-ended) or another format tells it", i + 1);
    }
    lake_buffer out;
    lake_buffer_init(&out);
    lake_status s =
        format == LAKE_PLAN_JSON ? write_json(plan, &out, sink, err) : write_lines(plan, format, &out, sink, err);
    lake_buffer_clear(&out);
    return s;
}
