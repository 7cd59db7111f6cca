import { parseStore } from '../../base/config-values.ts';
import type { Environment } from '../../base/environment.ts';
import { UsageError } from '../failure.ts';
import { readAuthorities } from '../management-api/authorities.ts';
import type { Api } from '../management-api/exchange.ts';

/**
 * The management API of `--store` or `POSTERN_STORE`. Rejects with `UsageError` for any other store, and for
 * authorities that cannot be read.
 */
export async function findApi(store: string | undefined, environment: Environment): Promise<Api> {
  const name = store === undefined ? 'POSTERN_STORE' : '--store';
  const text = store ?? environment['POSTERN_STORE'] ?? '';
  const location = parseStore(text);
  if ('kind' in location && location.kind === 'api') return await apiAt(location.origin, environment);
  if ('fault' in location && /^https?:/i.test(text)) throw new UsageError(`${name} ${location.fault}`);
  const found = text === '' ? 'names no store' : 'is not the address of a management API';
  throw new UsageError(`${name} ${found}: people sign in there only; give --store https://HOST:9004`);
}

/** The API of an origin, with the authorities of `POSTERN_STORE_CA`. Rejects with `UsageError`. */
export async function apiAt(origin: string, environment: Environment): Promise<Api> {
  return { origin, authorities: await readAuthorities(environment) };
}
