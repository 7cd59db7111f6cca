import assert from 'node:assert/strict';
import { type HeldCredential } from '../../src/check/store/credential-source.ts';
import type { CheckStore } from '../../src/check/store/check-store.ts';
import { certificateAppKey, claimsAppKey } from '../../src/model/derived-app-key.ts';
import { certificateMaterial, tokenClaimsMaterial } from '../../src/model/material.ts';
import { poll } from '../support/time/poll.ts';
import { secretsOf } from '../support/store/secrets.ts';

/** A store that checks are decided with, and the way to change what is in it. */
export interface StoreUnderTest extends AsyncDisposable {
  readonly checks: CheckStore;
  /** Makes the store hold what this declarative document says, and nothing else. */
  replace(documentYaml: string): Promise<void>;
  /** Makes the endpoint `orders` nonsense, in the way that a hand could in this kind of store. */
  spoil(): Promise<void>;
}

/** What the credential of the App Key `acme-hmac-key` has. */
const appSecret = 'a secret of the contract, long enough';
const formerSecret = 'the former secret of the contract, too';
const certificateHash = 'ab'.repeat(32);
const hashOfHashedKey = 'e5f0cf3a0d6df3dd0e9ad7a2a4bb3f4d2d2ec1a48d8b3f8b1a4f2f9f9d1f8f70';

interface DocumentParts {
  readonly ordersPath?: string;
  readonly ordersEnabled?: boolean;
  readonly acmeEnabled?: boolean;
  readonly hmacState?: string;
  readonly issuerEnabled?: boolean;
  readonly grants?: string;
}

/** The document of the contract, with changes. */
function documentOf(parts: DocumentParts = {}): string {
  const { ordersPath = '/orders', ordersEnabled = true, acmeEnabled = true } = parts;
  const { hmacState = 'active', issuerEnabled = true } = parts;
  const grants =
    parts.grants ??
    `
  - { endpoint: orders, consumer: acme, expiresAt: 2030-01-01T00:00:00Z, limits: [{ requests: 7, unit: minute, per: consumer }] }
  - { endpoint: stock, consumer: acme }
  - { endpoint: orders, consumerSelector: { region: eu }, priority: -1 }
  - { endpoint: orders, consumerSelector: { tier: gold }, priority: 10, limits: [{ requests: 9, unit: day, per: consumer }] }`;
  return `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { hosts: [api.example.com, "*.partners.example.com"], paths: [{ prefix: ${ordersPath} }], methods: [GET, POST] }
    authentication: hmac
    accessCondition: authenticated-and-authorized
    trafficControl: { limits: [{ requests: 100, unit: minute, per: consumer }] }
    options: { clockSkewSeconds: 60 }
    enabled: ${String(ordersEnabled)}
  - { id: stock, scenario: partner-openapi, match: { paths: [{ exact: /stock }] }, authentication: key }
  - { id: off, scenario: open, match: { paths: [{ prefix: /off }] }, enabled: false }
  - { id: all, scenario: open, match: { paths: [{ prefix: / }] } }
issuers:
  - { id: idp, issuer: https://idp.example, jwksUri: https://idp.example/keys, audiences: [orders], enabled: ${String(issuerEnabled)} }
consumers:
  - id: acme
    name: Acme Ltd
    description: Logistics partner
    labels: { tier: gold }
    enabled: ${String(acmeEnabled)}
    credentials:
      - id: acme-hmac
        methods: [hmac, parameter-signature]
        appKey: acme-hmac-key
        appSecret: ${JSON.stringify(appSecret)}
        retiringSecret: { appSecret: ${JSON.stringify(formerSecret)}, expiresAt: 2030-06-01T00:00:00Z }
        state: ${hmacState}
        notBefore: 2020-01-01T00:00:00Z
        expiresAt: 2031-01-01T00:00:00Z
      - { id: acme-key, method: key, appKey: acme-plain-key }
      - { id: acme-claims, method: jwt, issuer: idp, claims: { tid: "7", azp: batch } }
      - { id: acme-certificate, method: certificate, certificate: { sha256: ${certificateHash} } }
      - { id: acme-hashed, method: key, appKeyHash: ${hashOfHashedKey} }
  - { id: other, credentials: [{ id: other-key, method: key, appKey: other-plain-key, state: revoked }] }
grants:${grants === '' ? ' []' : grants}
`;
}

