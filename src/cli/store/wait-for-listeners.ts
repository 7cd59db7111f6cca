import { setTimeout as delay } from 'node:timers/promises';
import { printable } from '../../base/text/printable.ts';

/** What an admin listener said last. */
export interface Asked {
  readonly url: URL;
  /** Whether the revision that is waited for is in force there. */
  readonly isThere: boolean;
  /** In words for people. */
  readonly said: string;
}

const LOOK_EVERY_MS = 250;
const ANSWER_MS = 2000;

/**
 * Asks admin listeners (`/readyz`) until all have a revision in force, at most so long. What was reached once counts.
 */
export async function waitForListeners(
  urls: readonly URL[],
  isReached: (revision: string) => boolean,
  timeoutMs: number,
): Promise<readonly Asked[]> {
  const deadline = AbortSignal.timeout(timeoutMs);
  let asked: readonly Asked[] = urls.map((url) => ({ url, isThere: false, said: 'not asked yet' }));
  for (;;) {
    asked = await Promise.all(asked.map(async (each) => (each.isThere ? each : await ask(each.url, isReached))));
    if (deadline.aborted || asked.every(({ isThere }) => isThere)) return asked;
    await delay(LOOK_EVERY_MS, undefined, { signal: deadline }).catch(() => undefined);
  }
}

async function ask(url: URL, isReached: (revision: string) => boolean): Promise<Asked> {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    const [, revision] = /^revision ([\da-f]+)$/m.exec(text) ?? [];
    if (revision === undefined) return { url, isThere: false, said: `says no revision: ${printable(text.trim())}` };
    return { url, isThere: isReached(revision), said: `revision ${printable(revision)}` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { url, isThere: false, said: 'does not answer' };
  }
}
