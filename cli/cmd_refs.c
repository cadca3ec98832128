/* lakectl refs: branches and tags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    cli_snapshot snapshot;
    int tag, forget, dry_run;
    cli_int min_snapshots;
    const char *max_snapshot_age, *max_ref_age, *format;
} args;

static const cli_option options[] = {
    CLI_SNAPSHOT_OPTIONS(args, snapshot),
    {"tag", 0, CLI_FLAG, offsetof(args, tag), NULL, "create: a tag, which never moves (default: a branch)"},
    {"min-snapshots-to-keep", 0, CLI_INT, offsetof(args, min_snapshots), "N",
        "create, keep: expire no more than leaves N snapshots\nof the branch"},
    {"max-snapshot-age", 0, CLI_TEXT, offsetof(args, max_snapshot_age), "AGE",
        "create, keep: expire the branch's snapshots that are\nolder: 7d, 12h, 30m, 10s or milliseconds"},
    {"max-ref-age", 0, CLI_TEXT, offsetof(args, max_ref_age), "AGE",
        "create, keep: drop the branch or tag when its\nsnapshot is older"},
    {"forget", 0, CLI_FLAG, offsetof(args, forget), NULL, "keep: first take away what is set of these three"},
    {"dry-run", 0, CLI_FLAG, offsetof(args, dry_run), NULL, "do everything but the commit"},
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json", "of the list of branches and tags"},
    {0},
};

lake_status cli_age(const char *option, const char *text, int64_t *ms, lake_error *err) {
    static const struct {
        const char *name;
        int64_t ms;
    } units[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    size_t digits = text ? strspn(text, "0123456789") : 0;
    *ms = 0;
    if (!text)
        return LAKE_OK;
    for (size_t i = 0; digits && digits < 19 && i < sizeof units / sizeof *units; i++) {
        long long n = strtoll(text, NULL, 10);
        if (strcmp(text + digits, units[i].name) == 0 && n > 0 && n <= INT64_MAX / units[i].ms) {
            *ms = n * units[i].ms;
            return LAKE_OK;
        }
    }
    return cli_fail(err, LAKE_ERR_USAGE,
        "%s: '%s' is no age: write 7d, 12h, 30m, 10s or a number of milliseconds, more than 0", option, text);
}

typedef struct action {
    const char *name;
    size_t min_args, max_args; /* behind it */
    int takes_snapshot, takes_retention;
} action;
static const action actions[] = {
    {"create", 1, 1, 1, 1}, {"drop", 1, 1, 0, 0}, {"keep", 1, 1, 0, 1}, {"fast-forward", 2, 2, 0, 0}};

static lake_status find_action(const cli_list *given, const action **out, lake_error *err) {
    cli_nearest best = {0};
    const char *word = given->items[1];
    *out = NULL;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        cli_nearest_try(&best, word, actions[i].name);
        if (strcmp(word, actions[i].name) == 0)
            *out = &actions[i];
    }
    if (!*out)
        return cli_fail(err, LAKE_ERR_USAGE, "refs: '%s' is none of create, drop, keep, fast-forward%s%s%s", word,
            best.name ? "; did you mean " : "", best.name ? best.name : "", best.name ? "?" : "");
    size_t n = given->n - 2;
    if (n < (*out)->min_args || n > (*out)->max_args)
        return cli_fail(err, LAKE_ERR_USAGE, "refs %s: %s", word,
            (*out)->min_args == 2 ? "a branch and where it goes are meant" : "one name is meant");
    return LAKE_OK;
}

static lake_status check_options(const args *a, const action *what, lake_error *err) {
    int snapshot = a->snapshot.id.given || a->snapshot.ref || a->snapshot.as_of;
    int retention = a->min_snapshots.given || a->max_snapshot_age || a->max_ref_age;
    if ((snapshot || a->tag) && !what->takes_snapshot)
        return cli_fail(err, LAKE_ERR_USAGE, "refs %s: %s is for create", what->name,
            a->tag ? "--tag" : "the choice of a snapshot");
    if (retention && !what->takes_retention)
        return cli_fail(err, LAKE_ERR_USAGE, "refs %s: ages and numbers to keep are for create and keep", what->name);
    if (a->forget && strcmp(what->name, "keep") != 0)
        return cli_fail(err, LAKE_ERR_USAGE, "refs %s: --forget is for keep", what->name);
    if (strcmp(what->name, "keep") == 0 && !retention && !a->forget)
        return cli_fail(err, LAKE_ERR_USAGE,
            "refs keep: nothing is set: --min-snapshots-to-keep, --max-snapshot-age, "
            "--max-ref-age or --forget");
    if (a->min_snapshots.given && (a->min_snapshots.value < 1 || a->min_snapshots.value > INT32_MAX))
        return cli_fail(err, LAKE_ERR_USAGE, "--min-snapshots-to-keep: %lld is no number from 1 to 2147483647",
            (long long)a->min_snapshots.value);
    if (a->format)
        return cli_fail(err, LAKE_ERR_USAGE, "--format is for the list of branches and tags: a change prints JSON");
    return LAKE_OK;
}

