import assert from 'node:assert/strict';
import { type PlainRequest, type Protocol, protocols } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { type SignedCode } from '../../support/partner/assert-signed-refused.ts';
import { nowSeconds } from '../../support/partner/hmac.ts';
import { formRequest, jsonRequest, signOf, withSign, wrapperOf } from '../../support/partner/parameters.ts';
import { acme, acmeFormer, overseas, type PartnerKey, unusableKeys } from '../../support/partner/signature-document.ts';
import { useSignedStack, withinOneSecond } from '../../support/partner/use-signed-stack.ts';

const K = `appKey=${acme.appKey}`;

/** The three forms of one request, from its plain parameters without `sign`, the JSON form from `data`. */
const forms: Readonly<Record<string, (key: PartnerKey, timestamp?: number) => PlainRequest>> = {
  URL: (key, timestamp) => ({ target: `/signed?${plain(key, timestamp)}` }),
  form: (key, timestamp) => formRequest('/signed', plain(key, timestamp)),
  JSON: ({ appKey, secret }, timestamp) =>
    jsonRequest(
      '/signed',
      wrapperOf('{}', { appKey, secret, ...(timestamp === undefined ? {} : { apiTimestamp: String(timestamp) }) }),
    ),
};

function plain({ appKey, secret }: PartnerKey, timestamp?: number): string {
  const stamp = timestamp === undefined ? '' : `&apiTimestamp=${String(timestamp)}`;
  return withSign(`a=1&appKey=${appKey}&b=2${stamp}`, `a=1${stamp}&appKey=${appKey}&b=2`, secret);
}

