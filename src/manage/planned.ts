import type { PlainProblem } from '../document/read-plain.ts';
import type { Change } from './change.ts';

/**
 * What comes of a wish: the changes that fulfil it, none when all is as wished; what is wrong with the wish, by paths of
 * the declared resource; or why it cannot be fulfilled on what the store has now.
 */
export type Planned =
  | { readonly changes: readonly Change[] }
  | { readonly problems: readonly PlainProblem[] }
  | { readonly conflict: string };
