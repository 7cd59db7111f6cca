import { settings } from '../../gateway/config.ts';
import type { Environment } from '../../base/environment.ts';
import { UsageError } from '../failure.ts';
import { findStore, isStoreUnnamed, requireDefaultFile } from './open-store.ts';

/** The file that `serve` would serve. Throws `UsageError` where it would serve another store, or a missing default. */
export function findServedFile(environment: Environment): string {
  const location = findStore(undefined, environment);
  if (location.kind === 'file') {
    if (isStoreUnnamed(undefined, environment)) requireDefaultFile(location.path);
    return location.path;
  }
  const { name } = settings.store;
  const what = location.kind === 'api' ? 'a management API' : 'a database; "postern doctor --deep" looks through that';
  throw new UsageError(`name the files to check: ${name} is ${what}`);
}
