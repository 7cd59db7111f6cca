import type { History } from './history.ts';

/** Runs a command that must succeed, and gives what it prints. */
type Postern = (...args: readonly string[]) => Promise<string>;

/** What resources are at the end, as operators list them. */
export async function readFinal(postern: Postern): Promise<History['final']> {
  const consumers = JSON.parse(await postern('consumer', 'list', '-o', 'json')) as readonly {
    readonly id: string;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
  const credentials = JSON.parse(await postern('credential', 'list', '-o', 'json')) as readonly {
    readonly id: string;
    readonly state: string;
  }[];
  return new Map([
    ...consumers.map(({ id, labels }) => [`consumer/${id}`, labels?.['count'] ?? ''] as const),
    ...credentials.map(({ id, state }) => [`credential/${id}`, state] as const),
  ]);
}

/** What was counted, as `postern usage` says at the end. */
export async function readCounted(postern: Postern): Promise<History['counted']> {
  const { rows } = JSON.parse(await postern('usage', '--by', 'consumer', '-o', 'json')) as {
    readonly rows: readonly { readonly consumer: string; readonly allowed: number }[];
  };
  return new Map(rows.map(({ consumer, allowed }) => [consumer, allowed]));
}
