import { resolve } from 'node:path';
import picocolors from 'picocolors';
import { declaredDocument } from '../../import/kong/declared-document.ts';
import { importKong } from '../../import/kong/import-kong.ts';
import { replaceInvisible } from '../../document/source-text.ts';
import { readSources } from '../document/read-sources.ts';
import { writeFile } from '../export/write-file.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import type { ImportKongFlags } from './kong.ts';
import { describeFindings, renderFindings } from './render-findings.ts';

/** The document may hold secrets, and the report names partners: only the owner reads them. */
const OWNER_MODE = 0o600;

/** Reads Kong's file, writes the document, and tells what differs. */
export async function runImportKong(flags: ImportKongFlags, terminal: Terminal): Promise<ExitCode> {
  const { out, err } = terminal;
  if ([flags.to, flags.report].some((file) => file !== undefined && resolve(file) === resolve(flags.file))) {
    err.write('postern: --to and --report would replace the file that is read; name another one\n');
    return exitCodes.usage;
  }
  const { sources } = await readSources([flags.file]);
  const [source] = sources;
  if (source === undefined) throw new Error('no file was read');
  const result = importKong(source, {
    sharedLimits: flags.sharedLimits,
    elsewhere: new Set(flags.elsewhere ?? []),
    wholeSegments: flags.wholeSegments === true,
    isComplete: flags.complete === true,
    observes: flags.observe === true,
  });
  if ('problems' in result) {
    const { problems } = result;
    // Without the lines of the file: any of them may hold a secret.
    for (const { file, line, column, message } of problems) {
      err.write(`${replaceInvisible(`${file}:${String(line)}:${String(column)}: ${message}`)}\n`);
    }
    err.write(`${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}; nothing was written\n`);
    return exitCodes.failed;
  }
  const { imported } = result;
  if (flags.to === undefined && out.isTerminal && imported.holdsSecrets) {
    err.write('postern: the document holds secrets, which are not printed to a terminal: give --to FILE, or a pipe\n');
    return exitCodes.usage;
  }
  const colors = picocolors.createColors(err.isTerminal && (terminal.environment['NO_COLOR'] ?? '') === '');
  try {
    const pieces = declaredDocument(imported, flags.output);
    if (flags.to === undefined) for await (const piece of pieces) out.write(piece);
    else await writeFile(flags.to, pieces, OWNER_MODE);
    if (flags.report !== undefined) await writeFile(flags.report, reportOf(flags.report), OWNER_MODE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    err.write(`postern: the file cannot be written (${String(error.code)})\n`);
    return exitCodes.failed;
  }
  err.write(renderFindings(imported, colors));
  return imported.counts.error > 0 && flags.allowPartial !== true ? exitCodes.failed : exitCodes.done;

  async function* reportOf(name: string): AsyncGenerator<string> {
    yield await Promise.resolve(name.endsWith('.json') ? describeFindings(imported) : renderFindings(imported));
  }
}
