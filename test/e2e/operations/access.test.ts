import assert from 'node:assert/strict';
import { protocols } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { type RefusedCode } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: known, scenario: partner-openapi, match: { paths: [{ prefix: /known }] }, authentication: key }
  - { id: said, scenario: partner-openapi, match: { paths: [{ prefix: /said }] }, authentication: key, accessCondition: authenticated }
  - { id: granted, scenario: partner-openapi, match: { paths: [{ prefix: /granted }] }, authentication: key, accessCondition: authenticated-and-authorized }
  - { id: nobody, scenario: partner-openapi, match: { paths: [{ prefix: /nobody }] }, authentication: key, accessCondition: authenticated-and-authorized }
consumers:
  - { id: always, credentials: [{ id: always-key, method: key, appKey: key-of-always }, { id: always-two, method: key, appKey: key-two-of-always }] }
  - { id: until, credentials: [{ id: until-key, method: key, appKey: key-of-until }] }
  - { id: expired, credentials: [{ id: expired-key, method: key, appKey: key-of-expired }] }
  - { id: elsewhere, credentials: [{ id: elsewhere-key, method: key, appKey: key-of-elsewhere }] }
  - { id: never, credentials: [{ id: never-key, method: key, appKey: key-of-never }] }
  - { id: sleeping, enabled: false, credentials: [{ id: sleeping-key, method: key, appKey: key-of-sleeping }] }
  - { id: gold, labels: { tier: gold }, credentials: [{ id: gold-key, method: key, appKey: key-of-gold }] }
  - { id: silver, labels: { tier: silver }, credentials: [{ id: silver-key, method: key, appKey: key-of-silver }] }
grants:
  - { endpoint: granted, consumerSelector: { tier: gold }, priority: 1 }
  - { endpoint: granted, consumerSelector: { tier: silver }, expiresAt: 2020-01-01T00:00:00Z }
  - { endpoint: granted, consumer: always }
  - { endpoint: granted, consumer: until, expiresAt: 2199-01-01T00:00:00Z }
  - { endpoint: granted, consumer: expired, expiresAt: 2020-01-01T00:00:00Z }
  - { endpoint: granted, consumer: sleeping }
  - { endpoint: known, consumer: elsewhere }
  - { endpoint: known, consumer: expired, expiresAt: 2020-01-01T00:00:00Z }
`;

type Outcome = 'allowed' | RefusedCode;

/** What each App Key meets, by endpoint. */
const outcomes: Readonly<Record<string, Readonly<Record<string, Outcome>>>> = {
  known: {
    'key-of-always': 'allowed',
    'key-of-never': 'allowed',
    'key-of-elsewhere': 'allowed',
    'key-of-expired': 'allowed',
    'key-of-sleeping': 'AUTHENTICATION_FAILED',
  },
  said: { 'key-of-always': 'allowed', 'key-of-never': 'allowed', 'key-of-nobody': 'AUTHENTICATION_FAILED' },
  granted: {
    'key-of-always': 'allowed',
    'key-two-of-always': 'allowed',
    'key-of-until': 'allowed',
    'key-of-gold': 'allowed',
    'key-of-silver': 'NOT_AUTHORIZED',
    'key-of-expired': 'NOT_AUTHORIZED',
    'key-of-elsewhere': 'NOT_AUTHORIZED',
    'key-of-never': 'NOT_AUTHORIZED',
    'key-of-sleeping': 'AUTHENTICATION_FAILED',
    'key-of-nobody': 'AUTHENTICATION_FAILED',
    '': 'CREDENTIALS_MALFORMED',
  },
  nobody: { 'key-of-always': 'NOT_AUTHORIZED', 'key-of-never': 'NOT_AUTHORIZED' },
};

describe('the access condition', () => {
  const { sendAllowed, sendRefused, logged } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const [endpoint, byAppKey] of Object.entries(outcomes)) {
      for (const [appKey, outcome] of Object.entries(byAppKey)) {
        it(`of ${endpoint} says ${outcome} to ${appKey || 'an empty key'}, over ${protocol}`, async () => {
          const request = { target: `/${endpoint}?appKey=${appKey}` };
          const consumer = appKey.split('-').at(-1) ?? '';
          if (outcome === 'allowed') {
            const forwarded = await sendAllowed(protocol, request);
            assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), consumer);
          } else {
            const answer = await sendRefused(protocol, request, outcome);
            assert.equal((await logged(answer))['consumer'], outcome === 'NOT_AUTHORIZED' ? consumer : null);
          }
        });
      }
    }
  }
});
