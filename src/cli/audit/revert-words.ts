import type { RevertWords } from '../../resources/changes/revert/revert-words.ts';

/** What helps, as commands. */
export const commandWords: RevertWords = {
  revive: 'add --revive',
  changeOperator: '"postern operator"',
  deleteWhole: (kind, id) => `"postern ${kind} delete ${id}"`,
  issue: (consumerId, method) => `"postern credential issue --consumer ${consumerId} --method ${method}"`,
};
