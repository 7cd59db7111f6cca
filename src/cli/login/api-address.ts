import { readFileSync } from 'node:fs';
import { parseOrigin } from '../../base/config-values.ts';
import type { Environment } from '../../base/environment.ts';
import { codeOf } from '../../base/files/fingerprint.ts';
import { UsageError } from '../failure.ts';

/** A management API. */
export interface Api {
  /** Scheme, host and port. */
  readonly origin: string;
  /** PEM of the authorities that are trusted instead of the system's; null for those. */
  readonly authorities: Buffer | null;
}

/** The management API of `--store` or `POSTERN_STORE`. Throws `UsageError` for any other store. */
export function findApi(store: string | undefined, environment: Environment): Api {
  const name = store === undefined ? 'POSTERN_STORE' : '--store';
  const text = (store ?? environment['POSTERN_STORE'] ?? '').replace(/\/$/, '');
  if (/^https?:/i.test(text)) {
    const url = parseOrigin(text);
    if (!('fault' in url)) return apiAt(url.origin, environment);
    throw new UsageError(`${name}: the address of the management API ${url.fault}`);
  }
  const found = text === '' ? 'names no store' : 'is not the address of a management API';
  throw new UsageError(`${name} ${found}: people sign in there only; give --store https://HOST:9004`);
}

/** The API of an origin, with the authorities of `POSTERN_STORE_CA`. Throws `UsageError` where they cannot be read. */
export function apiAt(origin: string, environment: Environment): Api {
  const path = environment['POSTERN_STORE_CA'] ?? '';
  return { origin, authorities: path === '' ? null : readAuthorities(path) };
}

function readAuthorities(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`POSTERN_STORE_CA: ${path} cannot be read (${codeOf(error)})`, { cause: error });
  }
}
