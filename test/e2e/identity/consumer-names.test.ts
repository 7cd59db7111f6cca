import assert from 'node:assert/strict';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValues } from '../../support/http/http-message.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const longName = 'n'.repeat(200);

/** Consumers by id: their name (null: none), and how the back end must get it. */
const consumers: Readonly<Record<string, readonly [name: string | null, username: string]>> = {
  plain: ['Acme Ltd', 'Acme Ltd'],
  nameless: [null, 'nameless'],
  umlauts: ['Müller & Söhne', 'M%C3%BCller & S%C3%B6hne'],
  percent: ['100% Acme', '100%25 Acme'],
  encoded: ['M%C3%BCller', 'M%25C3%25BCller'],
  emoji: ['😀 Ltd', '%F0%9F%98%80 Ltd'],
  japanese: ['株式会社', '%E6%A0%AA%E5%BC%8F%E4%BC%9A%E7%A4%BE'],
  punctuated: ['a,b;c="d"\\e~', 'a,b;c="d"\\e~'],
  long: [longName, longName],
};

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: / }] }, authentication: key }
consumers: ${JSON.stringify(
  Object.entries(consumers).map(([id, [name]]) => ({
    id,
    ...(name === null ? {} : { name }),
    credentials: [
      { id: `${id}-key`, method: 'key', appKey: `key-of-${id}` },
      { id: `${id}-other`, method: 'key', appKey: `other-of-${id}` },
    ],
  })),
)}
`;

describe('the back end is told', () => {
  const { sendAllowed } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const [id, [name, username]] of Object.entries(consumers)) {
      it(`consumer, its name and its credential: ${(name ?? 'no name').slice(0, 30)}, over ${protocol}`, async () => {
        for (const [appKey, credential] of [
          [`key-of-${id}`, `${id}-key`],
          [`other-of-${id}`, `${id}-other`],
        ] as const) {
          const { headers } = await sendAllowed(protocol, { headers: [['X-App-Key', appKey]] });
          const identity = ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'];
          assert.deepEqual(
            identity.map((field) => fieldValues(headers, field)),
            [[id], [username], [credential]],
          );
        }
      });
    }
  }
});
