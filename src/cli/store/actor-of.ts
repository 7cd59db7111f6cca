import { userInfo } from 'node:os';
import { type Environment, settings } from '../../config.ts';
import { UsageError } from '../partner/usage-error.ts';

/** Who the audit trail says makes changes: `POSTERN_ACTOR`, or the login name. Throws `UsageError` where there is neither. */
export function actorOf(environment: Environment): string {
  const given = environment[settings.actor.name];
  if (given !== undefined && given !== '') return given;
  try {
    return userInfo().username;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new UsageError(`${settings.actor.name}: set it, because this system gives you no login name`, {
      cause: error,
    });
  }
}
