import assert from 'node:assert/strict';
import fc from 'fast-check';
import { unseenIn } from '../../../src/base/text/unseen.ts';
import { stringify } from 'yaml';
import { declareConsumer } from '../../../src/resources/consumer.ts';
import { declareCredential } from '../../../src/resources/credential.ts';
import { declareEndpoint } from '../../../src/resources/endpoint.ts';
import { declareGrant } from '../../../src/resources/grant.ts';
import { declareIssuer } from '../../../src/resources/issuer.ts';
import { declarePlan } from '../../../src/resources/plan.ts';
import { type DocumentContent, parseDocument } from '../../../src/resources/parse-document.ts';
import { type AddressList, addressListField } from '../../../src/model/address-list.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { Secret } from '../../../src/model/secret.ts';
import {
  consumer,
  grant,
  issuer,
  keyEndpoint,
  limit,
  openEndpoint,
  partnerEndpoint,
  plan,
} from '../../support/pipeline/resources.ts';
import { appKeyMaterial, mapSecrets, sharedSecret } from '../../../src/model/material.ts';

const SECRET = 'a secret for tests, 32 characters';

const managed = {
  id: 'acme-hmac',
  consumerId: 'acme',
  methods: ['hmac'],
  appKey: Secret.fromText('acme-public'),
  appKeyHash: hashAppKey('acme-public'),
  material: sharedSecret(Secret.fromText(SECRET), {
    ...{ appSecret: Secret.fromText(`former ${SECRET}`), expiresAt: 1_800_000_000 },
  }),
  state: 'active',
  notBefore: null,
  expiresAt: 1_900_000_000,
  allowFrom: null,
} as const;

const keyCredential = {
  ...managed,
  id: 'acme-key',
  methods: ['key'],
  appKey: Secret.fromText('acme-secret-key'),
  appKeyHash: hashAppKey('acme-secret-key'),
  material: appKeyMaterial,
} as const;

function contentOf(document: object): DocumentContent {
  const parsed = parseDocument([{ file: 'declared.yaml', text: stringify({ version: 1, ...document }) }], {
    isComplete: false,
    readSecret: () => ({ fault: 'is not needed here' }),
  });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  return parsed.content;
}

