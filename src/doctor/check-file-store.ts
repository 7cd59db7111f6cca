import type { Environment } from '../config.ts';
import type { DocumentContent } from '../document/document-content.ts';
import { parseDocument } from '../document/parse-document.ts';
import { formatProblem } from '../document/problem.ts';
import { secretReader } from '../document/secret-source.ts';
import { readWholeFile } from '../store/file/read-whole-file.ts';
import { fault, fine, type Finding } from './finding.ts';
import { warnOfReaders } from './warn-of-readers.ts';

/** Reads the declarative file as `serve` would, with its secrets, and tells who else can read them. */
export async function checkFileStore(path: string, environment: Environment): Promise<readonly Finding[]> {
  const subject = `store file:${path}`;
  const read = await readWholeFile(path);
  if (read.kind !== 'read') {
    const message = read.kind === 'faulty' ? read.message : 'the file keeps changing';
    return [fault(subject, message, 'name another file with POSTERN_STORE or --store, or mend this one')];
  }
  const secretFiles = new Set<string>();
  const readSecret = secretReader({ environment, onFile: (file) => secretFiles.add(file) });
  const parsed = parseDocument([{ file: path, text: read.text }], { isComplete: true, readSecret });
  if ('problems' in parsed) {
    return parsed.problems.map((problem) =>
      fault(subject, formatProblem(problem), `mend it; "postern validate -f ${path}" shows the line`),
    );
  }
  const { endpoints, consumers, credentials, grants } = parsed.content;
  const counts = Object.entries({ endpoints, consumers, credentials, grants });
  const warnings = [
    ...(holdsSecrets(parsed.content, read.text) ? [warnOfReaders(path, 'secrets of partners')] : []),
    ...[...secretFiles].map(async (file) => await warnOfReaders(file, 'an App Secret')),
  ];
  return [
    fine(subject, `is valid: ${counts.map(([name, list]) => `${String(list.length)} ${name}`).join(', ')}`),
    ...(await Promise.all(warnings)).flat(),
  ];
}

/** App Keys of method `key` are secrets; App Secrets may be elsewhere (`appSecretFrom`). */
function holdsSecrets({ credentials }: DocumentContent, text: string): boolean {
  return credentials.some(({ methods }) => methods.includes('key')) || /\bappSecret["']?\s*:/.test(text);
}
