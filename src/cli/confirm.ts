import { UsageError } from './partner/usage-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks whether to go on with something that cannot be undone (interfaces §5); only `y` and `yes` mean that. Throws
 * {@link UsageError} where there is nobody to ask: such commands need `--yes`.
 */
export async function confirm(question: string, { ask }: Pick<Terminal, 'ask'>): Promise<boolean> {
  if (ask === undefined || ask === null) throw new UsageError('there is no terminal to ask at; add --yes');
  return /^\s*y(es)?\s*$/i.test(await ask(`${question} [y/N] `));
}
