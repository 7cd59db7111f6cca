import type { RegisterVerbs } from '../command-context.ts';
import { registerLimitClear } from './clear.ts';
import { registerLimitSet } from './set.ts';

/** The verbs of `postern limit`. */
export const registerLimitVerbs: RegisterVerbs = (noun, context) => {
  registerLimitSet(noun, context);
  registerLimitClear(noun, context);
};
