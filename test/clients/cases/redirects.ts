import assert from 'node:assert/strict';
import {
  call,
  type CallParts,
  type ClientParts,
  createClient,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';
import { type EndpointName } from '../../support/clients/partner-document.ts';
import { type ClientSettings } from '../../support/clients/protocol.ts';

const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

const secretHeaders = ['authorization', 'digest', 'x-app-key', 'x-nonce'];

interface Redirected {
  readonly method: ClientSettings['method'];
  readonly endpoint: EndpointName;
  readonly settings?: ClientParts;
  readonly parts?: CallParts;
}

const hmac = { method: 'hmac', endpoint: 'hmac', settings: { nonce: true } } as const;
const parameters = { method: 'parameter-signature', endpoint: 'parameters' } as const;

const redirected: Readonly<Record<string, Redirected>> = {
  key: { method: 'key', endpoint: 'key' },
  'key in the query': { method: 'key', endpoint: 'key', settings: { carrier: { query: 'appKey' } } },
  hmac,
  'hmac with a body': { ...hmac, parts: { method: 'POST', headers: [json], body: { text: '1' } } },
  parameters: { ...parameters, parts: { rest: '?a=1' } },
  'a form': { ...parameters, parts: { method: 'POST', headers: [form], body: { text: 'a=1' } } },
  'a wrapper': { ...parameters, parts: { method: 'POST', headers: [json], body: { text: '1' } } },
  oauth2: { method: 'oauth2', endpoint: 'bearer' },
};

/**
 * A back end that sends a caller elsewhere gets no credentials sent there, and one that sends it to another path gets no
 * old signature; whether or not the library is asked to follow.
 */
export function redirectCases(subject: () => Subject): void {
  describe('a redirect to another origin', () => {
    for (const [name, { method, endpoint, settings, parts }] of Object.entries(redirected)) {
      for (const follow of [false, true]) {
        it(`takes no credentials and no signature there: ${name}${follow ? ', told to follow' : ''}`, async () => {
          const { gateway, partner } = subject();
          for (const [status, origin] of [
            [302, gateway.elsewhere.url],
            [307, gateway.elsewhere.urlByName],
            [308, gateway.elsewhere.url],
          ] as const) {
            const [mark, client] = [newMark(), await createClient(subject(), method, settings)];
            gateway.backend.answer = () => ({ status, headers: [['location', `${origin}/${mark}`]] });
            const sent = await call(subject(), client, endpoint, mark, { ...parts, follow });
            if ('response' in sent) assert.ok([status, 200].includes(sent.response.status), JSON.stringify(sent));
            else assert.ok(follow, JSON.stringify(sent));
            const most = gateway.received(mark).length;
            assert.ok('response' in sent ? most === 1 : most <= 1, 'the gateway was called once');
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
    }
  });

  describe('a redirect to another path of the gateway', () => {
    for (const [name, { method, endpoint, settings, parts }] of Object.entries(redirected)) {
      it(`is not followed, or signed anew: ${name}`, async () => {
        const { gateway } = subject();
        for (const status of [302, 307]) {
          const [mark, client] = [newMark(), await createClient(subject(), method, settings)];
          gateway.backend.answer = ({ target }) =>
            target.includes('/next') ? {} : { status, headers: [['location', `/${endpoint}/${mark}/next`]] };
          const sent = await call(subject(), client, endpoint, mark, { ...parts, follow: true });
          const decisions = await gateway.decisions(mark);
          const codes = decisions.map(({ code }) => code).filter((code) => code !== 'ALLOWED');
          assert.deepEqual(codes, [], `${String(status)}: ${JSON.stringify(sent)}`);
        }
      });
    }
  });
}
