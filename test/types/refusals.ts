// Compiled, never run: each `@ts-expect-error` is a proof that the line below it does not compile.
import { refuse, type Refusal, type RefusalCode } from '../../src/refusal.ts';
import { type RefusalAnswer, refusalAnswers } from '../../src/respond/refusal-answers.ts';

const { INTERNAL: answered, ...others } = refusalAnswers;

/** The table as it is answers every code: this compiles. */
export const complete = { ...others, INTERNAL: answered } satisfies Record<RefusalCode, RefusalAnswer>;

// @ts-expect-error a code without an answer
export const incomplete = { ...others } satisfies Record<RefusalCode, RefusalAnswer>;

export const invented = {
  ...refusalAnswers,
  // @ts-expect-error an answer to a code that does not exist
  TEAPOT: { status: 418, message: 'I am a teapot.' },
} satisfies Record<RefusalCode, RefusalAnswer>;

export const silent = {
  ...others,
  // @ts-expect-error an answer without a message
  INTERNAL: { status: 500 },
} satisfies Record<RefusalCode, RefusalAnswer>;

// @ts-expect-error a refusal with a code that is not in the list
export const unlisted: Refusal = refuse('TEAPOT', '');

// @ts-expect-error a refusal without a reason for the log
export const unexplained: Refusal = { refused: 'INTERNAL' };
