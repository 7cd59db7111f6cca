import { type AuthenticationMethod } from '../../../src/model/endpoint.ts';

/** An App Key and the secret that signs with it. */
export interface PartnerKey {
  readonly appKey: string;
  readonly secret: string;
}

/** A partner in good standing, for both signature methods. */
export const acme: PartnerKey = { appKey: 'acme-public-key', secret: 'the secret of acme, for tests only' };
/** Acme's former secret, in the grace period of a rotation. */
export const acmeFormer: PartnerKey = { ...acme, secret: 'the former secret of acme, for tests' };
/** A secret that is not ASCII: its UTF-8 bytes sign. */
export const overseas: PartnerKey = { appKey: 'overseas-public-key', secret: 'schlüssel-中文-🔑-for-tests' };

/** App Keys that must not work, each with a secret that is right for it, by why they do not. */
export const unusableKeys: Readonly<Record<string, PartnerKey>> = {
  'nobody holds the App Key': { appKey: 'nobody', secret: acme.secret },
  'the App Key has another case': { appKey: acme.appKey.toUpperCase(), secret: acme.secret },
  'the secret is wrong': { appKey: acme.appKey, secret: 'some other secret, just as long as' },
  'the grace period of the secret is over': { appKey: 'rotated-key', secret: 'a secret whose grace period is over' },
  'the credential is revoked': { appKey: 'revoked-key', secret: 'the secret of a revoked credential' },
  'the credential has expired': { appKey: 'expired-key', secret: 'the secret of an expired credential' },
  'the credential is not valid yet': { appKey: 'future-key', secret: 'the secret of a future credential' },
  'the consumer is disabled': { appKey: 'disabled-key', secret: 'the secret of a disabled consumer' },
  'the credential is for another method': { appKey: 'oauth2-key', secret: 'the secret of an oauth2 credential' },
  'the App Key is one of method key': { appKey: 'key-of-acme', secret: 'key-of-acme' },
};

/** An endpoint whose paths begin with `/` and its id. */
export interface EndpointLine {
  readonly id: string;
  readonly authentication: AuthenticationMethod;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly limits?: readonly Readonly<Record<string, unknown>>[];
}

/** A declarative file with these endpoints and the partners above, and more credentials of acme. JSON is YAML. */
export function signatureDocument(endpoints: readonly EndpointLine[], credentials: readonly object[] = []): string {
  const methods = ['hmac', 'parameter-signature'];
  const credential = (id: string, key: PartnerKey | undefined, more: Readonly<Record<string, unknown>> = {}) => ({
    id,
    methods,
    appKey: key?.appKey,
    appSecret: key?.secret,
    ...more,
  });
  const unusable = (why: string): PartnerKey | undefined => unusableKeys[why];
  return JSON.stringify({
    version: 1,
    endpoints: endpoints.map(({ id, authentication, options = {}, limits = [] }) => ({
      id,
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: `/${id}` }] },
      authentication,
      ...(limits.length === 0 ? {} : { trafficControl: { limits } }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    })),
    consumers: [
      {
        id: 'acme',
        name: 'Acme Ltd',
        credentials: [
          credential('acme-both', acme, {
            retiringSecret: { appSecret: acmeFormer.secret, expiresAt: '2999-01-01T00:00:00Z' },
          }),
          credential('acme-overseas', overseas),
          credential(
            'acme-rotated',
            { appKey: 'rotated-key', secret: 'the secret that came after it' },
            {
              retiringSecret: {
                appSecret: unusable('the grace period of the secret is over')?.secret,
                expiresAt: '2020-01-01T00:00:00Z',
              },
            },
          ),
          credential('acme-revoked', unusable('the credential is revoked'), { state: 'revoked' }),
          credential('acme-expired', unusable('the credential has expired'), { expiresAt: '2020-01-01T00:00:00Z' }),
          credential('acme-future', unusable('the credential is not valid yet'), { notBefore: '2999-01-01T00:00:00Z' }),
          credential('acme-oauth2', unusable('the credential is for another method'), { methods: ['oauth2'] }),
          { id: 'acme-key', methods: ['key'], appKey: 'key-of-acme' },
          ...credentials,
        ],
      },
      {
        id: 'idle',
        enabled: false,
        credentials: [credential('idle-both', unusable('the consumer is disabled'))],
      },
    ],
  });
}
