import assert from 'node:assert/strict';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValue, jsonBody } from '../../support/http/http-message.ts';
import { nowSeconds } from '../../support/partner/hmac.ts';
import { formRequest, jsonRequest, withSign, wrapperOf } from '../../support/partner/parameters.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const K = `appKey=${acme.appKey}`;
/** Parameters around the credentials, as on the wire and as they are signed, and what is left of them. */
const cases: Readonly<Record<string, readonly [before: string, after: string, text: string, kept: string]>> = {
  'nothing else': ['', '', '', ''],
  'one parameter before': ['a=1&', '', 'a=1&', 'a=1'],
  'one parameter after': ['', '&a=1', 'a=1&', 'a=1'],
  'parameters on both sides': ['a=1&', '&a=2', 'a=1&a=2&', 'a=1&a=2'],
  'bytes that could be written another way': ['a=%2f+%7E&', '&a', 'a=/ ~&a=&', 'a=%2f+%7E&a'],
  'empty segments': ['a&&', '&&', 'a=&', 'a&&&'],
  'names that only look like theirs': ['AppKey=1&', '&a=appKey', 'AppKey=1&a=appKey&', 'AppKey=1&a=appKey'],
};

describe('an endpoint that hides the credentials of parameters', () => {
  const stack = useSignedStack(
    'parameter-signature',
    [{ id: 'hidden', authentication: 'parameter-signature', options: { hideCredentials: true } }],
    'shared',
  );

  for (const protocol of protocols) {
    for (const [kind, [before, after, text, kept]] of Object.entries(cases)) {
      const wireOf = (): string => {
        const time = `apiTimestamp=${String(nowSeconds())}`;
        return `${before}${withSign(`${K}&${time}`, `${text}${time}&${K}`)}${after}`;
      };

      it(`leaves all other bytes of a URL: ${kind}, over ${protocol}`, async () => {
        const answer = await stack.send(protocol, { target: `/hidden/%2D?${wireOf()}` });
        assert.equal(stack.assertAllowed(answer).target, kept === '' ? '/hidden/%2D' : `/hidden/%2D?${kept}`);
      });

      it(`leaves all other bytes of a form, and tells its length: ${kind}, over ${protocol}`, async () => {
        const forwarded = stack.assertAllowed(await stack.send(protocol, formRequest(`/hidden?${K}`, wireOf())));
        assert.deepEqual([forwarded.target, forwarded.body.toString()], ['/hidden', kept]);
        assert.equal(fieldValue(forwarded.headers, 'content-length'), String(kept.length));
        assert.equal(fieldValue(forwarded.headers, 'content-type'), 'application/x-www-form-urlencoded');
      });
    }

    it(`takes them out of a form of 1 MiB, over ${protocol}`, async () => {
      const long = 'v'.repeat(1_048_576);
      const wire = withSign(`a=${long}&${K}`);
      const { body } = stack.assertAllowed(await stack.send(protocol, formRequest('/hidden', wire)));
      assert.ok(body.equals(Buffer.from(`a=${long}`)));
    });

    for (const e of ['\u00c3%A9', '%C3\u00a9']) {
      it(`refuses a form with half-encoded characters, ${e}, over ${protocol}`, async () => {
        const wire = withSign(`a=${e}&${K}`, `a=é&${K}`);
        const answer = await stack.send(protocol, formRequest('/hidden', Buffer.from(wire, 'latin1')));
        const { code } = jsonBody(answer) as { readonly code: string };
        assert.deepEqual([answer.status, code], [400, 'MALFORMED_REQUEST']);
      });
    }

    for (const e of ['\u00c3\u00a9', '%C3%A9']) {
      it(`hands on a form with whole characters, ${e}, over ${protocol}`, async () => {
        const wire = withSign(`a=${e}&${K}`, `a=é&${K}`);
        const answer = await stack.send(protocol, formRequest('/hidden', Buffer.from(wire, 'latin1')));
        assert.ok(stack.assertAllowed(answer).body.equals(Buffer.from(`a=${e}`, 'latin1')));
      });
    }

    it(`takes the App Key out of the query of a wrapper, over ${protocol}`, async () => {
      const forwarded = stack.assertAllowed(
        await stack.send(protocol, jsonRequest(`/hidden?&%61ppKey=${acme.appKey}&`, wrapperOf('{}'))),
      );
      assert.deepEqual([forwarded.target, forwarded.body.toString()], ['/hidden?&', '{}']);
    });
  }
});
