import assert from 'node:assert/strict';
import { type Attachment } from '../../../support/attachments/attachment.ts';
import { startChain } from '../../../support/stack/chain.ts';
import { type JsonObject } from '../../../support/envoy/envoy-config.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { jsonBody } from '../../../support/http/http-message.ts';

/** Ways around the decision that only this kind of gateway has: nothing reaches a back end, and callers get 503. */
export function undecidedCases(
  attachment: Attachment,
  holes: Readonly<Record<string, (config: JsonObject) => void>>,
): void {
  for (const [hole, edit] of Object.entries(holes)) {
    it(`lets nothing pass that nobody decided: ${hole}`, async () => {
      await using chain = await startChain({ attachment, edit });
      for (const protocol of protocols) {
        const answer = await send(protocol, chain.envoy.port, { method: 'POST', body: 'x' });
        assert.equal(answer.status, 503);
        assert.equal((jsonBody(answer) as { readonly code?: unknown }).code, 'UNAVAILABLE');
      }
      assert.equal(chain.check.checks.length, 0);
      assert.equal(chain.backend.requests.length, 0);
    });
  }
}
