import type { PlainProblem } from '../../document/read-plain.ts';
import type { Change } from '../../manage/change.ts';
import type { Planned } from '../../manage/planned.ts';
import { Conflict } from '../../manage/resource-store.ts';
import { UsageError } from '../partner/usage-error.ts';

/** The flag that sets what a path of the declared resource leads to, such as `--host` for `match.hosts[0]`; null for none. */
export type FlagOf = (path: string) => string | null;

/** The changes of a plan. Throws `UsageError`, which tells every problem by its flag, or `Conflict`. */
export function changesOf(planned: Planned, flagOf: FlagOf): readonly Change[] {
  if ('changes' in planned) return planned.changes;
  if ('conflict' in planned) throw new Conflict(planned.conflict);
  const told = planned.problems.map((problem) => tell(problem, flagOf));
  throw new UsageError(
    told.length === 1 ? told.join() : `these flags are wrong:\n${told.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** What is missing is told at the place where it is missing; the flag that is missing is that of the name in the words. */
function tell({ path, message }: PlainProblem, flagOf: FlagOf): string {
  const missing = /^"(\w+)" is missing/.exec(message)?.[1];
  const flag = flagOf(missing === undefined ? path : `${path === '' ? '' : `${path}.`}${missing}`);
  if (flag === null) return message;
  return missing === undefined ? `${flag}: ${message}` : `${flag} is missing`;
}