describe('declaring resources', () => {
  it('leaves out what is as it would be anyway', () => {
    assert.deepEqual(declareEndpoint(keyEndpoint()), {
      id: 'orders',
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: '/orders' }] },
      authentication: 'key',
    });
    assert.deepEqual(declareConsumer(consumer({ name: null })), { id: 'acme' });
    assert.deepEqual(declareGrant(grant()), { endpoint: 'orders', consumer: 'acme' });
  });

  it('has labels in the order of their names: stores that hold the same are exported as the same', () => {
    const labels = { yes: 'gold', team: 'a', Tier: '~' };
    for (const declared of [declareConsumer(consumer({ labels })), declareEndpoint({ ...keyEndpoint(), labels })]) {
      assert.deepEqual(Object.keys(declared['labels'] as object), ['Tier', 'team', 'yes']);
    }
  });

  it('says what was chosen', () => {
    const endpoint = partnerEndpoint('hmac', {
      hosts: ['*.example.com'],
      methods: ['GET'],
      accessCondition: 'authenticated-and-authorized',
      limits: [limit('100/minute/consumer')],
      enabled: false,
    });
    const chosen = { ...endpoint, description: 'Orders', options: { ...endpoint.options, clockSkewSeconds: 60 } };
    assert.deepEqual(declareEndpoint(chosen), {
      id: 'orders',
      description: 'Orders',
      scenario: 'partner-openapi',
      match: { hosts: ['*.example.com'], paths: [{ prefix: '/orders' }], methods: ['GET'] },
      authentication: 'hmac',
      accessCondition: 'authenticated-and-authorized',
      trafficControl: { limits: [{ requests: 100, unit: 'minute', per: 'consumer' }] },
      options: { clockSkewSeconds: 60 },
      enabled: false,
    });
    assert.deepEqual(declareGrant(grant({ limits: [], expiresAt: 1_800_000_000 })), {
      endpoint: 'orders',
      consumer: 'acme',
      expiresAt: '2027-01-15T08:00:00Z',
      limits: [],
    });
  });

  it('is read back as the same resources', () => {
    const endpoints = [
      keyEndpoint({ options: { keyNames: [{ header: 'X-Partner' }] }, labels: { team: 'payments', '1': 'yes' } }),
      partnerEndpoint('hmac', { id: 'h', paths: [{ exact: '/h' }], limits: [limit('5/day/endpoint')] }),
      partnerEndpoint('parameter-signature', { id: 'p', paths: [{ prefix: '/p' }] }),
      partnerEndpoint('oauth2', { id: 'o', paths: [{ prefix: '/o' }], enabled: false }),
      openEndpoint({ id: 'open', paths: [{ prefix: '/open' }], options: { mode: 'observe' } }),
    ];
    const grants = [grant(), grant({ endpointId: 'h', limits: [limit('7/hour/consumer')], expiresAt: 1_800_000_000 })];
    const plans = [plan({ endpointIds: ['h', 'o'] }), plan({ id: 'all', consumerSelector: {}, priority: -3 })];
    const allowFrom = addressListField(['203.0.113.0/24', '2001:db8::/32']) as AddressList;
    const acme = consumer({ description: 'd', labels: { tier: 'gold' }, enabled: false, allowFrom });
    const content = contentOf({
      endpoints: endpoints.map(declareEndpoint),
      consumers: [declareConsumer(acme)],
      grants: grants.map(declareGrant),
      plans: plans.map(declarePlan),
      issuers: [declareIssuer(issuer({ requiredClaims: { tenant: ['a', 'b'] } }))],
    });
    const issuers = [issuer({ requiredClaims: { tenant: ['a', 'b'] } })];
    assert.deepEqual(content, { endpoints, consumers: [acme], credentials: [], grants, plans, issuers });
  });

  it('is read back with any text in names and labels that can be seen', () => {
    const seen = (text: string): boolean => unseenIn(text) === null;
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 64 }).filter((text) => text.trim() !== '' && seen(text)),
        fc.dictionary(
          fc.string({ maxLength: 8 }).filter(seen),
          fc.string({ unit: 'binary', maxLength: 20 }).filter(seen),
          { maxKeys: 4 },
        ),
        (name, labels) => {
          const declared = consumer({ name, description: name, labels: { ...labels } });
          assert.deepEqual(contentOf({ consumers: [declareConsumer(declared)] }).consumers, [declared]);
        },
      ),
    );
  });

  it('is read back with its secrets', () => {
    const credentials = [managed, keyCredential].map((credential) => declareCredential(credential, 'reveal'));
    const { credentials: read } = contentOf({ consumers: [declareConsumer(consumer(), credentials)] });
    assert.deepEqual(
      read.map((credential) => ({
        ...credential,
        material: mapSecrets(credential.material, (secret) => secret?.reveal().toString()),
      })),
      [
        {
          ...{ ...managed, appKey: 'acme-public' },
          material: sharedSecret(SECRET, { appSecret: `former ${SECRET}`, expiresAt: 1_800_000_000 }),
        },
        { ...keyCredential, appKey: 'acme-secret-key' },
      ],
    );
  });

  it('leaves out secrets, and the App Key where that is the secret', () => {
    assert.deepEqual(declareCredential(managed, 'leave-out'), {
      id: 'acme-hmac',
      method: 'hmac',
      appKey: 'acme-public',
      retiringSecret: { expiresAt: '2027-01-15T08:00:00Z' },
      expiresAt: '2030-03-17T17:46:40Z',
    });
    assert.deepEqual(declareCredential(keyCredential, 'leave-out'), {
      id: 'acme-key',
      method: 'key',
      expiresAt: '2030-03-17T17:46:40Z',
    });
  });

  it('has the hash where the App Key itself is not kept', () => {
    const { appKeyHash } = keyCredential;
    const declared = declareCredential({ ...keyCredential, appKey: null, methods: ['key'] }, 'reveal');
    assert.deepEqual(declared, { id: 'acme-key', method: 'key', appKeyHash, expiresAt: '2030-03-17T17:46:40Z' });
  });

  it('writes several methods as a list', () => {
    const shared = { ...managed, methods: ['hmac', 'key'], state: 'retiring' } as const;
    assert.deepEqual(declareCredential(shared, 'leave-out')['methods'], ['hmac', 'key']);
    assert.equal(declareCredential(shared, 'leave-out')['state'], 'retiring');
  });
});
