import { type Command, InvalidArgumentError, Option } from 'commander';
import { sharedLimitChoices, type SharedLimits } from '../../import/kong/import-options.ts';
import { importedAuthentication, kindOfPlugin } from '../../import/kong/plugin-kinds.ts';
import type { ExitCode, Terminal } from '../terminal.ts';

/** The flags of `postern import kong`. */
export interface ImportKongFlags {
  readonly file: string;
  readonly output: 'yaml' | 'json';
  readonly to?: string;
  readonly report?: string;
  readonly allowPartial?: true;
  readonly sharedLimits: SharedLimits;
  readonly elsewhere?: readonly string[];
  readonly wholeSegments?: true;
  readonly slashOptional?: true;
  readonly complete?: true;
  readonly observe?: true;
}

/** Adds `postern import kong`. */
export function registerImportKong(group: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  group
    .command('kong')
    .description(
      'Turn Kong’s declarative configuration, such as "deck gateway dump" writes, into a declarative document.',
    )
    .requiredOption('-f, --file <file>', 'the configuration of Kong, in YAML or JSON')
    .addOption(
      new Option('-o, --output <format>', 'how to write the document').choices(['yaml', 'json']).default('yaml'),
    )
    .option('--to <file>', 'write this file, or to this pipe or device; only the owner can read the file')
    .option('--report <file>', 'write what differs into this file too; as JSON when its name ends with .json')
    .option('--allow-partial', 'exit code 0 although something was refused or left out')
    .addOption(
      new Option('--shared-limits <how>', 'a limit that several routes share: refuse, each has it, or its share of it')
        .choices([...sharedLimitChoices])
        .default('refuse'),
    )
    .option('--elsewhere <plugin>', 'this plugin’s work is done elsewhere, such as in Envoy; repeatable', collectPlugin)
    .option('--whole-segments', 'no back end has paths such as /orders2 where Kong has the path /orders')
    .option('--slash-optional', 'where Kong has the path /orders/, that route may decide /orders too')
    .option('--observe', 'endpoints only record what they would decide, while Kong behind them decides')
    .option('--complete', 'the file is the whole configuration, though it was selected by tags')
    .addHelpText(
      'after',
      `
The document lets nobody in whom Kong keeps out: what Postern cannot judge becomes an endpoint that refuses everything
(enabled: false), or is left out. Each such thing is an error on standard error, with its place in the file, why, and what
to do instead; warnings are what callers or back ends may notice. The document is written in any case.

It holds secrets when the file does. They are not printed to a terminal: give --to, or a pipe.

Examples:
  $ postern import kong -f kong.yaml --to postern.yaml
  $ postern import kong -f kong.yaml --to postern.yaml --report report.txt --shared-limits each --elsewhere ip-restriction
  $ postern validate -f postern.yaml

Exit codes: 0 done, 1 errors, or the file is no configuration of Kong, 2 usage.`,
    )
    .action(async (flags: ImportKongFlags) => {
      const { runImportKong } = await import('./run-import-kong.ts');
      finish(await runImportKong(flags, terminal));
    });
}

const PLUGIN_NAME = /^[\w-]{1,100}$/;

function collectPlugin(name: string, names: readonly string[] | undefined): readonly string[] {
  if (!PLUGIN_NAME.test(name)) throw new InvalidArgumentError('must be the name of a plugin, such as ip-restriction.');
  const { kind } = kindOfPlugin(name);
  if (kind === 'restricting' || kind === 'limit') return [...(names ?? []), name];
  throw new InvalidArgumentError(
    kind === 'authentication' || kind === 'other-authentication' || kind === 'acl'
      ? `who gets in is decided here: it cannot be for ${[...importedAuthentication, 'acl'].join(', ')} and the like.`
      : 'it is not needed for this plugin.',
  );
}
