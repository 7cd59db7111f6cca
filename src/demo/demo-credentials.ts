import { Secret } from '../model/secret.ts';

/** App Keys of examples/demo/postern.yaml for endpoints of method key. They are public, and good for the demo only. */
export const demoKeys = {
  acme: 'acme-demo-key',
  acmeRevoked: 'acme-old-demo-key',
  borealis: 'borealis-demo-key',
} as const;

/** An App Key with its App Secret. */
export interface DemoPair {
  readonly appKey: string;
  readonly secret: Secret;
}

/** Acme's credentials in that file for the methods that have an App Secret. */
export const demoPairs = {
  hmac: { appKey: 'acme-hmac-demo', secret: Secret.fromText('public-demo-secret-of-acme-for-hmac') },
  oauth2: { appKey: 'acme-oauth2-demo', secret: Secret.fromText('public-demo-secret-of-acme-for-oauth2') },
  parameters: {
    appKey: 'acme-parameters-demo',
    secret: Secret.fromText('public-demo-secret-of-acme-for-parameters'),
  },
} as const satisfies Record<string, DemoPair>;
