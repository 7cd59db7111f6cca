import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { type RefusedCode } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: key
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
  - { id: beta, credentials: [{ id: beta-key, method: key, appKey: key-of-beta }] }
`;

type Case = readonly [request: Pick<PlainRequest, 'target' | 'headers'>, outcome: string];

/** A request with this query and these values of `X-App-Key`. */
function carried(query: string, ...headers: readonly string[]): Case[0] {
  return { target: `/orders${query}`, headers: headers.map((value) => ['X-App-Key', value] as const) };
}

/** Requests that a credential answers for. */
const accepted: Readonly<Record<string, Case>> = {
  'in the query': [carried('?appKey=key-of-acme'), 'acme-key'],
  'in the header': [carried('', 'key-of-acme'), 'acme-key'],
  'in the header, in another case': [{ target: '/orders', headers: [['x-aPP-kEY', 'key-of-acme']] }, 'acme-key'],
  'in the query, when the header has another': [carried('?appKey=key-of-acme', 'key-of-beta'), 'acme-key'],
  'in the query, when the header has a wrong one': [carried('?appKey=key-of-acme', 'key-of-nobody'), 'acme-key'],
  'in the query, when the header stands twice': [carried('?appKey=key-of-acme', 'a', 'b'), 'acme-key'],
  'in the header, when the name in the query has no "="': [carried('?appKey', 'key-of-beta'), 'beta-key'],
  'in the query, beside its name without "="': [carried('?appKey&appKey=key-of-acme&appKey'), 'acme-key'],
  'among other parameters': [carried('?a=1&&appKey=key-of-acme&b'), 'acme-key'],
  'under an encoded name': [carried('?%61ppKey=key-of-acme'), 'acme-key'],
  'under a name encoded in its middle': [carried('?app%4Bey=key-of-acme'), 'acme-key'],
  'under a name encoded as a whole': [carried('?%61%70%70%4b%65%79=key-of-acme'), 'acme-key'],
  'with an encoded value': [carried('?appKey=%6bey%2Dof%2dacme'), 'acme-key'],
  'beside parameters that cannot be decoded': [carried('?%zz=1&a=%&appKey=key-of-acme&%ff'), 'acme-key'],
  'beside names of another case': [carried('?appkey=a&appKey=key-of-acme&APPKEY=b'), 'acme-key'],
};

/** Requests that are refused, and what the caller is told. */
const refused: Readonly<Record<string, readonly [request: Case[0], code: RefusedCode]>> = {
  nowhere: [carried(''), 'CREDENTIALS_MISSING'],
  'nowhere, with an empty query': [carried('?'), 'CREDENTIALS_MISSING'],
  'as a name without "="': [carried('?appKey'), 'CREDENTIALS_MISSING'],
  'as an encoded name without "="': [carried('?%61ppKey'), 'CREDENTIALS_MISSING'],
  'in the query, empty': [carried('?appKey='), 'CREDENTIALS_MALFORMED'],
  'in the query, empty, with a right header': [carried('?appKey=', 'key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'in the header, empty': [carried('', ''), 'CREDENTIALS_MALFORMED'],
  'in the query, wrong': [carried('?appKey=key-of-nobody'), 'AUTHENTICATION_FAILED'],
  'in the header, wrong': [carried('', 'key-of-nobody'), 'AUTHENTICATION_FAILED'],
  'in the query, wrong, with a right header': [
    carried('?appKey=key-of-nobody', 'key-of-acme'),
    'AUTHENTICATION_FAILED',
  ],
  'twice in the query, the same': [carried('?appKey=key-of-acme&appKey=key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'twice in the query, the second right': [carried('?appKey=a&x&appKey=key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'twice in the query, the first empty': [carried('?appKey=&appKey=key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'twice in the query, once encoded': [carried('?appKey=key-of-acme&%61ppKey=a'), 'CREDENTIALS_MALFORMED'],
  'twice in the query, with a right header': [carried('?appKey=a&appKey=b', 'key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'twice in the header, the same': [carried('', 'key-of-acme', 'key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'twice in the header, the second right': [carried('', 'a', 'key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'twice in the header, with a valueless parameter': [carried('?appKey', 'a', 'key-of-acme'), 'CREDENTIALS_MALFORMED'],
  'in one header line, joined by a comma': [carried('', 'key-of-acme,key-of-acme'), 'AUTHENTICATION_FAILED'],
  'under a name in lower case': [carried('?appkey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name in upper case': [carried('?APPKEY=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with "+" in it': [carried('?app+Key=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with "+" before it': [carried('?+appKey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with "+" after it': [carried('?appKey+=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with an encoded blank after it': [carried('?appKey%20=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with an encoded NUL after it': [carried('?appKey%00=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name that is encoded twice': [carried('?%2561ppKey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with a bad escape': [carried('?appKe%7=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name with an escape that is none': [carried('?appKey%zz=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name that is not UTF-8': [carried('?appKey%ff=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under a name in an overlong encoding': [carried('?%c1%a1ppKey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'under an array name': [carried('?appKey[]=key-of-acme'), 'CREDENTIALS_MISSING'],
  'behind a ";"': [carried('?x=1;appKey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'behind a second "?"': [carried('?x=1?appKey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'behind an encoded "&"': [carried('?x=1%26appKey=key-of-acme'), 'CREDENTIALS_MISSING'],
  'behind an encoded "="': [carried('?appKey%3Dkey-of-acme'), 'CREDENTIALS_MISSING'],
  'in the path': [{ target: '/orders;appKey=key-of-beta' }, 'CREDENTIALS_MISSING'],
  'with a bad escape in its value': [carried('?appKey=key-of-acme%'), 'AUTHENTICATION_FAILED'],
  'with an escape that is none in its value': [carried('?appKey=%zzkey-of-acme'), 'AUTHENTICATION_FAILED'],
  'with a value that is not UTF-8': [carried('?appKey=key-of-acme%ff'), 'AUTHENTICATION_FAILED'],
  'with a blank after its value': [carried('?appKey=key-of-acme+'), 'AUTHENTICATION_FAILED'],
  'with a blank before its value': [carried('?appKey=%20key-of-acme'), 'AUTHENTICATION_FAILED'],
  'with a NUL after its value': [carried('?appKey=key-of-acme%00'), 'AUTHENTICATION_FAILED'],
  'with a "=" too many': [carried('?appKey==key-of-acme'), 'AUTHENTICATION_FAILED'],
  'in another case': [carried('?appKey=KEY-OF-ACME'), 'AUTHENTICATION_FAILED'],
  'cut short': [carried('?appKey=key-of-acm'), 'AUTHENTICATION_FAILED'],
  'encoded in the header': [carried('', 'key%2Dof%2Dacme'), 'AUTHENTICATION_FAILED'],
  'with bytes above 0x7E in the header': [carried('', 'key-of-acme\xe9'), 'AUTHENTICATION_FAILED'],
  'longer than an App Key can be': [carried(`?appKey=${'k'.repeat(20_000)}`), 'AUTHENTICATION_FAILED'],
  'under the header name with "_"': [
    { target: '/orders', headers: [['X_App_Key', 'key-of-acme']] },
    'CREDENTIALS_MISSING',
  ],
  'in the header of another product': [
    { target: '/orders', headers: [['apikey', 'key-of-acme']] },
    'CREDENTIALS_MISSING',
  ],
  'in Authorization': [{ target: '/orders', headers: [['Authorization', 'Key key-of-acme']] }, 'CREDENTIALS_MISSING'],
  'in a cookie': [{ target: '/orders', headers: [['Cookie', 'appKey=key-of-acme']] }, 'CREDENTIALS_MISSING'],
};

for (const protocol of protocols) {
  describe(`an App Key over ${protocol}`, () => {
    const { stack, sendAllowed, sendRefused } = useStack(document);

    for (const [where, [request, credential]] of Object.entries(accepted)) {
      it(`is accepted ${where}`, async () => {
        const forwarded = await sendAllowed(protocol, request);
        assert.equal(fieldValue(forwarded.headers, 'x-credential-identifier'), credential);
      });
    }

    for (const [where, [request, code]] of Object.entries(refused)) {
      it(`is refused ${where}: ${code}`, async () => {
        await sendRefused(protocol, request, code);
      });
    }

    it('is not looked for in a form body', async () => {
      const request = {
        method: 'POST',
        target: '/orders',
        headers: [['Content-Type', 'application/x-www-form-urlencoded']] as const,
        body: 'appKey=key-of-acme',
      };
      await sendRefused(protocol, request, 'CREDENTIALS_MISSING');
    });

    it('stands in no log', () => {
      const logs = stack().postern.output() + stack().envoy.output();
      assert.deepEqual(logs.match(/key-of-(acme|nobody)/gi), null);
    });
  });
}
