/* lakectl cache: what is kept in the folder of --cache. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

typedef struct args {
    const char *format;
} args;

static const cli_option options[] = {
    {"format", 0, CLI_CHOICE, offsetof(args, format), "text|json", "text for people (default)"},
    {0},
};

static void print_json(const char *folder, const lake_cache_kind *kinds, size_t n, int verify) {
    cli_text t = {0};
    cli_text_add_json(&t, folder, strlen(folder));
    cli_outf("{\"folder\":%s,\"kinds\":[", t.ptr);
    cli_text_free(&t);
    for (size_t i = 0; i < n; i++) {
        const lake_cache_kind *k = &kinds[i];
        cli_outf("%s{\"name\":\"%s\",\"files\":%llu,\"entries\":%llu,\"bytes\":%llu", i ? "," : "", k->name,
            (unsigned long long)k->files, (unsigned long long)k->entries, (unsigned long long)k->bytes);
        if (verify)
            cli_outf(",\"damaged\":%llu", (unsigned long long)k->damaged);
        cli_outf(",\"leftovers\":%llu}", (unsigned long long)k->leftovers);
    }
    cli_out("]}\n");
}

static void print_text(const lake_cache_kind *kinds, size_t n, const char *verb) {
    char a[32], b[32];
    if (!n)
        cli_out("nothing is cached\n");
    for (size_t i = 0; i < n; i++) {
        const lake_cache_kind *k = &kinds[i];
        cli_outf("%-17s %s entr%s in %s file%s, %s%s", k->name, cli_show_count(a, (int64_t)k->entries),
            k->entries == 1 ? "y" : "ies", cli_show_count(b, (int64_t)k->files), k->files == 1 ? "" : "s",
            cli_show_size((char[32]){0}, (int64_t)k->bytes), verb);
        if (k->damaged)
            cli_outf("; %s damaged", cli_show_count(a, (int64_t)k->damaged));
        if (k->leftovers)
            cli_outf("; %s left behind by writers that died", cli_show_count(a, (int64_t)k->leftovers));
        cli_out("\n");
    }
}

static lake_status run(cli *c, lake_error *err) {
    const args *a = c->options;
    const char *what = c->args.items[0], *folder = c->globals.cache;
    int clear = strcmp(what, "clear") == 0, verify = strcmp(what, "verify") == 0;
    lake_cache_kind kinds[8];
    size_t n;
    if (!clear && !verify && strcmp(what, "stats") != 0)
        return cli_fail(err, LAKE_ERR_USAGE, "cache: '%s' is none of stats, clear, verify", what);
    if (!folder || strcmp(folder, "none") == 0)
        return cli_fail(err, LAKE_ERR_USAGE, "cache: no folder is named (--cache DIR)");
    lake_status status =
        clear ? lake_cache_clear(folder, kinds, 8, &n, err) : lake_cache_stats(folder, verify, kinds, 8, &n, err);
    if (status)
        return status;
    if (a->format && strcmp(a->format, "json") == 0)
        print_json(folder, kinds, n, verify);
    else
        print_text(kinds, n, clear ? " removed" : verify ? " verified" : "");
    for (size_t i = 0; i < n; i++)
        c->answer_is_no |= verify && kinds[i].damaged;
    return LAKE_OK;
}

const cli_command cli_cmd_cache = {
    .name = "cache",
    .args = "stats|clear|verify --cache DIR",
    .min_args = 1,
    .max_args = 1,
    .summary = "look after the cache on disk",
    .text = "With --cache DIR (or LAKE_CACHE), plans of a table keep there what its manifests say, plans and estimates "
            "of a\n"
            "directory what the footers of its files say. `stats` tells what is kept, `clear` removes it, `verify` "
            "looks at every\n"
            "checksum (exit status 1: something is damaged, which is harmless: it is read anew).\n"
            "Nothing in it is ever stale: a manifest never changes under its name, and the snapshot's list says which "
            "ones count; a\n"
            "footer counts only for a file with the same path, size, inode and times. Manifests take at most "
            "--cache-size (default\n"
            "4 GiB), those used least lately go first.",
    .example = "  lakectl plan events/ --cache ~/.cache/lakectl --where \"day = '2025-01-01'\"\n"
               "  lakectl cache stats --cache ~/.cache/lakectl\n",
    .options = options,
    .size = sizeof(args),
    .run = run,
};