/** One change each to parameters that were signed as they stood before; the same in URL and form. */
const tamperings: Readonly<Record<string, readonly [code: SignedCode, change: (wire: string) => string]>> = {
  'a value': ['AUTHENTICATION_FAILED', (wire) => wire.replace('a=1', 'a=2')],
  'a value, empty now': ['AUTHENTICATION_FAILED', (wire) => wire.replace('a=1', 'a=')],
  'a name': ['AUTHENTICATION_FAILED', (wire) => wire.replace('a=1', 'A=1')],
  'a parameter left out': ['AUTHENTICATION_FAILED', (wire) => wire.replace('a=1&', '')],
  'a parameter added': ['AUTHENTICATION_FAILED', (wire) => `${wire}&c=3`],
  'a parameter without value added': ['AUTHENTICATION_FAILED', (wire) => `${wire}&c`],
  'a parameter without name added': ['AUTHENTICATION_FAILED', (wire) => `${wire}&=`],
  'a parameter repeated': ['AUTHENTICATION_FAILED', (wire) => `${wire}&a=1`],
  'the order of repeats': ['AUTHENTICATION_FAILED', (wire) => wire.replace('r=1&r=2', 'r=2&r=1')],
  'two values changed places': ['AUTHENTICATION_FAILED', (wire) => wire.replace('a=1&b=2', 'a=2&b=1')],
  'a blank after a value': ['AUTHENTICATION_FAILED', (wire) => wire.replace('a=1', 'a=1+')],
  'a percent sign encoded twice': ['AUTHENTICATION_FAILED', (wire) => wire.replace('%C3%A9', '%25C3%25A9')],
  'the App Key': ['AUTHENTICATION_FAILED', (wire) => wire.replace(acme.appKey, overseas.appKey)],
  'the time': [
    'AUTHENTICATION_FAILED',
    (wire) => wire.replace(/apiTimestamp=(\d+)/, (_, at: string) => `apiTimestamp=${String(Number(at) + 1)}`),
  ],
  'the time left out': ['AUTHENTICATION_FAILED', (wire) => wire.replace(/&apiTimestamp=\d+/, '')],
  'the time, the same with a zero before it': [
    'AUTHENTICATION_FAILED',
    (wire) => wire.replace('apiTimestamp=', 'apiTimestamp=0'),
  ],
  'one digit of sign': ['AUTHENTICATION_FAILED', (wire) => wire.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
  'sign in upper case': [
    'CREDENTIALS_MALFORMED',
    (wire) => wire.replace(/[0-9a-f]{128}$/, (sign) => sign.toUpperCase()),
  ],
  'sign cut': ['CREDENTIALS_MALFORMED', (wire) => wire.slice(0, -1)],
  'sign twice': ['CREDENTIALS_MALFORMED', (wire) => `${wire}&sign=${wire.slice(-128)}`],
  'sign left out': ['CREDENTIALS_MISSING', (wire) => wire.replace(/&sign=.*/, '')],
  'the App Key left out': ['CREDENTIALS_MISSING', (wire) => wire.replace(`&${K}`, '')],
  'an "&" that joins two parameters, encoded': ['AMBIGUOUS_PARAMETERS', (wire) => wire.replace('1&b', '1%26b')],
  'an "=" in a name, encoded': ['AMBIGUOUS_PARAMETERS', (wire) => wire.replace('a=1', 'a%3D1')],
  'two parameters joined to one': ['AMBIGUOUS_PARAMETERS', (wire) => wire.replace('a=1&b=2', 'a=1%26b%3D2')],
};

/** What may be written another way without meaning something else. */
const harmless: Readonly<Record<string, (wire: string) => string>> = {
  nothing: (wire) => wire,
  'the order of names': (wire) => wire.replace('a=1&b=2', 'b=2&a=1'),
  'sign first': (wire) => `${wire.slice(-133)}&${wire.slice(0, -134)}`,
  'letters that are encoded': (wire) => wire.replace('a=1', '%61=%31').replace('%C3%A9', '%c3%a9'),
  'empty segments': (wire) => `&&${wire.replace('&b', '&&b')}&`,
};

describe('a request to a parameter-signature endpoint', () => {
  const stack = useSignedStack('parameter-signature', [{ id: 'signed', authentication: 'parameter-signature' }]);
  const original = (): string => {
    const time = String(nowSeconds());
    return withSign(
      `a=1&b=2&${K}&apiTimestamp=${time}&q=caf%C3%A9&r=1&r=2`,
      `a=1&apiTimestamp=${time}&${K}&b=2&q=café&r=1&r=2`,
    );
  };
  const inUrl = (wire: string): PlainRequest => ({ target: `/signed?${wire}` });
  const inForm = (wire: string): PlainRequest => formRequest('/signed', wire);

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      for (const [part, change] of Object.entries(harmless)) {
        it(`is accepted and goes on as it is: ${part} changed`, async () => {
          const wire = change(original());
          assert.equal(stack.assertAllowed(await stack.send(protocol, inUrl(wire))).target, `/signed?${wire}`);
          stack.running().backend.reset();
          assert.equal(stack.assertAllowed(await stack.send(protocol, inForm(wire))).body.toString(), wire);
        });
      }

      for (const [part, [code, change]] of Object.entries(tamperings)) {
        it(`is refused with ${code}: ${part} changed`, async () => {
          const wire = original();
          assert.notEqual(change(wire), wire);
          stack.assertRefused(await stack.send(protocol, inUrl(change(wire))), code);
          stack.assertRefused(await stack.send(protocol, inForm(change(wire))), code);
        });
      }

      it('is accepted over another method, path and host: the signature covers none of them', async () => {
        const wire = original();
        const request = { method: 'DELETE', target: `/signed/other/path?${wire}`, host: 'other.example.com' };
        stack.assertAllowed(await stack.send(protocol, request));
      });

      for (const [form, request] of Object.entries(forms)) {
        it(`tells the back end who calls: ${form}`, async () => {
          for (const key of [acme, acmeFormer, overseas]) {
            stack.running().backend.reset();
            const { headers } = stack.assertAllowed(await stack.send(protocol, request(key)));
            assert.deepEqual(
              ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'].map((name) =>
                fieldValue(headers, name),
              ),
              ['acme', 'Acme Ltd', key === overseas ? 'acme-overseas' : 'acme-both'],
            );
          }
        });

        for (const side of [-1, 1]) {
          it(`may be 300 s ${side < 0 ? 'old' : 'ahead'} and not one more: ${form}`, async () => {
            const at = (distance: number): Promise<HttpAnswer> =>
              withinOneSecond(stack.running(), (now) => stack.send(protocol, request(acme, now + side * distance)));
            assert.equal((await at(300)).status, 200);
            stack.assertRefused(await at(301), 'REQUEST_EXPIRED');
          });
        }

        it(`is told of a late time only when the signature is right: ${form}`, async () => {
          const late = request({ ...acme, secret: 'some other secret' }, nowSeconds() - 1000);
          stack.assertRefused(await stack.send(protocol, late), 'AUTHENTICATION_FAILED');
        });

        it(`is refused in the same words, whatever is the matter with its App Key: ${form}`, async () => {
          const answers: unknown[] = [];
          for (const key of Object.values(unusableKeys)) {
            const answer = await stack.send(protocol, request(key));
            stack.assertRefused(answer, 'AUTHENTICATION_FAILED');
            const { requestId, ...body } = jsonBody(answer) as Record<string, unknown>;
            assert.ok(requestId);
            answers.push([body, answer.headers.filter(([name]) => !['x-request-id', 'date'].includes(name))]);
          }
          for (const answer of answers) assert.deepEqual(answer, answers[0]);
        });
      }

      it('is refused when the signature of one form stands in another that says something else', async () => {
        const sign = signOf(`${K}&data={}`);
        stack.assertRefused(
          await sendJson(protocol, `{"data":"{ }","appKey":"${acme.appKey}","sign":"${sign}"}`),
          'AUTHENTICATION_FAILED',
        );
        // Inherent in the interface: the three forms share one string to sign.
        const shared = await stack.send(protocol, { target: `/signed?data={}&${K}&sign=${sign}` });
        assert.equal(stack.assertAllowed(shared).target, `/signed?data={}&${K}&sign=${sign}`);
      });

      it('is refused when its wrapper was changed in any field', async () => {
        const text = wrapperOf('{"a":1}', { apiTimestamp: String(nowSeconds()) }).toString();
        for (const [from, to, code] of [
          [':1}', ':2}', 'AUTHENTICATION_FAILED'],
          ['{\\"a', '{ \\"a', 'AUTHENTICATION_FAILED'],
          [acme.appKey, overseas.appKey, 'AUTHENTICATION_FAILED'],
          [/,"apiTimestamp":\d+/, '', 'AUTHENTICATION_FAILED'],
          [/"apiTimestamp":(\d+)\d/, '"apiTimestamp":$1', 'AUTHENTICATION_FAILED'],
          ['}', ',"sign":""}', 'MALFORMED_WRAPPER'],
          [/}$/, ',"more":"1"}', 'MALFORMED_WRAPPER'],
          [/}$/, '} ', 'ACCEPTED'],
          [/}$/, '}x', 'MALFORMED_WRAPPER'],
        ] as const) {
          const changed = text.replace(from, to);
          assert.notEqual(changed, text);
          const answer = await sendJson(protocol, changed);
          if (code === 'ACCEPTED') assert.equal(stack.assertAllowed(answer).body.toString(), '{"a":1}');
          else assert.equal((jsonBody(answer) as { code: string }).code, code, String(from));
        }
        assert.equal(stack.running().backend.requests.length, 1);
      });
    });
  }

  function sendJson(protocol: Protocol, body: string): Promise<HttpAnswer> {
    return stack.send(protocol, jsonRequest('/signed', Buffer.from(body)));
  }

  it('leaves no sign and no parameter in a log', async () => {
    const wire = withSign(`private=partner-data&${K}`);
    stack.assertAllowed(await stack.send('HTTP/1.1', inUrl(wire)));
    stack.running().backend.reset();
    const answer = await stack.send('HTTP/1.1', inUrl(wire.replace('partner-data', 'partner-dato')));
    stack.assertRefused(answer, 'AUTHENTICATION_FAILED');
    const { requestId } = jsonBody(answer) as { requestId: string };
    await stack.running().postern.logLine((line) => line['requestId'] === requestId);
    await stack.logged(answer);
    const written = stack.running().postern.output() + stack.running().envoy.output();
    for (const text of [wire.slice(-128), 'partner-dat', acme.secret]) assert.ok(!written.includes(text), text);
  });
});
