import assert from 'node:assert/strict';
import picocolors from 'picocolors';
import type { Change } from '../../../../src/resources/changes/change.ts';
import { describeChange } from '../../../../src/resources/changes/describe-change.ts';
import { renderChange } from '../../../../src/resources/changes/render-change.ts';
import type { ManagedCredential, Stored } from '../../../../src/resources/resource.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { consumer, credential, grant, limit, partnerEndpoint } from '../../../support/pipeline/resources.ts';
import { sharedSecret } from '../../../../src/model/material.ts';

const plain = picocolors.createColors(false);

function linesOf(change: Change): readonly string[] {
  return renderChange(describeChange(change), plain);
}

function stored<T>(resource: T): Stored<T> {
  return { resource, revision: 1, createdAt: 0, updatedAt: 0 };
}

function managed(appKey: string, parts: Partial<ManagedCredential> = {}): ManagedCredential {
  return { ...credential({ ...parts, appKey }), appKey: Secret.fromText(appKey), appKeyHash: hashAppKey(appKey) };
}

describe('describing changes', () => {
  it('lists what a new resource says', () => {
    const after = partnerEndpoint('hmac', { methods: ['GET', 'POST'], limits: [limit('100/minute/consumer')] });
    assert.deepEqual(linesOf({ kind: 'endpoint', id: 'orders', before: null, after }), [
      '+ endpoint orders',
      '    scenario: partner-openapi',
      '    match: { paths: [{ prefix: /orders }], methods: [GET, POST] }',
      '    authentication: hmac',
      '    trafficControl: { limits: [{ requests: 100, unit: minute, per: consumer }] }',
    ]);
  });

  it('shows each field before and after, defaults in words', () => {
    const before = stored(partnerEndpoint('hmac', { hosts: ['a.example'], methods: ['GET'] }));
    const after = partnerEndpoint('hmac', {
      methods: ['GET', 'POST'],
      enabled: false,
      options: { ...before.resource.options, clockSkewSeconds: 60 },
      limits: [limit('100/minute/consumer')],
    });
    assert.deepEqual(linesOf({ kind: 'endpoint', id: 'orders', before, after }), [
      '~ endpoint orders',
      '    match.hosts: [a.example] → (none)',
      '    match.methods: [GET] → [GET, POST]',
      '    trafficControl: (none) → { limits: [{ requests: 100, unit: minute, per: consumer }] }',
      '    options: (none) → { clockSkewSeconds: 60 }',
      '    enabled: true → false',
    ]);
  });

  it('puts long values below each other', () => {
    const before = stored(consumer({ description: 'x'.repeat(60) }));
    const after = consumer({ description: 'y'.repeat(60) });
    assert.deepEqual(linesOf({ kind: 'consumer', id: 'acme', before, after }), [
      '~ consumer acme',
      '    description:',
      `      - ${'x'.repeat(60)}`,
      `      + ${'y'.repeat(60)}`,
    ]);
  });

  it('names a deleted resource only', () => {
    const before = stored(grant());
    assert.deepEqual(linesOf({ kind: 'grant', id: 'orders/acme', before, after: null }), ['- grant orders/acme']);
    assert.deepEqual(describeChange({ kind: 'grant', id: 'orders/acme', before, after: null }), {
      action: 'delete',
      kind: 'grant',
      id: 'orders/acme',
      fields: [],
    });
  });

  it('shows that secrets change, and never what they are', () => {
    const former = managed('public-key', { methods: ['hmac'], id: 'acme-hmac' });
    const after: ManagedCredential = {
      ...former,
      material: sharedSecret(Secret.fromText('another secret of some length'), {
        ...{ appSecret: Secret.fromText('a third secret of some length'), expiresAt: 1_800_000_000 },
      }),
    };
    assert.deepEqual(linesOf({ kind: 'credential', id: 'acme-hmac', before: stored(former), after }), [
      '~ credential acme-hmac of consumer acme',
      '    retiringSecret: (none) → { expiresAt: 2027-01-15T08:00:00Z }',
      '    appSecret: (changed)',
      '    retiringSecret.appSecret: (set)',
    ]);
    const back = linesOf({ kind: 'credential', id: 'acme-hmac', before: stored(after), after: former });
    assert.ok(back.includes('    retiringSecret.appSecret: (removed)'));
  });

  it('shows an App Key only where it is public', () => {
    const key = linesOf({ kind: 'credential', id: 'acme-key', before: null, after: managed('secret-app-key') });
    assert.deepEqual(key, ['+ credential acme-key of consumer acme', '    method: key', '    appKey: (set)']);
    const other = { before: stored(managed('secret-app-key')), after: managed('other-app-key') };
    assert.deepEqual(linesOf({ kind: 'credential', id: 'acme-key', ...other })[1], '    appKey: (changed)');
    const hmac = managed('public-app-key', { methods: ['hmac'] });
    assert.deepEqual(linesOf({ kind: 'credential', id: 'acme-key', before: null, after: hmac }).slice(1), [
      '    method: hmac',
      '    appKey: public-app-key',
      '    appSecret: (set)',
    ]);
  });

  it('shows an App Key nowhere in plain values where it becomes a secret or was one', () => {
    const change: Change = {
      kind: 'credential',
      id: 'acme-key',
      before: stored(managed('secret-app-key')),
      after: managed('public-app-key', { methods: ['hmac'] }),
    };
    assert.doesNotMatch(JSON.stringify(describeChange(change)), /secret-app-key|a secret for tests/);
  });

  it('shows no control characters', () => {
    const after = consumer({ name: 'a\u001b[31mb\u202ec', labels: { 'k\u0007': 'v' } });
    assert.doesNotMatch(linesOf({ kind: 'consumer', id: 'acme', before: null, after }).join(''), /\p{Cc}|\p{Cf}/u);
  });

  it('colours for terminals', () => {
    const colours = picocolors.createColors(true);
    const change: Change = { kind: 'consumer', id: 'acme', before: null, after: consumer({ name: null }) };
    assert.deepEqual(renderChange(describeChange(change), colours), [
      '\u001b[32m+ consumer \u001b[1macme\u001b[22m\u001b[39m',
    ]);
  });
});
