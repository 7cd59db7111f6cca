import assert from 'node:assert/strict';
import { type Protocol, protocols } from '../../support/http/http-client.ts';
import { type Fields, fieldValues } from '../../support/http/http-message.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - id: hidden
    scenario: partner-openapi
    match: { paths: [{ prefix: /hidden }] }
    authentication: key
  - id: shown
    scenario: partner-openapi
    match: { paths: [{ prefix: /shown }] }
    authentication: key
    options: { hideCredentials: false }
  - id: public
    scenario: open
    match: { paths: [{ prefix: /public }] }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

const key = 'appKey=key-of-acme';

/** Queries as sent, and as the back end must get them; the App Key is in the query. */
const queries: readonly (readonly [sent: string, forwarded: string])[] = [
  [`?${key}`, ''],
  [`?${key}&`, ''],
  [`?&${key}`, ''],
  [`?&&${key}`, '?&'],
  [`?&${key}&`, '?&'],
  [`?x=a%2Fb&&y&${key}`, '?x=a%2Fb&&y'],
  [`?${key}&x=a%2Fb&&y`, '?x=a%2Fb&&y'],
  [`?a=1&${key}&b=2`, '?a=1&b=2'],
  [`?appKey&a&${key}&appKey&b&appKey`, '?a&b'],
  [`?appKey&${key}&appKey`, ''],
  [`?%61ppKey=key-of-acme&z=%zz&q=a+b%20c&%`, '?z=%zz&q=a+b%20c&%'],
  [`?a&app%4bey=key-of-acme`, '?a'],
  [`?%61ppKey&a&${key}`, '?a'],
  [`?${key}&appkey=other&APPKEY`, '?appkey=other&APPKEY'],
  [`?${key}&x=appKey=key&appKey2=b&xappKey=c`, '?x=appKey=key&appKey2=b&xappKey=c'],
  [`?${key}&?&/&a?b=/../`, '??&/&a?b=/../'],
  [`?${key}&=&==&=v&a==b`, '?=&==&=v&a==b'],
  [`?${key}&"<>\`{}|\\^'()*!$,;:@[]~`, '?"<>`{}|\\^\'()*!$,;:@[]~'],
  [`?${key}&%c3%a9&%FF&%00&%0d%0a`, '?%c3%a9&%FF&%00&%0d%0a'],
  [`?${key}&long=${'%41'.repeat(8000)}`, `?long=${'%41'.repeat(8000)}`],
  [`?${'a&'.repeat(2000)}${key}${'&b'.repeat(2000)}`, `?${'a&'.repeat(2000)}${'b&'.repeat(1999)}b`],
];

/** The same, with the App Key in the header. */
const queriesBesideHeader: readonly (readonly [sent: string, forwarded: string])[] = [
  ['', ''],
  ['?', '?'],
  ['?appKey', ''],
  ['?appKey&', ''],
  ['?appKey&appKey', ''],
  ['?a&appKey&b', '?a&b'],
  ['?x=a%2Fb&&y', '?x=a%2Fb&&y'],
  ['?&', '?&'],
  ['??', '??'],
];

describe('options.hideCredentials', () => {
  const { sendAllowed } = useStack(document, 'shared');

  async function forwardedTarget(protocol: Protocol, target: string, headers: Fields = []): Promise<string> {
    const forwarded = await sendAllowed(protocol, { target, headers });
    assert.deepEqual(fieldValues(forwarded.headers, 'x-app-key'), []);
    return forwarded.target;
  }

  for (const protocol of protocols) {
    for (const [sent, forwarded] of queries) {
      it(`makes ${shown(sent)} ${shown(forwarded)}, over ${protocol}`, async () => {
        assert.equal(await forwardedTarget(protocol, `/hidden/a${sent}`), `/hidden/a${forwarded}`);
      });
    }

    for (const [sent, forwarded] of queriesBesideHeader) {
      it(`makes ${shown(sent)} ${shown(forwarded)} when the header carries the App Key, over ${protocol}`, async () => {
        const headers = [['X-App-Key', 'key-of-acme']] as const;
        assert.equal(await forwardedTarget(protocol, `/hidden/a${sent}`, headers), `/hidden/a${forwarded}`);
      });
    }

    it(`leaves the path as it was sent, over ${protocol}`, async () => {
      const path = '/hidden/%41%7e%C3%A9;v=1;w/"<>{}|/';
      assert.equal(await forwardedTarget(protocol, `${path}?${key}&a`), `${path}?a`);
    });

    it(`takes every carrier out, also those that did not decide, over ${protocol}`, async () => {
      const headers = [
        ['X-App-Key', 'one'],
        ['x-app-KEY', 'two'],
        ['X-Other', 'stays'],
      ] as const;
      const forwarded = await sendAllowed(protocol, { target: `/hidden?${key}`, headers });
      assert.equal(forwarded.target, '/hidden');
      assert.deepEqual(fieldValues(forwarded.headers, 'x-app-key'), []);
      assert.deepEqual(fieldValues(forwarded.headers, 'x-other'), ['stays']);
    });

    it(`leaves every carrier where it is when it is false, over ${protocol}`, async () => {
      const target = `/shown?a&${key}&appKey&b=%2f`;
      const headers = [
        ['X-App-Key', 'one'],
        ['X-App-Key', 'two'],
      ] as const;
      const forwarded = await sendAllowed(protocol, { target, headers });
      assert.equal(forwarded.target, target);
      assert.deepEqual(fieldValues(forwarded.headers, 'x-app-key'), ['one', 'two']);
    });

    it(`does not touch what looks like a carrier on an open endpoint, over ${protocol}`, async () => {
      const target = `/public?${key}`;
      const forwarded = await sendAllowed(protocol, { target, headers: [['X-App-Key', 'mine']] });
      assert.equal(forwarded.target, target);
      assert.deepEqual(fieldValues(forwarded.headers, 'x-app-key'), ['mine']);
    });
  }
});

/** A query in the name of a test. */
function shown(query: string): string {
  if (query === '') return 'no query';
  return query.length > 60 ? `${query.slice(0, 57)}…` : query;
}
