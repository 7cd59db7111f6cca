import { attacks } from '../attacks.ts';
import { Assault, type AssaultReport } from './assault.ts';
import type { Target } from './service.ts';
import { answerQuestions } from './worker.ts';

/** What the process of the attackers is asked: to run an attack, or to close what the last one opened. */
export type AttackerQuestion =
  | { readonly kind: 'attack'; readonly name: string; readonly target: Target; readonly isShort: boolean }
  | { readonly kind: 'end' };

// The process of the attackers: their work is neither the service's nor that of good callers.
let assault: Assault | null = null;

answerQuestions(async (asked, note): Promise<AssaultReport | null> => {
  const question = asked as AttackerQuestion;
  if (question.kind === 'end') {
    assault?.end();
    return null;
  }
  const attack = attacks.find(({ name }) => name === question.name);
  if (attack === undefined) throw new Error(`there is no attack ${question.name}`);
  assault = new Assault(question.target, question.isShort, note);
  await attack.run(assault);
  return assault.report();
});
