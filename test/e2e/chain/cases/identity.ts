import assert from 'node:assert/strict';
import { type Chain, useChain } from '../../../support/stack/chain.ts';
import { allow } from '../../../support/stack/check-answers.ts';
import { checkedFields } from '../../../support/stack/fake-check-service.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValues } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** Identity headers that callers send: gone before anybody sees them. */
export function identityCases(attachment: Attachment, shared?: Chain): void {
  const spellings = [
    'X-Consumer-Id',
    'x-consumer-id',
    'X-CONSUMER-ID',
    'X_Consumer_Id',
    'x-consumer_id',
    'X_consumer-Username',
    'X-Consumer-Username',
    'X-Consumer-Custom-ID',
    'X-Credential-Identifier',
    'x_credential_identifier',
    'X-Credential-Username',
    'X-Authenticated-Groups',
    'X_Authenticated_Scope',
    'X-Authenticated-Userid',
    'X-Anonymous-Consumer',
    'x_anonymous_consumer',
    'X-ANONYMOUS_consumer',
    'X-Consumer-',
  ];
  const others = ['X-Consumers', 'X-Consumer', 'My-X-Consumer-Id', 'X-App-Key', 'X_App_Key', 'X-Anonymous-Consumers'];

  describe('identity headers that a caller sends', () => {
    const chain = shared ?? useChain({ attachment });

    for (const protocol of protocols) {
      for (const name of spellings) {
        it(`are gone before Postern and the back end see the request: ${name} over ${protocol}`, async () => {
          await send(protocol, chain.envoy.port, {
            headers: [
              [name, 'root'],
              [name, 'admin'],
            ],
          });
          assert.deepEqual(fieldValues(checkedFields(assertOne(chain.check.checks)), name), []);
          assert.deepEqual(fieldValues(assertOne(chain.backend.requests).headers, name), []);
        });
      }

      it(`are gone on the way to Postern's HTTP listener, over ${protocol}`, async () => {
        await send(protocol, chain.envoy.port, { target: '/oauth2/token', headers: [['X-Consumer-Id', 'root']] });
        assert.deepEqual(fieldValues(assertOne(chain.posternHttp.requests).headers, 'x-consumer-id'), []);
      });

      for (const name of others) {
        it(`are not confused with ${name} over ${protocol}`, async () => {
          await send(protocol, chain.envoy.port, { headers: [[name, 'kept']] });
          assert.deepEqual(fieldValues(assertOne(chain.backend.requests).headers, name), ['kept']);
        });
      }

      it(`do not mix with those that Postern sets, over ${protocol}`, async () => {
        chain.check.answer = () => allow({ headers: [['x-consumer-id', 'acme']] });
        await send(protocol, chain.envoy.port, { headers: spellings.map((name) => [name, 'root'] as const) });
        const values = assertOne(chain.backend.requests).headers.filter(([name]) =>
          /^x[-_](consumer|cred|auth|anon)/i.test(name),
        );
        assert.deepEqual(values, [['x-consumer-id', 'acme']]);
      });

      it(`cannot be taken away again by a Connection header, over ${protocol}`, async () => {
        chain.check.answer = () => allow({ headers: [['x-consumer-id', 'acme']] });
        const headers = protocol === 'HTTP/1.1' ? [['Connection', 'x-consumer-id'] as const] : [];
        await send(protocol, chain.envoy.port, { headers });
        assert.deepEqual(fieldValues(assertOne(chain.backend.requests).headers, 'x-consumer-id'), ['acme']);
      });
    }
  });
}
