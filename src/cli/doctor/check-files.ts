import type { Environment } from '../../base/environment.ts';
import { takeAppKeyAlone } from '../../check/methods/methods.ts';
import { type DocumentContent, MAX_DOCUMENT_BYTES, parseDocument } from '../../resources/parse-document.ts';
import { formatProblem } from '../../model/document/problem.ts';
import { secretReader } from '../../resources/secret-source.ts';
import { findOthersAccess, readWholeFile } from '../../base/files/read-whole-file.ts';
import { readKeyRing } from '../../model/keyring/read-key-ring.ts';
import { formatKeyRingLocation, type KeyRingLocation } from '../../model/keyring/ring-location.ts';
import { count } from '../../base/text/printable.ts';
import { fault, fine, type Finding, warning } from '../../base/finding.ts';

/** Reads the declarative file as `serve` would, with its secrets, and reports who else can read them. */
export async function checkFileStore(path: string, environment: Environment): Promise<readonly Finding[]> {
  const subject = `store file:${path}`;
  const read = await readWholeFile(path, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') {
    const message = read.kind === 'faulty' ? read.message : 'the file keeps changing';
    return [fault(subject, message, 'name another file with POSTERN_STORE or --store, or fix this one')];
  }
  const secretFiles = new Set<string>();
  const readSecret = secretReader({ environment, onFile: (file) => secretFiles.add(file) });
  const parsed = parseDocument([{ file: path, text: read.text }], { isComplete: true, readSecret });
  if ('problems' in parsed) {
    return parsed.problems.map((problem) =>
      fault(subject, formatProblem(problem), `fix it; "postern validate -f ${path}" shows the line`),
    );
  }
  const { endpoints, consumers, credentials, grants, plans, issuers } = parsed.content;
  const counts = Object.entries({
    endpoint: endpoints,
    consumer: consumers,
    credential: credentials,
    grant: grants,
    ...(plans.length === 0 ? {} : { plan: plans }),
    ...(issuers.length === 0 ? {} : { issuer: issuers }),
  });
  const warnings = [
    ...(holdsSecrets(parsed.content, read.text) ? [warnOfReaders(path, 'secrets of partners')] : []),
    ...[...secretFiles].map(async (file) => await warnOfReaders(file, 'an App Secret')),
  ];
  return [
    fine(subject, `is valid: ${counts.map(([name, list]) => count(list.length, name)).join(', ')}`),
    ...(await Promise.all(warnings)).flat(),
  ];
}

/** App Keys of method `key` are secrets; App Secrets may be elsewhere (`appSecretFrom`). */
function holdsSecrets({ credentials }: DocumentContent, text: string): boolean {
  return credentials.some(({ methods }) => takeAppKeyAlone(methods)) || /\bappSecret["']?\s*:/.test(text);
}

/** Reads the key ring as `serve` would, and reports who else can. No finding holds a key. */
export async function checkKeyRing(location: KeyRingLocation, environment: Environment): Promise<readonly Finding[]> {
  const subject = `key ring ${formatKeyRingLocation(location)}`;
  const found = await readKeyRing(location, environment);
  if (found.kind === 'changing') {
    return [warning(subject, 'it is being written to at this moment', 'run doctor again')];
  }
  if (found.kind === 'faulty') {
    const advice = found.isMissing
      ? 'put the key ring of this store there; "postern keyring create" makes one for a new store'
      : 'fix it, or put a copy of the right one there';
    return found.problems.map((problem) => fault(subject, formatProblem(problem), advice));
  }
  const { currentKeyId, keys } = found.content;
  const keyCount = keys.length === 1 ? 'one key' : count(keys.length, 'key');
  return [
    fine(subject, `holds ${keyCount}; ${currentKeyId} is the one in use`),
    ...found.warnings.map((text) => warning(subject, text, 'chmod 600 FILE')),
  ];
}

/**
 * Warns where others than the owner have access to a file that holds secrets; `holds` says what is in it, in a few
 * words.
 */
async function warnOfReaders(path: string, holds: string): Promise<readonly Finding[]> {
  const mode = await findOthersAccess(path);
  if (mode === null) return [];
  const message = `others than its owner have access to it (mode ${mode}), and it holds ${holds}`;
  return [warning(`file ${path}`, message, `chmod 600 ${path}`)];
}