/** The contract that every store of the check path keeps (spec §6). `open` is called once, with its first document. */
export function describeStoreContract(name: string, open: (documentYaml: string) => Promise<StoreUnderTest>): void {
  describe(`the store ${name}`, () => {
    let tested: StoreUnderTest;

    before(async function () {
      this.timeout(60_000);
      tested = await open(documentOf());
      await tested.checks.ready;
    });

    after(async () => {
      await tested[Symbol.asyncDispose]();
    });

    function ownerOf(path: string, method = 'GET', host = 'api.example.com'): string | null {
      const endpoint = tested.checks.current().endpoints.find(host, path, method);
      return endpoint === null ? null : endpoint.enabled ? endpoint.id : 'refused';
    }

    async function find(appKey: string): Promise<HeldCredential | null> {
      return await tested.checks.current().credentials.findByAppKey(appKey);
    }

    async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
      await poll(what, async () => ((await isSo()) ? true : null));
    }

    it('is ready, and knows how old its state is', () => {
      assert.equal(tested.checks.findUnreadiness(), null);
      assert.equal(tested.checks.findNotice(), null);
      assert.ok(tested.checks.ageSeconds() < 10);
    });

    it('finds endpoints by host, path and method, and by id', () => {
      assert.equal(ownerOf('/orders/1'), 'orders');
      assert.equal(ownerOf('/orders', 'POST', 'a.partners.example.com'), 'orders');
      assert.equal(ownerOf('/orders', 'DELETE'), null);
      assert.equal(ownerOf('/orders', 'GET', 'elsewhere.example.com'), 'all');
      assert.equal(ownerOf('/stock'), 'stock');
      assert.equal(ownerOf('/off/1'), 'refused');
      assert.equal(ownerOf('/'), 'all');
      assert.equal(tested.checks.current().endpoints.findById('nowhere'), null);
    });

    it('gives endpoints with every default filled in', () => {
      assert.deepEqual(tested.checks.current().endpoints.findById('orders'), {
        id: 'orders',
        description: '',
        labels: {},
        scenario: 'partner-openapi',
        match: {
          hosts: ['api.example.com', '*.partners.example.com'],
          paths: [{ prefix: '/orders' }],
          methods: ['GET', 'POST'],
        },
        authentication: 'hmac',
        accessCondition: 'authenticated-and-authorized',
        limits: [{ requests: 100, unit: 'minute', per: 'consumer' }],
        options: {
          mode: 'enforce',
          onLimiterFailure: 'allow',
          hideCredentials: true,
          clockSkewSeconds: 60,
          replayProtection: false,
          signatureHints: false,
          algorithms: ['hmac-sha256'],
          acceptRealHttpVersion: false,
        },
        enabled: true,
      });
    });

    it('finds a credential with its secrets, its consumer and all that is granted', async () => {
      const held = await find('acme-hmac-key');
      assert.ok(held !== null);
      const { material, appKeyHash, ...credential } = held.credential;
      assert.ok(material.kind === 'shared-secret' && material.retiringSecret !== null);
      const { appSecret: current, retiringSecret: former } = material;
      assert.equal(current.reveal().toString(), appSecret);
      assert.equal(former.appSecret.reveal().toString(), formerSecret);
      assert.equal(former.expiresAt, Date.UTC(2030, 5) / 1000);
      assert.match(appKeyHash, /^[0-9a-f]{64}$/);
      assert.deepEqual(credential, {
        id: 'acme-hmac',
        allowFrom: null,
        consumerId: 'acme',
        methods: ['hmac', 'parameter-signature'],
        state: 'active',
        notBefore: Date.UTC(2020, 0) / 1000,
        expiresAt: Date.UTC(2031, 0) / 1000,
      });
      // No check needs the description, so that a cache may leave it out.
      const { description, ...consumer } = held.consumer;
      assert.ok(['', 'Logistics partner'].includes(description), description);
      assert.deepEqual(consumer, {
        id: 'acme',
        name: 'Acme Ltd',
        team: null,
        email: null,
        labels: { tier: 'gold' },
        allowFrom: null,
        enabled: true,
      });
      assert.deepEqual(
        [...held.grants.values()].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1)),
        [
          {
            endpointId: 'orders',
            consumerId: 'acme',
            limits: [{ requests: 7, unit: 'minute', per: 'consumer' }],
            expiresAt: Date.UTC(2030, 0) / 1000,
          },
          { endpointId: 'stock', consumerId: 'acme', limits: null, expiresAt: null },
        ],
      );
    });

    it('finds a credential of method key, and one that does not work too', async () => {
      const held = await find('acme-plain-key');
      assert.deepEqual(
        [held?.credential.id, held?.credential.methods, secretsOf(held?.credential).appSecret],
        ['acme-key', ['key'], null],
      );
      const other = await find('other-plain-key');
      assert.deepEqual([other?.credential.state, other?.consumer.id, other?.grants.size], ['revoked', 'other', 0]);
    });

    it('finds credentials by the claims of an issuer, and by a certificate', async () => {
      const byClaims = await find(claimsAppKey('idp', { azp: 'batch', tid: '7' }));
      const byCertificate = await find(certificateAppKey('certificate', certificateHash));
      assert.deepEqual(
        [byClaims, byCertificate].map((held) => held?.credential.id),
        ['acme-claims', 'acme-certificate'],
      );
      assert.deepEqual(byClaims?.credential.material, tokenClaimsMaterial('idp', { azp: 'batch', tid: '7' }));
      const identity = { by: 'certificate', sha256: certificateHash, notAfter: null } as const;
      assert.deepEqual(byCertificate?.credential.material, certificateMaterial(identity));
      assert.equal(await find(claimsAppKey('idp', { azp: 'batch' })), null);
    });

    it('has issuers with the names of the claims that credentials have', () => {
      const { issuers } = tested.checks.current();
      const issuer = issuers.find('https://idp.example');
      assert.deepEqual(
        [issuer?.id, issuer?.keys, issuer?.claimNames],
        ['idp', { kind: 'uri', jwksUri: 'https://idp.example/keys' }, [['azp', 'tid']]],
      );
      assert.deepEqual([issuers.all, issuers.find('https://idp.example/')], [[issuer], null]);
    });

    it('has the grants for groups of an endpoint by their priority, with the limits that they bring into force', () => {
      const { groupGrants } = tested.checks.current();
      const perDay = { requests: 9, unit: 'day', per: 'consumer' };
      const common = { endpointId: 'orders', expiresAt: null, known: null };
      assert.deepEqual(groupGrants.of('orders'), [
        {
          ...common,
          ...{
            consumerSelector: { tier: 'gold' },
            names: ['tier'],
            values: ['gold'],
            priority: 10,
            limits: [perDay],
            limitsInForce: [perDay],
          },
        },
        {
          ...common,
          ...{ consumerSelector: { region: 'eu' }, names: ['region'], values: ['eu'], priority: -1, limits: null },
          limitsInForce: [{ requests: 100, unit: 'minute', per: 'consumer' }],
        },
      ]);
      assert.deepEqual(groupGrants.of('stock'), []);
    });

    it('finds no holder by another App Key, nor by the hash of one', async () => {
      for (const appKey of ['', 'nobody', 'ACME-HMAC-KEY', 'acme-hmac-key ', 'ä', hashOfHashedKey, 'constructor']) {
        assert.equal(await find(appKey), null, appKey);
      }
    });

    it('answers from memory at once for callers who were found before', async () => {
      await find('acme-hmac-key');
      assert.ok(!(tested.checks.current().credentials.findByAppKey('acme-hmac-key') instanceof Promise));
    });

    it('takes changes, and leaves a catalog that is in use as it was', async () => {
      const former = tested.checks.current().endpoints;
      await tested.replace(documentOf({ ordersPath: '/sales' }));
      await until('the edited endpoint', () => Promise.resolve(ownerOf('/sales') === 'orders'));
      assert.equal(ownerOf('/orders'), 'all');
      assert.equal(former.find('api.example.com', '/orders', 'GET')?.id, 'orders');
      await tested.replace(documentOf({ ordersEnabled: false }));
      await until('the disabled endpoint', () => Promise.resolve(ownerOf('/orders') === 'refused'));
      await tested.replace(documentOf({ acmeEnabled: false }));
      await until('the disabled consumer', async () => (await find('acme-plain-key'))?.consumer.enabled === false);
      await tested.replace(documentOf({ hmacState: 'revoked' }));
      await until('the revoked credential', async () => (await find('acme-hmac-key'))?.credential.state === 'revoked');
      await tested.replace(documentOf({ issuerEnabled: false }));
      await until('the disabled issuer', () =>
        Promise.resolve(tested.checks.current().issuers.find('https://idp.example') === null),
      );
      const formerGroups = tested.checks.current().groupGrants;
      await tested.replace(documentOf({ grants: '' }));
      await until('no grants', async () => (await find('acme-hmac-key'))?.grants.size === 0);
      await until('no grants for groups', () =>
        Promise.resolve(tested.checks.current().groupGrants.of('orders').length === 0),
      );
      assert.equal(formerGroups.of('orders').length, 2);
      await tested.replace(
        documentOf({ grants: '\n  - { endpoint: orders, consumerSelector: { tier: gold }, priority: 3 }' }),
      );
      await until('the new grant for a group', () =>
        Promise.resolve(tested.checks.current().groupGrants.of('orders')[0]?.priority === 3),
      );
      await tested.replace(documentOf());
      await until(
        'all of it',
        async () => (await find('acme-hmac-key'))?.grants.size === 2 && ownerOf('/orders') === 'orders',
      );
    });

    it('allows nothing because something was made nonsense, and goes on', async () => {
      await tested.spoil();
      assert.notEqual(ownerOf('/orders'), 'all');
      assert.equal(ownerOf('/stock'), 'stock');
      assert.equal(ownerOf('/'), 'all');
      assert.equal((await find('acme-plain-key'))?.consumer.id, 'acme');
      await tested.replace(documentOf());
      await until('the mended endpoint', () => Promise.resolve(ownerOf('/orders') === 'orders'));
    });

    it('forgets what is deleted', async () => {
      await tested.replace('version: 1');
      await until('no endpoints', () => Promise.resolve(ownerOf('/') === null));
      await until('no credentials', async () => (await find('acme-hmac-key')) === null);
    });
  });
}
