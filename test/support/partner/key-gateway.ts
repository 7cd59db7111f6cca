import { publicKeyMaterial, type RetiringPublicKey } from '../../../src/model/material.ts';
import type { HttpSignatureOptions } from '../../../src/model/endpoint.ts';
import type { PublicKey } from '../../../src/model/public-key/public-key.ts';
import { testGateway, type TestGateway } from '../pipeline/gateway.ts';
import { consumer, credential, type CredentialParts, grant, partnerEndpoint } from '../pipeline/resources.ts';
import type { SignedParts } from './signed-gateway.ts';

/** The App Key of acme, which its software sends as `keyid`. */
export const ACME_KEY_ID = 'acme-public-key';

/** The credential of acme with a public key. */
export function keyCredential(
  publicKey: PublicKey,
  parts: CredentialParts & { readonly retiringPublicKey?: RetiringPublicKey } = {},
) {
  const { retiringPublicKey = null, ...others } = parts;
  return credential({
    id: 'acme-signer',
    methods: ['http-message-signature'],
    appKey: ACME_KEY_ID,
    material: publicKeyMaterial(publicKey, retiringPublicKey),
    ...others,
  });
}

/** A pipeline with one endpoint, `/signed`, whose callers sign with private keys. */
export function keyGateway(
  publicKey: PublicKey,
  { options, isClosed = false, ...parts }: Omit<SignedParts<'http-message-signature'>, 'elsewhere' | 'isLimited'> = {},
): TestGateway {
  const usual: HttpSignatureOptions = partnerEndpoint('http-message-signature').options;
  const endpoint = partnerEndpoint('http-message-signature', {
    options: { ...usual, ...options },
    id: 'signed',
    paths: [{ prefix: '/signed' }],
    accessCondition: 'authenticated-and-authorized',
  });
  return testGateway({
    consumers: [consumer()],
    credentials: [keyCredential(publicKey)],
    grants: isClosed ? [] : [grant({ endpointId: 'signed' })],
    ...parts,
    endpoints: [endpoint],
  });
}
