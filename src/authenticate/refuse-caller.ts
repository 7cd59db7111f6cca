import { refuse, type Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import type { HeldCredential } from '../store/credential-source.ts';

/**
 * Refuses a caller whose App Key is unknown or whose proof is wrong. `held` is whoever has the App Key, null for nobody: the
 * log names them, the caller learns nothing.
 *
 * While the store cannot know of every App Key, those that it does not know of get 503, and then so does everybody who is refused:
 * whose App Key is known must not show (spec §3). Not in `mode: observe`, which lets callers through whatever is wrong with them.
 */
export function refuseCaller({ endpoint, snapshot }: Routed, refusal: Refusal, held: HeldCredential | null): Refusal {
  if (snapshot.credentials.canKnow() || endpoint.options.mode === 'observe') return nameCaller(refusal, held);
  const detail = `not every App Key can be looked up at the moment; otherwise: ${refusal.detail}`;
  return nameCaller(refuse('STORE_UNAVAILABLE', detail), held);
}

/** Notes in a refusal who it is about, for the log. Those about nobody are made in the same way, so that they take as long. */
export function nameCaller(
  { refused, detail, stringToSign, exceeded }: Refusal,
  about: HeldCredential | null,
): Refusal {
  if (stringToSign !== undefined) return { refused, detail, about, stringToSign };
  if (exceeded !== undefined) return { refused, detail, about, exceeded };
  return { refused, detail, about };
}
