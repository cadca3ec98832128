/* Findings for people and as JSON: kept as the text that will be printed, sorted by rank and place, and counted by kind
   and column. */
#include "audit_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1000000, /* findings kept */
    OTHER_MOST = 100000 /* of those that are not wrong */
};

static const char *const verdicts[] = {"wrong", "loose", "missing", "unchecked", "orphan"};

/* ---- one finding */

static void member(cli_text *t, const char *name, lake_str value) {
    if (!value.ptr)
        return;
    cli_text_addf(t, ",\"%s\":", name);
    cli_text_add_json(t, value.ptr, value.len);
}

static void hex_member(cli_text *t, const char *name, lake_bytes b) {
    if (!b.ptr)
        return;
    cli_text_addf(t, ",\"%s\":\"", name);
    for (size_t i = 0; i < b.len; i++)
        cli_text_addf(t, "%02x", b.ptr[i]);
    cli_text_add(t, "\"", 1);
}

static void number_member(cli_text *t, const char *name, int64_t n) {
    cli_text_addf(t, ",\"%s\":%lld", name, (long long)n);
}

static void json_of(cli_text *t, const lake_audit_finding *f) {
    cli_text_addf(t, "{\"verdict\":\"%s\"", verdicts[f->verdict]);
    member(t, "kind", f->kind);
    member(t, "manifest", f->manifest);
    member(t, "file", f->file);
    member(t, "column", f->column);
    if (f->column.ptr && f->field_id >= 0)
        number_member(t, "field-id", f->field_id);
    member(t, "recorded", f->recorded);
    member(t, "found", f->found);
    hex_member(t, "recorded-hex", f->recorded_bytes);
    hex_member(t, "found-hex", f->found_bytes);
    member(t, "predicate", f->predicate);
    if (f->verdict == LAKE_AUDIT_WRONG && f->lost_rows < 0)
        cli_text_addf(t, ",\"lost-rows\":null");
    else if (f->verdict == LAKE_AUDIT_WRONG)
        number_member(t, "lost-rows", f->lost_rows);
    member(t, "effect", f->effect);
    if (f->size >= 0)
        number_member(t, "size-in-bytes", f->size);
    if (f->age_ms >= 0)
        number_member(t, "age-ms", f->age_ms);
    cli_text_add(t, "}", 1);
}

static void shown(cli_text *t, const char *before, lake_str s) {
    if (!s.ptr)
        return;
    cli_text_addf(t, "%s", before);
    cli_text_add_shown(t, s.ptr, s.len);
}

/* The end of a path that is wider than the terminal. */
static void path_line(cli_text *t, lake_str path) {
    size_t limit = cli_terminal_width();
    cli_text whole = {0};
    cli_text_add_shown(&whole, path.ptr, path.len);
    const char *s = whole.ptr ? whole.ptr : "";
    size_t len = whole.len;
    if (limit > 8 && cli_width(s, len) > limit) {
        while (len && cli_width(s, len) > limit - 1) {
            do {
                s++;
                len--;
            } while (len && ((unsigned char)*s & 0xc0) == 0x80);
        }
        cli_text_addf(t, "…");
    }
    cli_text_add(t, s, len);
    cli_text_add(t, "\n", 1);
    cli_text_free(&whole);
}

