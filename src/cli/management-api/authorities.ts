import type { Environment } from '../../base/environment.ts';
import { readWholeFile } from '../../base/files/read-whole-file.ts';
import { settings } from '../../gateway/config.ts';
import { readCertificates, TlsProblem } from '../../wire/tls/certificates.ts';
import { UsageError } from '../failure.ts';

const MAX_AUTHORITIES_BYTES = 1024 * 1024;

/** The authorities of `POSTERN_STORE_CA`, as PEM; null without it. Rejects with `UsageError` for what are none. */
export async function readAuthorities(environment: Environment): Promise<Buffer | null> {
  const { name } = settings.storeCa;
  const path = environment[name] ?? '';
  if (path === '') return null;
  const file = await readWholeFile(path, MAX_AUTHORITIES_BYTES);
  if (file.kind !== 'read') {
    throw new UsageError(`${name}: ${file.kind === 'faulty' ? file.message : 'the file keeps changing'}`);
  }
  const pem = Buffer.from(file.text, 'utf8');
  try {
    readCertificates(pem);
  } catch (error) {
    if (!(error instanceof TlsProblem)) throw error;
    throw new UsageError(`${name}: the file ${error.message}`);
  }
  return pem;
}
