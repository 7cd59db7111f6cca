import assert from 'node:assert/strict';
import { expectPage, open, visit, type Visitor } from '../../support/console/browser-visitor.ts';
import { type HandedOver, lookAtFirstUse, setUpFirstPartner } from '../../support/console/first-partner.ts';
import { type FirstPartnerStack, startFirstPartnerStack } from '../../support/console/first-partner-stack.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { poll } from '../../support/time/poll.ts';

for (const javaScriptEnabled of [true, false]) {
  describe(`the first partner, set up in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, function () {
    this.timeout(120_000);
    const browser = useBrowser();
    let stack: FirstPartnerStack;
    let visitor: Visitor;
    let handedOver: HandedOver;
    let allowed = 0;

    async function call(): Promise<HttpAnswer> {
      const answer = await stack.call(handedOver);
      if (answer.status === 200) allowed += 1;
      return answer;
    }

    before(async () => {
      stack = await startFirstPartnerStack();
      visitor = await visit(browser(), stack.url, { javaScriptEnabled });
    });
    after(() => release(stack, visitor));

    it('leads from an empty database and the first token to the first 200 of the partner', async () => {
      handedOver = await setUpFirstPartner(visitor.page, stack.token);
      await poll('a 200 for the partner', async () => {
        const { status } = await call();
        return status === 200 ? status : null;
      });
      assert.deepEqual(visitor.takeComplaints(), []);
    });

    it('shows the secret on no page again, and issues nothing when the answer is loaded once more', async () => {
      const { page } = visitor;
      await page.reload();
      for (const path of ['/consumers/acme', '/audit']) {
        assert.equal(await open(visitor, path), 200);
        assert.ok(!(await page.content()).includes(handedOver.appSecret), path);
      }
    });

    it('stops the partner at once when the endpoint is disabled', async () => {
      const { page } = visitor;
      await open(visitor, '/endpoints/orders');
      await page.getByRole('link', { name: 'Disable' }).click();
      await page.getByLabel('Reason').fill('OPS-17');
      await page.getByRole('button', { name: 'Disable' }).click();
      await expectPage(page, 'orders');
      assert.match(await page.locator('main').innerText(), /The endpoint was disabled\./);
      await poll('a 404 for the partner', async () => {
        const given = await call();
        return given.status === 404 && (jsonBody(given) as { code: string }).code === 'ENDPOINT_NOT_FOUND'
          ? given
          : null;
      });
    });

    it('shows afterwards when the credential was used, and how often', async () => {
      await stack.stopServing();
      await lookAtFirstUse(visitor.page);
      const row = visitor.page.getByRole('row').last();
      assert.match(await row.innerText(), new RegExp(`^\\d{4}-\\d{2}-\\d{2}\\s+${String(allowed)}\\s+\\d+\\s+0$`));
      assert.deepEqual(visitor.takeComplaints(), []);
      assert.doesNotMatch(stack.logs(), /"level":"(?:error|warn)"/);
    });
  });
}
