import assert from 'node:assert/strict';
import { type AddressList, addressListField } from '../../../../src/model/address-list.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';
import type { HeaderLine, RequestParts } from '../../../support/pipeline/check-request.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import { APP_KEY, consumer, credential, keyEndpoint, openEndpoint } from '../../../support/pipeline/resources.ts';

const OFFICE = addressListField(['203.0.113.0/24']) as AddressList;
const SERVER = addressListField(['203.0.113.7', '2001:db8::/32']) as AddressList;

const own = { headers: [['x-app-key', APP_KEY]] as readonly HeaderLine[] };
const from = (...addresses: readonly string[]): RequestParts => ({
  headers: [...own.headers, ...addresses.map((address) => ['x-envoy-external-address', address] as const)],
});

interface Lists {
  readonly ofConsumer?: AddressList;
  readonly ofCredential?: AddressList;
}

function gatewayWith({ ofConsumer, ofCredential }: Lists, endpoint: Endpoint = keyEndpoint()) {
  return testGateway({
    endpoints: [endpoint],
    consumers: [consumer({ allowFrom: ofConsumer ?? null })],
    credentials: [credential({ allowFrom: ofCredential ?? null })],
    grants: [],
  });
}

async function refusalOf(request: RequestParts, lists: Lists): Promise<string | null> {
  const gateway = gatewayWith(lists);
  const answer = await gateway.send(request);
  if (answer.kind === 'allowed') return null;
  const [decided] = gateway.decided;
  assert.ok(decided !== undefined && 'refusal' in decided.decision);
  return `${String(answer.status)} ${answer.body.code}: ${decided.decision.refusal.detail}`;
}

const UNKNOWN = '403 ADDRESS_NOT_ALLOWED: the address of the caller is not known, and allowFrom needs it';

describe('the address list of a consumer and of a credential', () => {
  for (const [what, request, lists, refusal] of [
    ['lets in an address that it holds', from('203.0.113.9'), { ofConsumer: OFFICE }, null],
    ['lets in an IPv4 address that is written as IPv6', from('::ffff:203.0.113.9'), { ofConsumer: OFFICE }, null],
    ['lets in what both hold', from('203.0.113.7'), { ofConsumer: OFFICE, ofCredential: SERVER }, null],
    [
      'refuses what only the consumer allows',
      from('203.0.113.9'),
      { ofConsumer: OFFICE, ofCredential: SERVER },
      '403 ADDRESS_NOT_ALLOWED: the credential acme-key may not be used from this address',
    ],
    [
      'refuses what only the credential allows',
      from('2001:DB8::1'),
      { ofConsumer: OFFICE, ofCredential: SERVER },
      '403 ADDRESS_NOT_ALLOWED: the consumer acme may not call from this address',
    ],
    [
      'goes by the peer of Envoy where Envoy names no address',
      { ...own, peer: '203.0.113.9' },
      { ofConsumer: OFFICE },
      null,
    ],
    [
      'goes by the address that Envoy names, whoever its peer is',
      { ...from('198.51.100.1'), peer: '203.0.113.9' },
      { ofConsumer: OFFICE },
      '403 ADDRESS_NOT_ALLOWED: the consumer acme may not call from this address',
    ],
    ['refuses a caller whose address is not known', own, { ofCredential: OFFICE }, UNKNOWN],
    ['refuses a peer that has no address', { ...own, peer: 'pipe' }, { ofConsumer: OFFICE }, UNKNOWN],
    [
      'refuses two addresses, although the peer is allowed',
      { ...from('203.0.113.7', '203.0.113.7'), peer: '203.0.113.7' },
      { ofConsumer: OFFICE },
      UNKNOWN,
    ],
    [
      'refuses a list of addresses',
      { ...from('203.0.113.7', '203.0.113.7'), peer: '203.0.113.7', headerForm: 'map' },
      { ofConsumer: OFFICE },
      UNKNOWN,
    ],
    ['is not there without a list: an unknown address is allowed', own, {}, null],
  ] as const) {
    it(what, async () => {
      assert.equal(await refusalOf(request, lists), refusal);
    });
  }

  it('refuses with its own code and message, as the caller is known', async () => {
    const answer = await gatewayWith({ ofConsumer: OFFICE }).send(from('198.51.100.1'));
    assert.ok(answer.kind === 'refused');
    assert.equal(answer.body.message, 'The request comes from an address that is not allowed.');
    assert.equal(answer.metadata['consumer'], 'acme');
  });

  it('says nothing to strangers: who lacks the right proof gets the same from everywhere', async () => {
    for (const address of ['203.0.113.9', '198.51.100.1']) {
      const headers = [
        ['x-app-key', 'another'],
        ['x-envoy-external-address', address],
      ] as const;
      const answer = await gatewayWith({ ofConsumer: OFFICE }).send({ headers });
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.body.code, 'AUTHENTICATION_FAILED');
    }
  });

  it('comes before the access condition: who stole a credential learns nothing of grants', async () => {
    const endpoint = keyEndpoint({ accessCondition: 'authenticated-and-authorized' });
    const codes = [];
    for (const address of ['198.51.100.1', '203.0.113.9']) {
      const answer = await gatewayWith({ ofConsumer: OFFICE }, endpoint).send(from(address));
      codes.push(answer.kind === 'refused' ? answer.body.code : null);
    }
    assert.deepEqual(codes, ['ADDRESS_NOT_ALLOWED', 'NOT_AUTHORIZED']);
  });

  it('only counts on an endpoint that observes, and open endpoints look at none', async () => {
    const observing = gatewayWith({ ofConsumer: OFFICE }, keyEndpoint({ options: { mode: 'observe' } }));
    const answer = await observing.send(from('198.51.100.1'));
    assert.equal(answer.kind, 'allowed');
    assert.equal(answer.metadata['code'], 'ADDRESS_NOT_ALLOWED');
    const open = await gatewayWith({ ofConsumer: OFFICE }, openEndpoint()).send(from('198.51.100.1'));
    assert.equal(open.kind, 'allowed');
  });
});
