import assert from 'node:assert/strict';
import {
  call,
  createClient,
  newMark,
  assertAnswered,
  assertRefusal,
  type Subject,
} from '../../support/clients/calls.ts';
import { type ClientParts } from '../../support/clients/calls.ts';
import { type ForeignRequest } from '../../support/clients/other-origin.ts';
import { type ClientRequest, type ClientSettings, type Sent } from '../../support/clients/protocol.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { type Relay, startRelay } from '../../support/stack/relay.ts';

const octets = ['Content-Type', 'application/octet-stream'] as const;
/** Some libraries take a request with such a header as one that may be sent twice. */
const idempotent = ['Idempotency-Key', '7'] as const;

/** Requests that an API must not get twice. */
const onlyOnce: Readonly<Record<string, Omit<ClientRequest, 'url'>>> = {
  'POST with a body': { method: 'POST', headers: [octets], body: { text: 'x' } },
  'POST without a body': { method: 'POST', headers: [] },
  'PATCH with an Idempotency-Key': { method: 'PATCH', headers: [octets, idempotent], body: { text: 'x' } },
  'POST with an Idempotency-Key and no body': { method: 'POST', headers: [idempotent] },
};

/** The connection breaks while an answer is awaited: what may not reach the API twice is sent once. */
export function brokenConnectionCases(subject: () => Subject): void {
  /** Sends a request to a back end that takes it on a warm connection, and then breaks that. */
  const sendWarm = async (
    [method, settings]: readonly [ClientSettings['method'], ClientParts],
    request: Omit<ClientRequest, 'url'>,
  ): Promise<{ readonly sent: Sent; readonly got: readonly ForeignRequest[] }> => {
    const { driver, gateway, way } = subject();
    const client = await createClient(subject(), method, settings);
    const [mark, { elsewhere }] = [newMark(), gateway];
    const first = newMark();
    assertAnswered(
      await driver.send(client, way, { method: 'GET', url: `${elsewhere.url}/${first}`, headers: [] }),
      way,
    );
    let isBroken = false;
    elsewhere.answer(mark, () => {
      if (isBroken) return { status: 200 };
      isBroken = true;
      return null;
    });
    const sent = await driver.send(client, way, { ...request, url: `${elsewhere.url}/${mark}` });
    const got = elsewhere.received(mark);
    if (way.library?.isPoolUncertain !== true && request.method === 'GET') {
      assert.equal(got[0]?.connection, elsewhere.received(first)[0]?.connection, 'the connection was not a warm one');
    }
    return { sent, got };
  };

  describe('a connection that breaks before the answer', () => {
    for (const [name, request] of Object.entries(onlyOnce)) {
      for (const [method, retries] of [
        ['hmac', 0],
        ['hmac', 2],
        ['key', 2],
      ] as const) {
        it(`sends once: ${name}, by ${method} with ${String(retries)} retries`, async () => {
          const { sent, got } = await sendWarm([method, { retries }], request);
          assert.equal(got.length, 1, `${String(got.length)} times: ${JSON.stringify(sent)}`);
          assert.ok('error' in sent && sent.error !== '', JSON.stringify(sent));
        });
      }
    }

    it('signs a GET anew each time', async () => {
      const { sent, got } = await sendWarm(['hmac', { nonce: true }], { method: 'GET', headers: [] });
      assertAnswered(sent, subject().way);
      if (subject().way.library?.isResending === true) return;
      const signatures = got.map(({ headers }) => fieldValue(headers, 'authorization'));
      assert.equal(new Set(signatures).size, got.length, `one signature for ${String(got.length)} attempts`);
    });
  });

  describe('a connection to the gateway that breaks after the API has the request', () => {
    let relay: Relay;
    before(async () => {
      relay = await startRelay(Number(new URL(subject().gateway.url).port));
    });
    after(() => relay[Symbol.asyncDispose]());

    const send = async (settings: ClientParts, request: Omit<ClientRequest, 'url'>) => {
      const { driver, gateway, way } = subject();
      const [mark, client] = [newMark(), await createClient(subject(), 'hmac', { nonce: true, ...settings })];
      const url = `https://127.0.0.1:${String(relay.port)}/hmac-once/${mark}`;
      gateway.backend.reset();
      const warm = { method: 'GET', url: url.replace(mark, 'warm'), headers: [] };
      assertAnswered(await driver.send(client, way, warm), way);
      gateway.backend.answer = () => {
        if (gateway.received(mark).length === 1) {
          relay.cut();
          relay.restore();
        }
        return { status: 200, body: 'ok\n' };
      };
      const sent = await driver.send(client, way, { ...request, url });
      return { sent, got: gateway.received(mark), codes: (await gateway.decisions(mark)).map(({ code }) => code) };
    };

    for (const [name, request] of Object.entries(onlyOnce)) {
      it(`lets the API execute once: ${name}`, async () => {
        for (const retries of [0, 2]) {
          const { sent, got, codes } = await send({ retries }, request);
          assert.equal(got.length, 1, `${codes.join()}: ${JSON.stringify(sent)}`);
          assert.ok('error' in sent, JSON.stringify(sent));
        }
      });
    }

    it('answers a GET in the end', async () => {
      const { sent } = await send({}, { method: 'GET', headers: [] });
      assertAnswered(sent, subject().way);
    });
  });

  describe('a request that was accepted before', () => {
    const refuseFirst = () => {
      const { backend } = subject().gateway;
      backend.answer = ({ target }) => {
        if (subject().gateway.received(target).length > 1) return { status: 200, body: 'ok\n' };
        const body = JSON.stringify({ code: 'REQUEST_REPLAYED', message: 'Again.', requestId: 'a' });
        return { status: 401, headers: [['content-type', 'application/json']], body };
      };
    };

    for (const [name, request] of Object.entries(onlyOnce)) {
      it(`is told so, and not made again: ${name}`, async () => {
        const [mark, client] = [newMark(), await createClient(subject(), 'hmac', { nonce: true })];
        refuseFirst();
        const refusal = assertRefusal(await call(subject(), client, 'hmac', mark, request), 401, 'REQUEST_REPLAYED');
        assert.equal(refusal.acceptedBefore, true);
        assert.equal(subject().gateway.received(mark).length, 1);
      });
    }

    it('is signed anew where it may be repeated', async () => {
      const [mark, client] = [newMark(), await createClient(subject(), 'hmac', { nonce: true })];
      refuseFirst();
      assertAnswered(await call(subject(), client, 'hmac', mark), subject().way);
      assert.equal(subject().gateway.received(mark).length, 2);
    });
  });
}
