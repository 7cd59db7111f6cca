import { type Attachment } from '../../../support/attachments/attachment.ts';
import { type Chain, useChain } from '../../../support/stack/chain.ts';
import { answersOfOthersCases } from './answers-of-others.ts';
import { bodyLimitCases } from './body-limit.ts';
import { callerAddressCases } from './caller-address.ts';
import { guardCases } from './guard.ts';
import { identityCases } from './identity.ts';
import { localReplyCases } from './local-reply.ts';
import { refusalCases } from './refusal.ts';
import { requestViewCases } from './request-view.ts';
import { unwrapCases } from './unwrap.ts';

const chainCases: Readonly<Record<string, (attachment: Attachment, shared: Chain) => void>> = {
  'answers-of-others': answersOfOthersCases,
  'body-limit': bodyLimitCases,
  'caller-address': callerAddressCases,
  guard: guardCases,
  identity: identityCases,
  'local-reply': localReplyCases,
  refusal: refusalCases,
  'request-view': requestViewCases,
  unwrap: unwrapCases,
};

/** What {@link allChainCases} can be asked for. */
export const chainCaseNames: readonly string[] = Object.keys(chainCases);

/**
 * Everything that the filter chain has to stand, whoever generated it, or the cases of these names. Those that change
 * neither its configuration nor what stands around it share one.
 */
export function allChainCases(attachment: Attachment, names = chainCaseNames): void {
  const shared = useChain({ attachment });
  for (const name of names) chainCases[name]?.(attachment, shared);
}
