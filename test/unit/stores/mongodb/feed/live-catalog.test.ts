import assert from 'node:assert/strict';
import { LiveCatalog, type CompiledRecords } from '../../../../../src/stores/mongodb/feed/live-catalog.ts';

const times = { revision: 1, createdAt: new Date(0), updatedAt: new Date(0) };
const open = (path: string): Readonly<Record<string, unknown>> => ({
  ...{ _id: 'open', scenario: 'open', match: { paths: [{ prefix: path }] }, enabled: true },
  ...times,
});
const idp = (audience: string): Readonly<Record<string, unknown>> => ({
  ...{ _id: 'idp', issuer: 'https://idp.example', jwksUri: 'https://idp.example/keys' },
  ...{ audiences: [audience], enabled: true, ...times },
});

describe('what of a database is in memory as a whole', () => {
  it('keeps compiled issuers while other records change, so that verified tokens stay known', () => {
    const compiled: CompiledRecords[] = [];
    const due: (() => void)[] = [];
    using catalog = new LiveCatalog({
      clock: { nowMs: () => 0, nowSeconds: () => 0, elapsedMs: () => 0 },
      startTimer: (_delayMs, run) => {
        due.push(run);
        return () => undefined;
      },
      onCompiled: (records) => compiled.push(records),
    });
    catalog.replaceAll({
      ...{ endpoints: [open('/a')], groupGrants: [], plans: [], issuers: [idp('orders')] },
      claimNames: [{ issuerId: 'idp', names: '["azp"]' }],
    });
    const issuerOfNow = (): unknown => compiled.at(-1)?.issuers.find('https://idp.example');
    const change = (make: () => void): unknown => {
      make();
      due.splice(0).forEach((run) => {
        run();
      });
      return issuerOfNow();
    };
    const first = issuerOfNow();
    assert.ok(first !== null && first !== undefined);
    assert.equal(
      change(() => {
        catalog.endpointChanged('open', open('/b'));
      }),
      first,
    );
    const named = change(() => {
      catalog.claimsNamed({ issuerId: 'idp', names: '["sub"]' });
    });
    assert.notEqual(named, first);
    assert.notEqual(
      change(() => {
        catalog.issuerChanged('idp', idp('stock'));
      }),
      named,
    );
    assert.equal(compiled.length, 4);
  });
});
