import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { assertProblem } from '../../support/clients/calls.ts';
import { type Driver } from '../../support/clients/driver.ts';
import { bytesOf, type SignedRequest } from '../../support/clients/protocol.ts';
import { type SigningVector, signingVectors } from '../../support/clients/vectors.ts';

/** The client makes exactly the request of every case in clients/vectors.json. */
export function vectorCases(driver: () => Driver): void {
  describe('signs as clients/vectors.json says', () => {
    for (const vector of signingVectors()) {
      it(vector.name, async () => {
        const { client, now, nonce, request, problem } = vector;
        const nonces = nonce === undefined ? {} : { nonces: [nonce] };
        const answer = await driver().sign(await driver().create({ ...client, now, ...nonces }), request);
        if (problem !== undefined) {
          assertProblem(answer, problem);
          return;
        }
        assert.ok('signed' in answer, `not signed: ${JSON.stringify(answer)}`);
        assertSigned(answer.signed, vector);
      });
    }
  });
}

/** A driver's request is exactly the one that a case says. */
export function assertSigned(
  made: SignedRequest,
  { request, signed }: Pick<SigningVector, 'request' | 'signed'>,
): void {
  assert.ok(signed !== undefined, 'the case has a signed request');
  const [, origin, target] = partsOf(made.url);
  assert.equal(made.method, request.method, 'method');
  assert.equal(origin, partsOf(request.url)[1], 'origin');
  assert.equal(target, signed.target, 'target');

  const body = Buffer.from(made.body, 'base64');
  if (signed.body !== undefined && 'sha256' in signed.body) {
    const digest = createHash('sha256').update(body).digest('hex');
    assert.deepEqual({ sha256: digest, length: body.length }, signed.body, 'body');
  } else {
    const wanted = bytesOf(signed.body ?? request.body);
    assert.ok(body.equals(wanted), `body: ${body.toString().slice(0, 500)}\nnot: ${wanted.toString().slice(0, 500)}`);
  }

  const set = new Set(signed.headers.map(([name]) => name.toLowerCase()));
  const kept = request.headers.filter(([name]) => !set.has(name.toLowerCase()));
  assert.deepEqual(comparable(made.headers, body, origin), comparable([...kept, ...signed.headers], body, origin));
}

/** Scheme and authority without the scheme's own port, and the target without a fragment. */
function partsOf(url: string): readonly [url: string, origin: string, target: string] {
  const [, scheme = '', authority = '', rest = ''] = /^(https?):\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
  const ownPort = scheme === 'https' ? /:443$/ : /:80$/;
  return [url, `${scheme}://${authority.toLowerCase().replace(ownPort, '')}`, rest.startsWith('/') ? rest : `/${rest}`];
}

/**
 * Headers without regard to the order and case of names. Those of the message itself may be there already, and then
 * must be right.
 */
function comparable(headers: SignedRequest['headers'], body: Buffer, origin: string): readonly string[] {
  const own: Readonly<Record<string, string>> = {
    'content-length': String(body.length),
    host: origin.replace(/^https?:\/\//, ''),
  };
  return headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => own[name] !== (name === 'host' ? value.toLowerCase() : value))
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
}
