import picocolors from 'picocolors';
import { isSameFile, openOutput } from '../../files/output-file.ts';
import { FileFault } from '../../files/replace-file.ts';
import { declaredDocument, importKong } from '../../import/kong/import-kong.ts';
import { replaceInvisible } from '../../document/source-text.ts';
import { readSources } from '../document/read-sources.ts';
import { reportFailure } from '../partner/report-failure.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import type { ImportKongFlags } from './kong.ts';
import { describeFindings, renderFindings } from './render-findings.ts';

/** Reads Kong's file, writes the document, and tells what differs. */
export async function runImportKong(flags: ImportKongFlags, terminal: Terminal): Promise<ExitCode> {
  try {
    return await run(flags, terminal);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    return reportFailure('postern import kong', error, terminal);
  }
}

async function run(flags: ImportKongFlags, terminal: Terminal): Promise<ExitCode> {
  const { out, err } = terminal;
  const named = [flags.to, flags.report].flatMap((file) => file ?? []);
  for (const [index, file] of named.entries()) {
    if (await isSameFile(file, flags.file)) {
      err.write('postern: --to and --report would replace the file that is read; name another one\n');
      return exitCodes.usage;
    }
    if (index > 0 && (await isSameFile(file, named[0] ?? ''))) {
      err.write('postern: --to and --report name the same file; name another one for the report\n');
      return exitCodes.usage;
    }
  }
  // Both hold what only the owner should read: the document may have secrets, and the report names partners.
  const document = flags.to === undefined ? null : await openOutput(flags.to, 'owner');
  const report = flags.report === undefined ? null : await openOutput(flags.report, 'owner');
  const { sources } = await readSources([flags.file]);
  const [source] = sources;
  if (source === undefined) throw new Error('no file was read');
  const result = importKong(source, {
    sharedLimits: flags.sharedLimits,
    elsewhere: new Set(flags.elsewhere ?? []),
    wholeSegments: flags.wholeSegments === true,
    slashOptional: flags.slashOptional === true,
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
  const pieces = declaredDocument(imported, flags.output);
  if (document === null) for await (const piece of pieces) out.write(piece);
  else await document.write(pieces);
  await report?.write(reportOf(flags.report ?? ''));
  err.write(renderFindings(imported, colors));
  return imported.counts.error > 0 && flags.allowPartial !== true ? exitCodes.failed : exitCodes.done;

  async function* reportOf(name: string): AsyncGenerator<string> {
    yield await Promise.resolve(name.endsWith('.json') ? describeFindings(imported) : renderFindings(imported));
  }
}
