import { parseOrigin } from '../../base/config-values.ts';
import type { Environment } from '../../base/environment.ts';
import { UsageError } from '../failure.ts';

/** The management API of `--store` or `POSTERN_STORE`. Throws `UsageError` for any other store. */
export function findApi(store: string | undefined, environment: Environment): URL {
  const name = store === undefined ? 'POSTERN_STORE' : '--store';
  const text = (store ?? environment['POSTERN_STORE'] ?? '').replace(/\/$/, '');
  if (/^https?:/i.test(text)) {
    const url = parseOrigin(text);
    if (!('fault' in url)) return url;
    throw new UsageError(`${name}: the address of the management API ${url.fault}`);
  }
  const found = text === '' ? 'names no store' : 'is not the address of a management API';
  throw new UsageError(`${name} ${found}: people sign in there only; give --store https://HOST:9004`);
}
