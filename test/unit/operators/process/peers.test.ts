import assert from 'node:assert/strict';
import type { Peer } from '../../../../src/operators/api/ports.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ApiListener } from '../../../../src/operators/process/listener.ts';
import { createPeerTrust } from '../../../../src/base/net/networks.ts';
import type { Fields } from '../../../support/http/http-message.ts';
import { http1 } from '../../../support/http/http1-client.ts';

/** Who the listener says sends a request from loopback. */
async function peerOf(trusted: string | null, headers: Fields): Promise<Pick<Peer, 'address' | 'source'>> {
  let peer: Peer | undefined;
  const network = { address: trusted ?? '', prefixLength: 8, family: 'ipv4' } as const;
  await using listener = new ApiListener({
    clock: systemClock,
    fetch: (_, bindings) => {
      peer = bindings;
      return new Response('ok');
    },
    refuse: async ({ reason }) => await Promise.resolve(assert.fail(reason)),
    isTrustedAddress: createPeerTrust(trusted === null ? [] : [network]),
  });
  await listener.start({ kind: 'tcp', host: '127.0.0.1', port: 0 }, 0o600);
  const address = listener.address();
  assert.ok(address.kind === 'tcp');
  assert.equal((await http1(address.port, { headers })).status, 200);
  assert.ok(peer !== undefined);
  return { address: peer.address, source: peer.source };
}

const named = (address: string): Fields => [['X-Envoy-External-Address', address]];
const itself = { address: '127.0.0.1', source: '127.0.0.1' };

describe('who is counted at the management listener', () => {
  it('is the peer, whatever it says, unless it is a trusted proxy', async () => {
    assert.deepEqual(await peerOf(null, named('203.0.113.7')), itself);
    assert.deepEqual(await peerOf('10.0.0.0', named('203.0.113.7')), itself);
  });

  it('is whom a trusted proxy names, an IPv6 address by its /64', async () => {
    const trusted = '127.0.0.0';
    assert.deepEqual(await peerOf(trusted, named('203.0.113.7')), { address: '203.0.113.7', source: '203.0.113.7' });
    for (const address of ['2001:db8:0:1::7', '2001:db8:0:1:ffff::']) {
      assert.deepEqual(await peerOf(trusted, named(address)), { address, source: '2001:db8:0:1::/64' });
    }
    assert.deepEqual(await peerOf(trusted, []), itself);
    assert.deepEqual(await peerOf(trusted, named('nobody')), itself);
    assert.deepEqual(await peerOf(trusted, [...named('203.0.113.7'), ...named('203.0.113.8')]), itself);
  });
});
