import assert from 'node:assert/strict';
import type { Change } from '../../../../src/resources/changes/change.ts';
import { findChangeWarnings } from '../../../../src/resources/changes/change-warnings.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';
import { keyEndpoint, openEndpoint } from '../../../support/pipeline/resources.ts';

const nowSeconds = 1_790_000_000;
const versions = { revision: 1, createdAt: 0, updatedAt: 0 };

function write(after: Endpoint, before: Endpoint | null = null): Change {
  return { kind: 'endpoint', id: after.id, before: before === null ? null : { resource: before, ...versions }, after };
}

describe('warnings of changes', () => {
  const wild = keyEndpoint({ id: 'orders', paths: [{ prefix: '/orders/*' }] });
  const pattern =
    /^endpoint orders: match\.paths\[0\]\.prefix: this path has a pattern, .*: a prefix takes all paths below$/;

  it('are those of validate, with the name of the resource', () => {
    const [warning, ...more] = findChangeWarnings([write(wild)], { endpoints: [], nowSeconds });
    assert.match(warning ?? '', pattern);
    assert.deepEqual(more, []);
  });

  it('are not said again of what stays, nor of what is deleted', () => {
    assert.deepEqual(
      findChangeWarnings([write({ ...wild, description: 'x' }, wild)], { endpoints: [], nowSeconds }),
      [],
    );
    const deletion: Change = { kind: 'endpoint', id: 'orders', before: { resource: wild, ...versions }, after: null };
    assert.deepEqual(findChangeWarnings([deletion], { endpoints: [], nowSeconds }), []);
  });

  it('are about grants by the endpoint that they are for, as it will be', () => {
    const grant = { endpointId: 'everything', consumerId: 'acme', limits: null, expiresAt: null };
    const change: Change = { kind: 'grant', id: 'everything/acme', before: null, after: grant };
    const open = openEndpoint({ id: 'everything' });
    const effect =
      'grant everything/acme: endpoint: this grant has no effect: its endpoint is open, and its callers are not authenticated';
    assert.deepEqual(findChangeWarnings([change], { endpoints: [open], nowSeconds }), [effect]);
    assert.deepEqual(findChangeWarnings([write(open), change], { endpoints: [], nowSeconds }), [effect]);
    assert.deepEqual(findChangeWarnings([change], { endpoints: [], nowSeconds }), []);
    const ended: Change = { ...change, after: { ...grant, expiresAt: nowSeconds } };
    assert.match(
      findChangeWarnings([ended], { endpoints: [open], nowSeconds })[0] ?? '',
      /expiresAt: this grant has ended/,
    );
  });
});
