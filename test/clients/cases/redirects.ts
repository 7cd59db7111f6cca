import assert from 'node:assert/strict';
import { call, createClient, newMark, type Subject } from '../../support/clients/calls.ts';

const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

const secretHeaders = ['authorization', 'digest', 'x-app-key', 'x-nonce'];

/** A back end that sends a caller to another origin gets no credentials sent there. */
export function redirectCases(subject: () => Subject): void {
  describe('a redirect to another origin', () => {
    for (const [name, method, endpoint, settings, parts] of [
      ['key', 'key', 'key', {}, {}],
      ['key in the query', 'key', 'key', { carrier: { query: 'appKey' } }, {}],
      ['hmac', 'hmac', 'hmac', { nonce: true }, {}],
      ['hmac with a body', 'hmac', 'hmac', { nonce: true }, { method: 'POST', headers: [json], body: { text: '1' } }],
      ['parameters', 'parameter-signature', 'parameters', {}, { rest: '?a=1' }],
      ['a form', 'parameter-signature', 'parameters', {}, { method: 'POST', headers: [form], body: { text: 'a=1' } }],
      ['a wrapper', 'parameter-signature', 'parameters', {}, { method: 'POST', headers: [json], body: { text: '1' } }],
      ['oauth2', 'oauth2', 'bearer', {}, {}],
    ] as const) {
      it(`takes no credentials and no signature there: ${name}`, async () => {
        const { gateway, partner } = subject();
        for (const [status, origin] of [
          [302, gateway.elsewhere.url],
          [307, gateway.elsewhere.urlByName],
          [308, gateway.elsewhere.url],
        ] as const) {
          const [mark, client] = [newMark(), await createClient(subject(), method, settings)];
          gateway.backend.answer = () => ({ status, headers: [['location', `${origin}/${mark}`]] });
          const sent = await call(subject(), client, endpoint, mark, parts);
          if ('response' in sent) assert.ok([status, 200].includes(sent.response.status), JSON.stringify(sent));
          assert.equal(gateway.received(mark).length, 1, 'the gateway was called once');
          for (const { target, headers, body } of gateway.elsewhere.received(mark)) {
            const names = headers.map(([each]) => each.toLowerCase()).filter((each) => secretHeaders.includes(each));
            assert.deepEqual(names, [], `${String(status)}: headers that reached another origin`);
            const rest = target + body.toString();
            assert.ok(!/appKey|[?&]sign=|"sign"/.test(rest), `${String(status)}: reached another origin: ${rest}`);
            assert.ok(!rest.includes(partner.key), `${String(status)}: the key reached another origin`);
          }
        }
      });
    }
  });
}
