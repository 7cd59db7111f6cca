import { type Command, Option } from 'commander';
import type { CommandPorts } from './command-ports.ts';
import type { ExportFlags } from './export/export-document.ts';
import { collectId } from './flags/parse-id.ts';
import { timeoutOption } from './flags/store-options.ts';
import type { ExitCode, Terminal } from './terminal.ts';

/** Adds `postern export`. */
export function registerExport(
  program: Command,
  terminal: Terminal,
  finish: (code: ExitCode) => void,
  ports: CommandPorts,
): void {
  program
    .command('export')
    .description('Print the store, or a part of it, as a declarative document.')
    .option('--endpoint <id>', 'only this endpoint, with its grants; repeatable', collectId)
    .option('--consumer <id>', 'only this consumer, with its credentials and grants; repeatable', collectId)
    .option('--with-secrets', 'with App Secrets, and App Keys of method key')
    .option('--to <file>', 'write this file, or to this pipe or device; with secrets, only the owner can read the file')
    .addOption(new Option('-o, --output <format>', 'how to write').choices(['yaml', 'json']).default('yaml'))
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
The document says of everything whether it is enabled, and the state of every credential. Without secrets, it can be applied to the same store again, which keeps its secrets. With them, it makes the
same state in an empty database. Of a file store, it is the file in its normal form.

Examples:
  $ postern export > postern.yaml
  $ postern export --with-secrets --to backup.yaml
  $ postern export --consumer acme -o json

Exit codes: 0 done, 1 failed, 2 usage, 3 there is no such endpoint or consumer, 5 the store is unreachable.`,
    )
    .action(async (flags: ExportFlags) => {
      const { exportDocument } = await import('./export/export-document.ts');
      finish(await exportDocument(flags, { ...ports, terminal, finish }));
    });
}
