import { randomInt } from 'node:crypto';

const FIRST_MS = 100;
const MOST_MS = 3000;

/**
 * How long to wait before attempt `attempt`, counted from 0: twice as long each time, from 0.1 s to 3 s, less up to a
 * half by chance, so that replicas that lost a server at once do not come back at once.
 */
export function backOffMs(attempt: number): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return randomInt(most / 2, most + 1);
}