static lake_status ref_options(const args *a, lake_snapshot_choice *choice, lake_ref_options *out, lake_error *err) {
    *out = (lake_ref_options)LAKE_REF_OPTIONS_INIT;
    out->tag = a->tag;
    out->min_snapshots_to_keep = a->min_snapshots.value;
    out->forget_retention = a->forget;
    lake_status status = cli_snapshot_choice(&a->snapshot, choice, err);
    if (choice->has_snapshot_id || choice->ref || choice->has_as_of)
        out->snapshot = choice;
    if (!status)
        status = cli_age("--max-snapshot-age", a->max_snapshot_age, &out->max_snapshot_age_ms, err);
    return status ? status : cli_age("--max-ref-age", a->max_ref_age, &out->max_ref_age_ms, err);
}

static lake_status change(lake_table *table, const action *what, const char **names, const lake_ref_options *ref,
    const lake_commit_options *o, lake_error *err) {
    switch (what - actions) {
    case 0: return lake_table_create_ref(table, names[0], ref, o, &cli_report, err);
    case 1: return lake_table_drop_ref(table, names[0], o, &cli_report, err);
    case 2: return lake_table_keep_ref(table, names[0], ref, o, &cli_report, err);
    default: return lake_table_fast_forward(table, names[0], names[1], o, &cli_report, err);
    }
}

static lake_status list(cli *c, lake_error *err) {
    const args *a = c->options;
    lake_table *table = NULL;
    if (a->snapshot.id.given || a->snapshot.ref || a->snapshot.as_of || a->tag || a->forget || a->dry_run ||
        a->min_snapshots.given || a->max_snapshot_age || a->max_ref_age)
        return cli_fail(
            err, LAKE_ERR_USAGE, "refs: what is to be done is not said: create, drop, keep or fast-forward");
    lake_status status = cli_session(c, err);
    if (!status)
        status = lake_table_open(c->session, c->args.items[0], &table, err);
    if (status)
        return status;
    status = cli_show_rows(table, "refs", a->format, err);
    lake_table_close(table);
    return status;
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    const action *what;
    lake_snapshot_choice choice;
    lake_ref_options ref;
    lake_commit_options o = LAKE_COMMIT_OPTIONS_INIT;
    lake_table *table = NULL;
    if (c->args.n == 1)
        return list(c, err);
    o.dry_run = a->dry_run;
    lake_status status = find_action(&c->args, &what, err);
    if (!status)
        status = check_options(a, what, err);
    if (!status)
        status = ref_options(a, &choice, &ref, err);
    if (!status)
        status = cli_open_table(c, &table, err);
    if (status)
        return status;
    status = change(table, what, c->args.items + 2, &ref, &o, err);
    c->committed = !status && !o.dry_run;
    lake_table_close(table);
    return status;
}

const cli_command cli_cmd_refs = {
    .name = "refs",
    .args = "TABLE [create|drop|keep|fast-forward NAME [TO]] [OPTIONS]",
    .min_args = 1,
    .max_args = 4,
    .summary = "list, make, move and drop branches and tags",
    .text = "create NAME: a branch or tag at the current snapshot, or at another. drop NAME: its snapshots stay until "
            "they expire.\n"
            "keep NAME: how long it and its snapshots are kept. fast-forward BRANCH TO: the branch moves to the "
            "snapshot of the\n"
            "branch or tag TO, which must come from it. A change prints a JSON object; it makes no snapshot.",
    .example = "  lakectl refs sales create audit --max-ref-age 7d; lakectl append sales new.parquet --branch audit\n"
               "  lakectl refs sales fast-forward main audit\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
