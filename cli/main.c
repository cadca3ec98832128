/* lakectl: the program. Finds the command in the table, runs it, and turns its status into the exit status. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "commands.h"

const cli_command *const cli_commands[] = {
    &cli_cmd_create,
    &cli_cmd_append,
    &cli_cmd_write_manifest,
    &cli_cmd_write_manifest_list,
    &cli_cmd_commit,
    &cli_cmd_delete,
    &cli_cmd_overwrite,
    &cli_cmd_rebuild_stats,
    &cli_cmd_replace,
    &cli_cmd_alter,
    &cli_cmd_properties,
    &cli_cmd_refs,
    &cli_cmd_rollback,
    &cli_cmd_plan,
    &cli_cmd_estimate,
    &cli_cmd_stats,
    &cli_cmd_audit,
    &cli_cmd_inspect,
    &cli_cmd_dump,
    &cli_cmd_cache,
    &cli_cmd_help,
    NULL,
};

const cli_command *cli_command_find(const char *name) {
    for (size_t i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    return NULL;
}

lake_status cli_unknown_command(const char *name, lake_error *err) {
    /* Commands of the design that this version does not have. */
    static const char *const later[] = {
        "row-delta",
        "rewrite-manifests",
        "expire-snapshots",
        "remove-orphans",
        "refs",
        "rollback",
        "properties",
        "alter",
        "register",
        "drop",
        "list",
        "report",
    };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(name, later[i]) == 0)
            return cli_fail(err, LAKE_ERR_USAGE, "%s: not yet supported by this version", name);
    cli_nearest best = {0};
    for (size_t i = 0; cli_commands[i]; i++)
        cli_nearest_try(&best, name, cli_commands[i]->name);
    if (best.name)
        return cli_fail(err, LAKE_ERR_USAGE, "%s: unknown command; did you mean %s?", name, best.name);
    return cli_fail(err, LAKE_ERR_USAGE, "%s: unknown command; `lakectl help` lists them", name);
}

static lake_status dispatch(cli *c, lake_error *err) {
    if (c->globals.version) {
        cli_outf("lakectl %s\n", lake_version());
        return LAKE_OK;
    }
    if (c->globals.help) {
        if (c->command && c->command != &cli_cmd_help)
            cli_help_command(c->command);
        else
            cli_help_all();
        return LAKE_OK;
    }
    if (!c->command)
        return cli_fail(err, LAKE_ERR_USAGE, "no command is given; `lakectl help` lists them");
    lake_status status = cli_globals_complete(c, err);
    if (status)
        return status;
    cli_progress_init(&c->globals);
    cli_color_init(&c->globals);
    return c->command->run(c, err);
}

/* A usage error in the command line itself must know --error-format, wherever it stands. */
static void find_error_format(cli *c, int argc, char **argv) {
    const char *env = getenv("LAKE_ERROR_FORMAT");
    c->globals.error_format = env && strcmp(env, "json") == 0 ? "json" : NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--error-format=json") == 0 ||
            (strcmp(argv[i], "--error-format") == 0 && i + 1 < argc && strcmp(argv[i + 1], "json") == 0))
            c->globals.error_format = "json";
}

int main(int argc, char **argv) {
    cli c = {0};
    lake_error err;
    lake_error_init(&err);
    cli_signals_init();
    find_error_format(&c, argc, argv);
    lake_status status = cli_parse(&c, argc, argv, &err);
    if (!status)
        status = dispatch(&c, &err);
    lake_session_close(c.session);
    lake_error flush_error;
    lake_status flushed = cli_out_flush(&flush_error);
    cli_progress_clear();
    if (cli_out_broken_pipe()) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (!status && flushed) {
        status = flushed;
        err = flush_error;
        if (c.committed)
            strncat(err.message, " (the commit is done)", sizeof err.message - strlen(err.message) - 1);
    }
    if (status)
        cli_error_print(&c, &err);
    cli_kept_free();
    return status ? cli_exit_status(status) : c.answer_is_no;
}
