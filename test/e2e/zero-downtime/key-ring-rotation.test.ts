import assert from 'node:assert/strict';
import { copyFile, rename } from 'node:fs/promises';
import { send } from '../../support/http/http-client.ts';
import { jsonBody } from '../../support/http/http-message.ts';
import { getToken, handOver, mixedRequests, signed, withToken } from '../../support/fleet/partners.ts';
import { ringOf, usePartnerFleet } from '../../support/fleet/use-partner-fleet.ts';
import { type LoadRequest, startLoad } from '../../support/load/open-load.ts';
import { decodeSegment, partsOf } from '../../support/oauth2/forged-token.ts';
import { poll } from '../../support/time/poll.ts';
import { assertNoFailure, mixedKinds } from './assert-no-failure.ts';

const REQUESTS_PER_SECOND = 80;
/** Between two steps, and between two tries for tokens: a source may ask for 600 tokens in a minute. */
const SOME = 60;
/** Tokens asked for, so that both replicas have issued some. */
const TOKENS = 6;
const ringInForce = 'the key ring is in force';

describe('a rotation of the key ring with a copy for each replica, under load', function () {
  this.timeout(120_000);
  const fleet = usePartnerFleet();
  /** What partners send in turn; a rotation brings new credentials and tokens. */
  const senders: (() => LoadRequest)[] = [];
  let turn = 0;
  const next = (): LoadRequest => {
    turn += 1;
    const sender = senders[turn % senders.length];
    assert.ok(sender);
    return sender();
  };

  /** Brings the operator's ring to one replica, as a copied file, and waits until it is in force there. */
  async function bringTo(replica: number): Promise<void> {
    const path = ringOf(replica, fleet.folder);
    const loaded = (): number =>
      fleet.replicas[replica]?.process.logs().filter(({ message }) => message === ringInForce).length ?? 0;
    const before = loaded();
    await copyFile(fleet.environment.POSTERN_KEYRING, `${path}.next`);
    await rename(`${path}.next`, path);
    await poll(`replica ${String(replica)} to take the ring`, () => Promise.resolve(loaded() > before ? true : null));
  }

  /** Ids of the ring's keys by their state. */
  async function keys(): Promise<Readonly<Record<string, string>>> {
    const { keys: shown } = JSON.parse(await fleet.postern('keyring', 'show', '-o', 'json')) as {
      readonly keys: readonly { readonly id: string; readonly state: string }[];
    };
    return Object.fromEntries(shown.map(({ id, state }) => [state, id]));
  }

  /** Tokens of the replicas, with the ids of the keys that signed them. */
  async function getTokens(): Promise<readonly { readonly token: string; readonly keyId: unknown }[]> {
    const tokens = await Promise.all(
      Array.from({ length: TOKENS }, async () => await getToken(fleet.envoy.port, fleet.partner.oauth2)),
    );
    return tokens.map((token) => ({ token, keyId: decodeSegment(partsOf(token).header)['kid'] }));
  }

  it('fails no request, whatever is issued and signed in between', async () => {
    const port = fleet.envoy.port;
    const { current: former } = await keys();
    const ofFormer = await getTokens();
    assert.ok(ofFormer.every(({ keyId }) => keyId === former));
    const [oldest] = ofFormer;
    assert.ok(oldest);
    senders.push(mixedRequests(fleet.partner, oldest.token));
    await using load = startLoad({ port, perSecond: REQUESTS_PER_SECOND, next });
    await load.more(SOME);

    await fleet.postern('keyring', 'rotate', '--stage');
    await bringTo(0);
    await load.more(SOME);
    await bringTo(1);
    await fleet.postern('keyring', 'rotate', '--promote');
    const { current: latter } = await keys();
    assert.notEqual(latter, former);
    // Sealed with the key that only one replica seals and signs with so far.
    const issued = await handOver(fleet, 'credential issue --consumer acme --method hmac --id acme-new');
    const rotated = await handOver(fleet, 'credential rotate acme-hmac --grace 1h');
    await bringTo(0);
    const ofBoth = await poll('tokens signed by either key', async () => {
      const tokens = await getTokens();
      if (new Set(tokens.map(({ keyId }) => keyId)).size === 2) return tokens;
      await load.more(SOME);
      return null;
    });
    for (const credential of [issued, rotated]) {
      senders.push(() => ({ kind: 'hmac', request: signed(credential) }));
    }
    for (const { token } of ofBoth) senders.push(() => ({ kind: 'oauth2', request: withToken(token) }));
    await load.more(SOME);
    await bringTo(1);
    await load.more(SOME);

    assert.match(await fleet.postern('keyring', 'rewrap'), /current/);
    await load.more(SOME);
    // An hour later nobody has tokens of the former key any more.
    const ofLatter = await poll('tokens signed by the new key', async () => {
      const tokens = await getTokens();
      if (tokens.every(({ keyId }) => keyId === latter)) return tokens;
      await load.more(SOME);
      return null;
    });
    const [newest] = ofLatter;
    assert.ok(newest && former !== undefined);
    senders.splice(0, senders.length, mixedRequests({ ...fleet.partner, hmac: rotated }, newest.token), () => ({
      kind: 'hmac',
      request: signed(issued),
    }));
    await load.more(SOME);
    await fleet.postern('keyring', 'remove', former, '--yes');
    await bringTo(0);
    await load.more(SOME);
    await bringTo(1);
    await load.more(SOME);
    assertNoFailure(await load.stop(), mixedKinds);

    const refused = await send('HTTP/1.1', port, withToken(oldest.token));
    assert.deepEqual([refused.status, (jsonBody(refused) as { code: string }).code], [401, 'TOKEN_INVALID']);
    assert.deepEqual(await keys(), { current: latter });
  });
});
