import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeAnswer } from '../frame/api-client.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import { hiddenField } from './form.ts';

/** The field with the key by which the API answers a form once. */
const FIELD = 'onceKey';
/** As {@link keyField} makes it. */
const KEY_PATTERN = /^[0-9a-f]{32}$/;

/** So long after a change the form that made it gets the same answer, as when its button was clicked twice. */
const ANSWERED_AGAIN_SECONDS = 10;
/** As long as the API tries to commit. */
const MAX_WAIT_MS = 20_000;
const ASK_AGAIN_MS = 50;

/** The key of a form; a new one where it has none. */
export function keyField(key: string): Html {
  return hiddenField(FIELD, key === '' ? randomBytes(16).toString('hex') : key);
}

/** The key that a form carries; empty for one that no page made: the API refuses a form with it. */
export function keyOfForm(form: Form): string {
  const key = form.text(FIELD);
  return KEY_PATTERN.test(key) ? key : '';
}

/** What came of a form with a key. */
export interface KeyedAnswer<T> {
  readonly answer: ChangeAnswer<T>;
  /** Whether the form was sent before, and nothing of the answer is to be shown again. */
  readonly isSentBefore: boolean;
}

/**
 * Sends a form until the first that was sent with its key is answered: of two clicks the browser shows the second one's
 * answer. Soon after the change that is the first answer; later, as after a reload, it is not shown again.
 */
export async function sendOnce<T>(send: () => Promise<ChangeAnswer<T>>): Promise<KeyedAnswer<T>> {
  const latest = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const answer = await send();
    const code = answer.problem?.code;
    if (code === 'IDEMPOTENCY_CONFLICT' && performance.now() < latest) {
      await delay(ASK_AGAIN_MS);
      continue;
    }
    if (answer.problem !== null) {
      return { answer, isSentBefore: code === 'IDEMPOTENCY_CONFLICT' || code === 'IDEMPOTENCY_MISMATCH' };
    }
    const isRepeated = answer.headers.get('idempotency-replayed') === 'true';
    const age = answer.headers.get('age');
    return { answer, isSentBefore: isRepeated && (age === null || Number(age) > ANSWERED_AGAIN_SECONDS) };
  }
}
