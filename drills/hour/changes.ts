import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from '../../test/support/fleet/fleet.ts';
import { type Callers, editionOf } from './callers.ts';

/** Characters of why a change was not made. */
const MOST_SHOWN = 200;

/** What operators do all the time. */
export interface ChangesOptions {
  readonly fleet: Fleet;
  readonly callers: Pick<Callers, 'rotate'>;
  readonly api: { readonly port: number; readonly token: string };
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** How many changes of a way were made, and how many were not and why, as while MongoDB elects. */
export interface ChangesReport {
  readonly made: ReadonlyMap<string, number>;
  readonly refused: ReadonlyMap<string, number>;
}

/** Rotates by a command, edits by the API and applies a file, in turn, until the signal is given. */
export async function changeAllTheTime(options: ChangesOptions): Promise<ChangesReport> {
  const { fleet, callers, api, everyMs, signal } = options;
  const path = join(fleet.folder, 'edition.yaml');
  const ways: readonly (readonly [name: string, change: (count: number) => Promise<unknown>])[] = [
    ['command', () => callers.rotate()],
    ['API', (count) => edit(api, `edition ${String(count)}`)],
    [
      'apply',
      async (count) => {
        await writeFile(path, editionOf(count));
        await fleet.postern('apply', '-f', path);
      },
    ],
  ];
  const made = new Map<string, number>();
  const refused = new Map<string, number>();
  const note = (into: Map<string, number>, key: string): void => {
    into.set(key, (into.get(key) ?? 0) + 1);
  };
  for (let count = 1; !signal.aborted; count += 1) {
    for (const [name, change] of ways) {
      await change(count).then(
        () => {
          note(made, name);
        },
        (error: unknown) => {
          const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
          note(refused, `${name}: ${why.slice(0, MOST_SHOWN)}`);
        },
      );
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return { made, refused };
}

async function edit({ port, token }: ChangesOptions['api'], name: string): Promise<void> {
  const url = `http://127.0.0.1:${String(port)}/v1/consumers/edited`;
  const authorization = `Bearer ${token}`;
  const found = await fetch(url, { headers: { authorization } });
  const revision = found.headers.get('etag');
  if (!found.ok || revision === null) throw new Error(`GET /v1/consumers/edited: ${String(found.status)}`);
  const headers = { authorization, 'if-match': revision, 'content-type': 'application/merge-patch+json' };
  const edited = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify({ name }) });
  if (!edited.ok) throw new Error(`PATCH /v1/consumers/edited: ${String(edited.status)} ${await edited.text()}`);
}
