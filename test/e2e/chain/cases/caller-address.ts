import assert from 'node:assert/strict';
import { type Attachment } from '../../../support/attachments/attachment.ts';
import { useChain } from '../../../support/stack/chain.ts';
import { connectionManager, type JsonObject } from '../../../support/envoy/envoy-config.ts';
import { checkedFields } from '../../../support/stack/fake-check-service.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValues } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';

const ADDRESS = 'x-envoy-external-address';

/** Where Envoy believes that loopback addresses are inside, it adds no address of the caller, and would keep a caller's own. */
function trustLoopback(config: JsonObject): void {
  connectionManager(config)['internal_address_config'] = {
    cidr_ranges: [{ address_prefix: '127.0.0.0', prefix_len: 8 }],
  };
}

/** The address that guesses at the token endpoint are counted by: Envoy says it, never the caller. */
export function callerAddressCases(attachment: Attachment): void {
  for (const [title, edit, expected] of [
    ['the address that guesses are counted by', () => undefined, ['127.0.0.1']],
    ['the address that guesses are counted by, where Envoy trusts internal addresses', trustLoopback, []],
  ] as const) {
    describe(title, () => {
      const chain = useChain({ attachment, edit });

      for (const protocol of protocols) {
        for (const own of [[], ['203.0.113.9'], ['203.0.113.9', '203.0.113.10']]) {
          const headers = own.map((address) => ['X-Envoy-External-Address', address] as const);
          const claim = own.length === 0 ? 'nothing' : own.join(' and ');

          it(`is what Envoy saw, when a caller says ${claim} over ${protocol}: at the token endpoint`, async () => {
            await send(protocol, chain.envoy.port, { method: 'POST', target: '/oauth2/token', headers, body: 'a=b' });
            assert.deepEqual(fieldValues(assertOne(chain.posternHttp.requests).headers, ADDRESS), expected);
          });

          it(`is what Envoy saw, when a caller says ${claim} over ${protocol}: at Postern and the back end`, async () => {
            await send(protocol, chain.envoy.port, { headers });
            assert.deepEqual(fieldValues(checkedFields(assertOne(chain.check.checks)), ADDRESS), expected);
            assert.deepEqual(fieldValues(assertOne(chain.backend.requests).headers, ADDRESS), expected);
          });
        }
      }
    });
  }
}
