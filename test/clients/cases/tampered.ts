import assert from 'node:assert/strict';
import fc from 'fast-check';
import { newMark, type Subject } from '../../support/clients/calls.ts';
import { type ClientRequest, type ClientSettings, type SignedRequest } from '../../support/clients/protocol.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';

/** Requests for each property: every one is sent as it is, and changed. */
const runs = 40;

/** A signed request as bytes on the wire. */
interface Wire {
  readonly method: string;
  readonly target: string;
  readonly headers: SignedRequest['headers'];
  readonly body: Buffer;
}

/** One change, and the code that it must be refused with. */
interface Change {
  readonly name: string;
  /** Null when the request has nothing of the kind. */
  readonly make: (wire: Wire, at: number) => { readonly wire: Wire; readonly code: string } | null;
}

const word = fc.string({ unit: fc.constantFrom(...Array.from('abcXYZ019-._~')), minLength: 1, maxLength: 6 });
const text = fc.string({
  unit: fc.constantFrom(...Array.from('aZ5 ü張\u{1f600}"\\\n=+%')),
  minLength: 1,
  maxLength: 12,
});
const pairs = fc
  .array(fc.tuple(word, text), { minLength: 1, maxLength: 5 })
  .map((list) => list.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'));
const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

/** The text with another letter or digit in place of the one at or after an index. */
function otherCharacter(value: string, at: number, alphabet = 'abcdef0123456789'): string | null {
  const places = Array.from(value.matchAll(/[A-Za-z0-9]/g), ({ index }) => index);
  const index = places[at % Math.max(1, places.length)];
  if (index === undefined) return null;
  const other = alphabet[(alphabet.indexOf(value[index] ?? '') + 1 + (at % (alphabet.length - 1))) % alphabet.length];
  return value.slice(0, index) + (other === value[index] ? 'Q' : (other ?? '')) + value.slice(index + 1);
}

function withHeader(wire: Wire, name: string, change: (value: string) => string | null): Wire | null {
  const found = wire.headers.find(([each]) => each.toLowerCase() === name);
  const value = found === undefined ? null : change(found[1]);
  if (found === undefined || value === null || value === found[1]) return null;
  return { ...wire, headers: wire.headers.map((each) => (each === found ? ([found[0], value] as const) : each)) };
}

const failed = (wire: Wire | null) => (wire === null ? null : { wire, code: 'AUTHENTICATION_FAILED' });
const inAuthorization = (name: string, at: number) => (value: string) => {
  const [whole = '', before = '', part = ''] = new RegExp(`(.*?${name}=")([^"]*)`).exec(value) ?? [];
  const other = otherCharacter(part, at);
  return other === null ? null : before + other + value.slice(whole.length);
};

const hmacChanges: readonly Change[] = [
  { name: 'the method', make: (wire) => failed({ ...wire, method: wire.method === 'PUT' ? 'POST' : 'PUT' }) },
  {
    name: 'a byte of the path',
    make: (wire, at) => {
      const [path = '', ...rest] = wire.target.split('?');
      const changed = otherCharacter(path.slice('/hmac/'.length), at);
      return changed === null ? null : failed({ ...wire, target: [`/hmac/${changed}`, ...rest].join('?') });
    },
  },
  {
    name: 'a byte of the query',
    make: (wire, at) => {
      const [path = '', query] = wire.target.split('?');
      const changed = query === undefined ? null : otherCharacter(query, at);
      return changed === null ? null : failed({ ...wire, target: `${path}?${changed}` });
    },
  },
  { name: 'an ampersand more', make: (wire) => failed({ ...wire, target: `${wire.target}&` }) },
  {
    name: 'the date, by a second',
    make: (wire, at) =>
      failed(
        withHeader(wire, 'date', (date) => new Date(Date.parse(date) + (at % 2 === 0 ? 1000 : -1000)).toUTCString()),
      ),
  },
  { name: 'a signed header', make: (wire, at) => failed(withHeader(wire, 'x-order', (it) => otherCharacter(it, at))) },
  { name: 'the nonce', make: (wire, at) => failed(withHeader(wire, 'x-nonce', (it) => otherCharacter(it, at))) },
  {
    name: 'a signed header left out',
    make: (wire) => ({
      wire: { ...wire, headers: wire.headers.filter(([name]) => name.toLowerCase() !== 'x-order') },
      code: 'CREDENTIALS_MALFORMED',
    }),
  },
  { name: 'the App Key', make: (wire, at) => failed(withHeader(wire, 'authorization', inAuthorization('appkey', at))) },
  {
    name: 'a character of the signature',
    make: (wire, at) => {
      // All but the last character before the padding, which would not be canonical.
      const changed = withHeader(wire, 'authorization', (value) => {
        const [, before = '', signature = '', after = ''] = /^(.*signature=")([^"]*)(.=")$/.exec(value) ?? [];
        const other = otherCharacter(signature, at);
        return other === null ? null : before + other + after;
      });
      return failed(changed);
    },
  },
  {
    name: 'a byte of the body',
    make: (wire, at) => {
      if (wire.body.length === 0) return null;
      const body = Buffer.from(wire.body);
      const index = at % body.length;
      body[index] = (body[index] ?? 0) ^ (1 << (at % 8));
      return { wire: { ...wire, body }, code: 'DIGEST_MISMATCH' };
    },
  },
  {
    name: 'a byte more in the body',
    make: (wire) =>
      wire.body.length === 0
        ? null
        : { wire: { ...wire, body: Buffer.concat([wire.body, Buffer.from('\n')]) }, code: 'DIGEST_MISMATCH' },
  },
];

/** Changes where the parameters are: in the query or the body. */
function inParameters(wire: Wire, change: (parameters: string) => string | null): Wire | null {
  const body = wire.body.toString('latin1');
  const [path = '', query = ''] = wire.target.split('?');
  const changed = change(body === '' ? query : body);
  if (changed === null || changed === (body === '' ? query : body)) return null;
  return body === '' ? { ...wire, target: `${path}?${changed}` } : { ...wire, body: Buffer.from(changed, 'latin1') };
}

/** The value of a name in a query, a form or a wrapper, changed in one character. */
const valueOf = (name: string, at: number) => (parameters: string) => {
  const found = new RegExp(`((?:^|&)${name}=|"${name}":"?)([A-Za-z0-9._-]+)`).exec(parameters);
  if (found === null) return null;
  const [whole, before = '', value = ''] = found;
  const digits = name === 'apiTimestamp' ? '0123456789' : 'abcdef0123456789';
  // A time that is still right: only its last digit.
  const kept = name === 'apiTimestamp' ? value.slice(0, -1) : '';
  const other = otherCharacter(value.slice(kept.length), at, digits);
  if (other === null) return null;
  return parameters.slice(0, found.index) + before + kept + other + parameters.slice(found.index + whole.length);
};

const parameterChanges: readonly Change[] = [
  ...['appKey', 'apiTimestamp', 'sign', 'nonce'].map((name): Change => {
    return { name, make: (wire, at) => failed(inParameters(wire, valueOf(name, at))) };
  }),
  {
    name: 'a parameter more',
    make: (wire) => (isWrapper(wire) ? null : failed(inParameters(wire, (it) => `zz=1&${it}`))),
  },
  {
    name: 'a letter of a name',
    make: (wire) => (isWrapper(wire) ? null : failed(inParameters(wire, (it) => `q${it}`))),
  },
  {
    name: 'the first value, with a letter more',
    make: (wire) => (isWrapper(wire) ? null : failed(inParameters(wire, (it) => it.replace(/^[^=&]*=/, '$&q')))),
  },
  {
    name: 'the data of a wrapper, with a letter more',
    make: (wire) => (isWrapper(wire) ? failed(inParameters(wire, (it) => it.replace(/^\{"data":"/, '$&q'))) : null),
  },
  {
    name: 'a signature in upper case',
    make: (wire) => {
      const changed = inParameters(wire, (it) => it.replace(/[0-9a-f]{128}/, (sign) => sign.toUpperCase()));
      return changed === null ? null : { wire: changed, code: 'CREDENTIALS_MALFORMED' };
    },
  },
];

const isWrapper = ({ body }: Wire): boolean => body.toString('latin1').startsWith('{"data"');

interface Plan {
  readonly request: Omit<ClientRequest, 'url'> & { readonly rest: string };
  readonly settings: Partial<ClientSettings>;
}

const hmacPlans: fc.Arbitrary<Plan> = fc
  .record({
    query: pairs,
    value: word,
    body: fc.option(fc.uint8Array({ minLength: 1, maxLength: 20 })),
    nonce: fc.boolean(),
  })
  .map(({ query, value, body, nonce }) => ({
    request: {
      method: body === null ? 'GET' : 'POST',
      rest: `?${query}`,
      headers: [['X-Order', value] as const],
      ...(body === null ? {} : { body: { base64: Buffer.from(body).toString('base64') } }),
    },
    settings: { nonce, signedHeaders: ['x-order', 'host'] },
  }));

const parameterPlans: fc.Arbitrary<Plan> = fc
  .tuple(fc.constantFrom('URL', 'form', 'JSON'), pairs, text, fc.boolean())
  .map(([kind, parameters, data, nonce]) => {
    if (kind === 'URL') return { request: { method: 'GET', rest: `?${parameters}`, headers: [] }, settings: { nonce } };
    const body = { text: kind === 'form' ? parameters : data };
    return {
      request: { method: 'POST', rest: '', headers: [kind === 'form' ? form : json], body },
      settings: { nonce },
    };
  });

/** A request signed by the client passes as it is, and with any single change it is refused with the right code. */
export function tamperedCases(subject: () => Subject): void {
  const check = async (plan: Plan, method: 'hmac' | 'parameter-signature', change: Change, at: number) => {
    const { gateway, driver, partner } = subject();
    const [endpoint, credential] = method === 'hmac' ? ['hmac', partner.hmac] : ['parameters', partner.parameters];
    const [{ rest, ...request }, mark] = [plan.request, newMark()];
    const client = await driver.create({ method, ...credential, ...plan.settings });
    const url = `${gateway.plainUrl}/${endpoint}/${mark}${rest}`;
    const answer = await driver.sign(client, { ...request, url });
    assert.ok('signed' in answer, JSON.stringify(answer));
    const wire = wireOf(answer.signed, gateway.plainUrl);
    const changed = change.make(wire, at);
    fc.pre(changed !== null);
    const refused = await exchange(gateway.plainPort, changed.wire);
    const { code } = refused.status === 200 ? { code: 'ALLOWED' } : (jsonBody(refused) as { readonly code: string });
    assert.equal(code, changed.code, `${change.name} of ${answer.signed.url}`);
    assert.equal((await exchange(gateway.plainPort, wire)).status, 200, 'unchanged');
    assert.equal(gateway.received(mark).length, 1, 'only the unchanged request reaches the back end');
  };

  describe('a single change to a signed request is refused', () => {
    for (const [method, plans, changes] of [
      ['hmac', hmacPlans, hmacChanges],
      ['parameter-signature', parameterPlans, parameterChanges],
    ] as const) {
      it(`of ${method}`, async () => {
        await fc.assert(
          fc.asyncProperty(plans, fc.constantFrom(...changes), fc.nat(), (plan, change, at) =>
            check(plan, method, change, at),
          ),
          { numRuns: runs },
        );
      });
    }
  });
}

function wireOf({ method, url, headers, body }: SignedRequest, origin: string): Wire {
  assert.ok(url.startsWith(origin), url);
  const own = ['host', 'content-length'];
  return {
    method,
    target: url.slice(origin.length),
    headers: headers.filter(([name]) => !own.includes(name.toLowerCase())),
    body: Buffer.from(body, 'base64'),
  };
}

async function exchange(port: number, { body, ...wire }: Wire): Promise<HttpAnswer> {
  const host = `127.0.0.1:${String(port)}`;
  return await http1(port, { ...wire, host, ...(body.length === 0 ? {} : { body }) });
}
