import type { Credential } from '../model/credential.ts';
import { firstCertificateEndOf } from '../model/certificate-ends.ts';
import { type Ending, type EndingCredential, endingsOf } from '../model/ending.ts';
import type { Grant } from '../model/grant.ts';
import { formerEndOf, type Material } from '../model/material.ts';
import { grantId } from './grant.ts';

/** Resources that can end. */
interface EndingResources {
  readonly credentials: readonly Credential[];
  readonly grants: readonly Grant[];
}

/** When what a credential proves with ends, beside the credential itself. */
export function endsOf(material: Material): Pick<EndingCredential, 'formerSecretEndsAt' | 'certificateEndsAt'> {
  return { formerSecretEndsAt: formerEndOf(material), certificateEndsAt: firstCertificateEndOf(material) };
}

/** What of these ends some day. */
export function endingsIn({ credentials, grants }: EndingResources): readonly Ending[] {
  const ofGrant = (grant: Grant): readonly Ending[] => {
    const { expiresAt } = grant;
    return expiresAt === null ? [] : [{ kind: 'grant', id: grantId(grant), notBefore: null, expiresAt }];
  };
  return [
    ...credentials.flatMap((each) => endingsOf({ ...each, ...endsOf(each.material) })),
    ...grants.flatMap(ofGrant),
  ];
}
