// Compiled, never run: each `@ts-expect-error` is a proof that the line below it does not compile.
import { type RefusalAnswer, refusalAnswers, type RefusalCode, refuse, type Refusal } from '../../src/check/refusal.ts';

export const silent = {
  ...refusalAnswers,
  // @ts-expect-error an answer without a message
  INTERNAL: { status: 500 },
} satisfies Record<RefusalCode, RefusalAnswer>;

// @ts-expect-error a refusal with a code that is not in the list
export const unlisted: Refusal = refuse('TEAPOT', '');

// @ts-expect-error a refusal without a reason for the log
export const unexplained: Refusal = { refused: 'INTERNAL' };
