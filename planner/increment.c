/* Incremental plans: the files that append snapshots added between two snapshots of one line of ancestors, as the
   official library's incremental append scan has them. Snapshots of other kinds (overwrite, replace, delete) give
   nothing and are told; delete files do not apply. A manifest counts in the list of the snapshot that added it, since a
   later one may have been rewritten. */
#include <stdlib.h>

#include "planner/plan.h"
#include "planner/tree.h"

struct plan_increment {
    lake_plan_increment view;
    int64_t *ids; /* of the append snapshots, sorted */
    size_t nids;
    const lake_snapshot **appends; /* the newest first */
};

static lake_str operation_of(const lake_snapshot *s) {
    const lake_json *operation = lake_json_find(s->summary, "operation");
    return lake_json_is(operation, LAKE_JSON_STRING) ? operation->text : LAKE_STR("unknown");
}

/* The snapshots behind `from` up to `to`, each once; a chain of parents that goes round is no line of ancestors. */
static lake_status walk(lake_plan *plan, plan_increment *x, const lake_snapshot *to, lake_error *err) {
    const lake_metadata *m = plan->table->metadata;
    int64_t from = plan->options.from_snapshot;
    bool found = false;
    x->appends = LAKE_ARENA_ARRAY(&plan->arena, const lake_snapshot *, m->nsnapshots + 1);
    lake_skipped_snapshot *others = LAKE_ARENA_ARRAY(&plan->arena, lake_skipped_snapshot, m->nsnapshots + 1);
    x->ids = LAKE_ARENA_ARRAY(&plan->arena, int64_t, m->nsnapshots + 1);
    if (!x->appends || !others || !x->ids)
        return lake_fail_memory(err);
    x->view.others = others;
    size_t steps = 0;
    for (const lake_snapshot *s = to; s && steps++ < m->nsnapshots; s = lake_metadata_snapshot(m, s->parent_id)) {
        found = s->id == from;
        if (found)
            break;
        lake_str operation = operation_of(s);
        if (lake_str_is(operation, "append"))
            x->appends[x->nids++] = s;
        else
            others[x->view.nothers++] = (lake_skipped_snapshot){s->id, operation};
        found = s->has_parent && s->parent_id == from; /* it may have expired */
        if (found || !s->has_parent)
            break;
    }
    if (!found)
        return lake_fail(err, LAKE_ERR_USAGE, "snapshot %lld is no ancestor of snapshot %lld%s", (long long)from,
            (long long)to->id, lake_metadata_snapshot(m, from) ? "" : " (and the table does not have it)");
    x->view.appends = x->nids;
    return LAKE_OK;
}

static int by_id(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

lake_status plan_increment_begin(lake_plan *plan, const lake_snapshot **snapshot, lake_error *err) {
    const lake_plan_options *o = &plan->options;
    if (!o->has_from_snapshot) {
        if (o->has_to_snapshot)
            return lake_fail(err, LAKE_ERR_USAGE, "an end snapshot needs a start snapshot");
        return LAKE_OK;
    }
    if (o->has_to_snapshot && !(*snapshot = lake_metadata_snapshot(plan->table->metadata, o->to_snapshot)))
        return lake_fail(err, LAKE_ERR_NOT_FOUND, "the table has no snapshot %lld", (long long)o->to_snapshot);
    if (!*snapshot)
        return lake_fail(err, LAKE_ERR_USAGE, "snapshot %lld is no ancestor: the table has no snapshot",
            (long long)o->from_snapshot);
    plan_increment *x = LAKE_ARENA_NEW(&plan->arena, plan_increment);
    if (!x)
        return lake_fail_memory(err);
    x->view.from = o->from_snapshot;
    x->view.to = (*snapshot)->id;
    LAKE_TRY(walk(plan, x, *snapshot, err));
    for (size_t i = 0; i < x->nids; i++)
        x->ids[i] = x->appends[i]->id;
    if (x->nids)
        qsort(x->ids, x->nids, sizeof *x->ids, by_id);
    plan->increment = x;
    return LAKE_OK;
}

bool plan_increment_wants(const lake_plan *plan, const lake_entry *e) {
    const plan_increment *x = plan->increment;
    return e->status == LAKE_ENTRY_ADDED && x->nids &&
        bsearch(&e->snapshot_id, x->ids, x->nids, sizeof *x->ids, by_id) != NULL;
}

static bool listed(const lake_plan *plan, size_t n, lake_str path) {
    for (size_t i = 0; i < n; i++)
        if (!(plan->lines[i].has & LAKE_HAS_SNAPSHOT_ID) && lake_str_eq(plan->lines[i].path, path))
            return true;
    return false;
}

lake_status plan_increment_manifests(lake_plan *plan, lake_error *err) {
    plan_increment *x = plan->increment;
    size_t room = 0;
    for (size_t i = 0; i < x->nids; i++) {
        lake_manifest_file *lines;
        size_t n;
        LAKE_TRY(lake_table_manifests(plan->table, x->appends[i], &plan->arena, &lines, &n, err));
        for (size_t k = 0; k < n; k++) {
            lake_manifest_file *l = &lines[k];
            bool known = l->has & LAKE_HAS_SNAPSHOT_ID; /* old lists may lack it: then the entries tell */
            if (l->content != 0 ||
                (known ? l->added_snapshot_id != x->appends[i]->id : listed(plan, plan->nlines, l->path)))
                continue;
            if (!lake_tree_grow(&plan->arena, &plan->lines, sizeof *plan->lines, plan->nlines, &room))
                return lake_fail_memory(err);
            plan->lines[plan->nlines] = *l;
            /* Existing files are another snapshot's. */
            plan->lines[plan->nlines].existing_files = plan->lines[plan->nlines].existing_rows = 0;
            plan->nlines++;
        }
    }
    return LAKE_OK;
}

int lake_plan_increment_of(const lake_plan *plan, lake_plan_increment *out) {
    *out = plan->increment ? plan->increment->view : (lake_plan_increment){0};
    return plan->increment != NULL;
}

void plan_increment_json(const lake_plan *plan, lake_buffer *out) {
    if (!plan->increment)
        return;
    const lake_plan_increment *v = &plan->increment->view;
    lake_buffer_printf(out,
        ",\"incremental\":{\"from-snapshot-id\":%lld,\"to-snapshot-id\":%lld,\"append-snapshots\":%zu,"
        "\"other-snapshots\":[",
        (long long)v->from, (long long)v->to, v->appends);
    for (size_t i = 0; i < v->nothers; i++) {
        lake_buffer_printf(out, "%s{\"snapshot-id\":%lld,\"operation\":", i ? "," : "", (long long)v->others[i].id);
        lake_json_quote(out, v->others[i].operation);
        lake_buffer_char(out, '}');
    }
    lake_buffer_puts(out, "]}");
}
