import type { KeyCallRules } from '../../../../check/methods/presentation/guide.ts';
import type { SampleLanguage } from '../language.ts';

/** The call of a sample that signs with a private key, by what its language has of its own: no client does. */
export interface KeyCall extends KeyCallRules {
  /** The HTTP method. */
  readonly http: string;
  /** A JSON body; null for none. */
  readonly body: string | null;
}

/** What the sample of such a call is written in. */
export type KeyLanguage = SampleLanguage<KeyCall>;

/** The media type of the body. */
export const BODY_TYPE = 'application/json';

/** The parameters of the signature behind the nonce, as written. */
export function tagText({ tag }: KeyCall): string {
  return tag === '' ? '' : `;tag="${tag}"`;
}
