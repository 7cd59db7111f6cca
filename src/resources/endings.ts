import type { Credential } from '../model/credential.ts';
import { type Ending, endingsOf } from '../model/ending.ts';
import type { Grant } from '../model/grant.ts';
import { formerEndOf } from '../model/material.ts';
import { grantId } from './grant.ts';

/** Resources that can end. */
interface EndingResources {
  readonly credentials: readonly Credential[];
  readonly grants: readonly Grant[];
}

/** What of these ends some day. */
export function endingsIn({ credentials, grants }: EndingResources): readonly Ending[] {
  const ofGrant = (grant: Grant): readonly Ending[] => {
    const { expiresAt } = grant;
    return expiresAt === null ? [] : [{ kind: 'grant', id: grantId(grant), notBefore: null, expiresAt }];
  };
  return [
    ...credentials.flatMap((each) => endingsOf({ ...each, formerSecretEndsAt: formerEndOf(each.material) })),
    ...grants.flatMap(ofGrant),
  ];
}
