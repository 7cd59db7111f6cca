import type { KeptContext } from '../../partners/explain/kept-refusal.ts';
import { readKept } from '../../partners/explain/read-kept.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import type { CommandContext } from '../command.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import type { OpenedStore } from '../opened-store.ts';
import { compareGivenSecret } from '../../partners/explain/given-secret.ts';

/** What the store knows today of a refusal. `secretFrom` (`--secret-from`) is compared with the stored App Secrets. */
export async function readContext(
  record: RefusalRecord,
  endpoint: Endpoint | null,
  secretFrom: string | undefined,
  store: OpenedStore,
  { terminal: { environment } }: CommandContext,
): Promise<KeptContext & { readonly secretNote: string | null }> {
  const kept = await readKept(record, endpoint, store);
  const given = secretFrom === undefined ? null : readSecretArgument(secretFrom, environment);
  if (given === null) return { ...kept, givenSecret: null, secretNote: null };
  const { which, note } = compareGivenSecret(given, kept.held?.credential ?? null);
  return { ...kept, givenSecret: which, secretNote: note };
}
