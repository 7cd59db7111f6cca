import { type Attachment } from '../../../support/attachments/attachment.ts';
import { bodyLimitCases } from './body-limit.ts';
import { callerAddressCases } from './caller-address.ts';
import { guardCases } from './guard.ts';
import { identityCases } from './identity.ts';
import { localReplyCases } from './local-reply.ts';
import { refusalCases } from './refusal.ts';
import { requestViewCases } from './request-view.ts';
import { unwrapCases } from './unwrap.ts';

/** Everything that the filter chain has to stand, whoever generated it. */
export const chainCases: Readonly<Record<string, (attachment: Attachment) => void>> = {
  'body-limit': bodyLimitCases,
  'caller-address': callerAddressCases,
  guard: guardCases,
  identity: identityCases,
  'local-reply': localReplyCases,
  refusal: refusalCases,
  'request-view': requestViewCases,
  unwrap: unwrapCases,
};
