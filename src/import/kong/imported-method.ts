import type { Declared } from '../../resources/declared.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { FindingLog } from './finding.ts';
import type { KongPlugin } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';

/** How an endpoint authenticates, from a plugin. */
export interface ImportedMethod {
  readonly method: AuthenticationMethod;
  readonly options: Declared;
}

/** Reads one authentication plugin; null when nothing of it can be taken over, which has been told. */
export type ReadMethod = (
  plugin: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
) => ImportedMethod | null;

/** Kong's default is to show credentials to back ends, Postern's to hide them: what Kong does is kept. */
export function hideCredentials(config: KongPlugin['config'], reader: KongReader): Declared {
  return reader.flag(config, 'hide_credentials', false) ? {} : { hideCredentials: false };
}
