import type { Endpoint } from '../model/endpoint.ts';
import type { RefusalCode } from '../refusal.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { metadataEntry } from './check-response.ts';
import type { WireText } from './wire-text.ts';

/** What Envoy's access log and later filters may know of a decision (interfaces §6). */
export function decisionMetadata(
  code: RefusalCode | 'ALLOWED',
  endpoint: Endpoint | null,
  caller: HeldCredential | null,
): WireText {
  let entries = metadataEntry('code', code);
  if (endpoint !== null) {
    entries += metadataEntry('endpoint', endpoint.id);
    if (endpoint.authentication !== null) entries += metadataEntry('authentication', endpoint.authentication);
  }
  if (caller !== null) {
    entries += metadataEntry('consumer', caller.consumer.id) + metadataEntry('credential', caller.credential.id);
  }
  return entries;
}