static void age_of(cli_text *t, int64_t ms) {
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = {{86400000, "day"}, {3600000, "hour"}, {60000, "minute"}, {1000, "second"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ms >= units[i].ms || i == 3) {
            long long n = (long long)(ms / units[i].ms);
            cli_text_addf(t, "%lld %s%s old", n, units[i].name, n == 1 ? "" : "s");
            return;
        }
}

static void lost_line(cli_text *t, const lake_audit_finding *f) {
    char b[32];
    if (!f->lost_rows)
        return;
    cli_text_addf(t, "    ");
    if (f->predicate.ptr) {
        cli_text_add_shown(t, f->predicate.ptr, f->predicate.len);
        cli_text_addf(t, "  ");
    }
    if (f->lost_rows < 0)
        cli_text_addf(t, "loses rows (not counted)");
    else
        cli_text_addf(t, "loses %s row%s", cli_show_count(b, f->lost_rows), f->lost_rows == 1 ? "" : "s");
    cli_text_addf(t, "\n");
}

static void text_of(cli_text *t, const lake_audit_finding *f) {
    char b[32];
    lake_str path = f->file.ptr ? f->file : f->manifest;
    if (path.ptr)
        path_line(t, path);
    else
        cli_text_addf(t, "the snapshot\n");
    if (f->verdict == LAKE_AUDIT_ORPHAN) {
        cli_text_addf(t, "  orphan, %s", cli_show_size(b, f->size));
        if (f->age_ms >= 0) {
            cli_text_addf(t, ", ");
            age_of(t, f->age_ms);
        }
        cli_text_addf(t, "\n");
        return;
    }
    cli_text_addf(t, "  ");
    cli_text_add_shown(t, f->kind.ptr, f->kind.len);
    shown(t, " of ", f->column);
    shown(t, ": recorded ", f->recorded);
    shown(t, f->recorded.ptr ? ", found " : ": ", f->found);
    cli_text_addf(t, "\n");
    lost_line(t, f);
    if (f->effect.ptr) {
        cli_text_addf(t, "    ");
        cli_text_add_shown(t, f->effect.ptr, f->effect.len);
        cli_text_addf(t, "\n");
    }
}

/* ---- groups */

static int before(int rank_a, const uint64_t *a, int rank_b, const uint64_t *b) {
    if (rank_a != rank_b)
        return rank_a < rank_b ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static char *copy(lake_str s) {
    char *c = cli_alloc(s.len + 1);
    if (s.len)
        memcpy(c, s.ptr, s.len);
    c[s.len] = 0;
    return c;
}

static int is_text(const char *text, lake_str s) {
    return strlen(text) == s.len && memcmp(text, s.ptr ? s.ptr : "", s.len) == 0;
}

static char *example_of(const lake_audit_finding *f) {
    cli_text t = {0};
    cli_text_add(&t, "", 0);
    if (f->recorded.ptr)
        cli_text_add_shown(&t, f->recorded.ptr, f->recorded.len);
    shown(&t, f->recorded.ptr ? " → " : "", f->found);
    char *out = copy((lake_str){t.ptr, t.len});
    cli_text_free(&t);
    return out;
}

static void count(cli_findings *all, const lake_audit_finding *f) {
    cli_finding_group *g = NULL;
    for (size_t i = 0; i < all->ngroups && !g; i++)
        if (all->groups[i].verdict == f->verdict && is_text(all->groups[i].kind, f->kind) &&
            is_text(all->groups[i].column, f->column))
            g = &all->groups[i];
    if (!g) {
        if (all->ngroups == all->groups_room) {
            all->groups_room = all->groups_room ? 2 * all->groups_room : 64;
            all->groups = cli_realloc(all->groups, all->groups_room * sizeof *all->groups);
        }
        g = &all->groups[all->ngroups++];
        *g = (cli_finding_group){
            .verdict = f->verdict, .rank = f->rank, .kind = copy(f->kind), .column = copy(f->column)};
    }
    if (!g->example || before(f->rank, f->order, g->rank, g->order) < 0) {
        free(g->example);
        g->example = example_of(f);
        memcpy(g->order, f->order, sizeof g->order);
        g->rank = f->rank;
    }
    g->n++;
    g->lost_rows += f->lost_rows > 0 ? f->lost_rows : 0;
    g->uncounted |= f->lost_rows < 0;
}

/* ---- all of them */

lake_status cli_findings_add(void *user, const lake_audit_finding *f, lake_error *err) {
    cli_findings *all = user;
    (void)err;
    count(all, f);
    if (!all->json && (f->verdict == LAKE_AUDIT_LOOSE || f->verdict == LAKE_AUDIT_MISSING))
        return LAKE_OK; /* told by kind only */
    if (all->n >= (f->verdict == LAKE_AUDIT_WRONG ? MOST : OTHER_MOST)) {
        all->left_out++;
        return LAKE_OK;
    }
    if (all->n == all->room) {
        all->room = all->room ? 2 * all->room : 64;
        all->items = cli_realloc(all->items, all->room * sizeof *all->items);
    }
    cli_text t = {0};
    if (all->json)
        json_of(&t, f);
    else
        text_of(&t, f);
    cli_text_add(&t, "", 1);
    cli_finding *item = &all->items[all->n++];
    *item = (cli_finding){.rank = f->rank, .text = t.ptr};
    memcpy(item->order, f->order, sizeof item->order);
    return LAKE_OK;
}

static int compare_items(const void *a, const void *b) {
    const cli_finding *x = a, *y = b;
    return before(x->rank, x->order, y->rank, y->order);
}

static int compare_groups(const void *a, const void *b) {
    const cli_finding_group *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    int c = strcmp(x->kind, y->kind);
    return c ? c : strcmp(x->column, y->column);
}

void cli_findings_sort(cli_findings *all) {
    if (all->n)
        qsort(all->items, all->n, sizeof *all->items, compare_items);
    if (all->ngroups)
        qsort(all->groups, all->ngroups, sizeof *all->groups, compare_groups);
}

static void cell(cli_table *t, const char *text) {
    cli_table_cell(t, *text ? text : "-", *text ? strlen(text) : 1);
}

static void print_groups(const cli_findings *all) {
    static const char *const heads[] = {"verdict", "kind", "column", "findings", "lost_rows", "first"};
    static const int flags[] = {CLI_LEFT, CLI_LEFT, CLI_SHRINK_MIDDLE | CLI_OPTIONAL, CLI_RIGHT,
        CLI_RIGHT | CLI_OPTIONAL, CLI_SHRINK_END | CLI_OPTIONAL};
    cli_table *t = cli_table_new(sizeof heads / sizeof *heads, heads, flags);
    for (size_t i = 0; i < all->ngroups; i++) {
        const cli_finding_group *g = &all->groups[i];
        char b[32];
        cli_text column = {0};
        cell(t, verdicts[g->verdict]);
        cell(t, g->kind);
        cli_text_add_shown(&column, g->column, strlen(g->column));
        cli_text_add(&column, "", 1);
        cell(t, column.ptr);
        cli_text_free(&column);
        cell(t, cli_show_count(b, g->n));
        cell(t, g->lost_rows ? cli_show_count(b, g->lost_rows) : g->uncounted ? "?" : "");
        cell(t, g->example ? g->example : "");
    }
    cli_table_print(t);
    cli_table_free(t);
}

/* Length of the line that names the file. */
static size_t head_of(const char *text) {
    return strcspn(text, "\n") + 1;
}

static void print_items(const cli_findings *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const char *text = all->items[i].text, *last = i ? all->items[i - 1].text : "";
        size_t head = head_of(text);
        int same = *last && head == head_of(last) && memcmp(text, last, head) == 0;
        cli_out(same ? text + head : text);
    }
}

void cli_findings_print(const cli_findings *all, size_t limit) {
    char b[32];
    size_t n = limit && limit < all->n ? limit : all->n;
    print_items(all, n);
    if (n < all->n + all->left_out)
        cli_outf("… and %s more (--limit 0 lists all)\n", cli_show_count(b, (int64_t)(all->n + all->left_out - n)));
    if (!all->ngroups)
        return;
    if (n)
        cli_out("\n");
    print_groups(all);
}

void cli_findings_free(cli_findings *all) {
    for (size_t i = 0; i < all->n; i++)
        free(all->items[i].text);
    for (size_t i = 0; i < all->ngroups; i++) {
        free(all->groups[i].kind);
        free(all->groups[i].column);
        free(all->groups[i].example);
    }
    free(all->items);
    free(all->groups);
}
