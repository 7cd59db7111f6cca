import type { KeptContext } from '../../partners/explain/kept-refusal.ts';
import { readKept } from '../../partners/explain/read-kept.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Secret } from '../../model/secret.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import { equal } from '../../base/text/equal.ts';
import type { CommandContext } from '../command.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import type { OpenedStore } from '../opened-store.ts';

/** Reads what the store knows today of a refusal. `secretFrom`, the value of `--secret-from`, is compared with the stored App Secrets. */
export async function readContext(
  record: RefusalRecord,
  endpoint: Endpoint | null,
  secretFrom: string | undefined,
  store: OpenedStore,
  { terminal: { environment } }: CommandContext,
): Promise<KeptContext> {
  const kept = await readKept(record, endpoint, store);
  const given = secretFrom === undefined ? null : readSecretArgument(secretFrom, environment);
  const { credential = null } = kept.held ?? {};
  return { ...kept, givenSecret: given === null || credential === null ? null : whichSecret(given, credential) };
}

/** Null where the stored ones cannot be read here. */
function whichSecret(
  given: string,
  { appSecret, retiringSecret }: { appSecret: Secret | null; retiringSecret: { appSecret: Secret } | null },
): KeptContext['givenSecret'] {
  if (appSecret === null) return null;
  try {
    if (equal(Buffer.from(given), appSecret.reveal())) return 'current';
    return retiringSecret !== null && equal(Buffer.from(given), retiringSecret.appSecret.reveal())
      ? 'retiring'
      : 'other';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
}
