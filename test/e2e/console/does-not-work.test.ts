import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createRefusalSink } from '../../../src/stores/mongodb/refusals.ts';
import { expectPage, open, visit } from '../../support/console/browser-visitor.ts';
import { type ConsoleStack, startConsole } from '../../support/console/console-stack.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { release } from '../../support/lifetime/release.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { record } from '../../support/refusals/refused.ts';

/** As docs/console.md says: two pastes, Enter and two clicks. */
const ACTIONS = 5;

describe('"it does not work", answered by support in the console', function () {
  this.timeout(120_000);
  const database = useDatabase();
  const browser = useBrowser();
  let stack: ConsoleStack;
  let appKey: string;
  let appSecret: string;

  before(async () => {
    stack = await startConsole(database.uri());
    await stack.postern('endpoint create orders --path /orders --authentication hmac');
    await stack.postern('consumer create acme');
    const issued = await stack.postern('credential issue --consumer acme --method hmac --id acme-hmac -o json');
    ({ appKey, appSecret } = JSON.parse(issued) as { readonly appKey: string; readonly appSecret: string });
  });
  after(() => release(stack));

  /** What the partner sent and what it was answered, as it forwards both. */
  async function refuse(
    requestId: string,
    { secret, signedPath }: { readonly secret: string; readonly signedPath: string },
  ): Promise<{ readonly answer: string; readonly request: string }> {
    const atMs = Date.now();
    const date = new Date(atMs).toUTCString();
    const signature = createHmac('sha256', secret).update(`date: ${date}\nGET ${signedPath} HTTP/1.1`).digest('base64');
    const refusal = record({ requestId, atMs, path: '/orders/7', code: 'AUTHENTICATION_FAILED' });
    await createRefusalSink(database.db()).write([
      { ...refusal, id: Buffer.from(requestId.slice(-12)).toString('hex') },
    ]);
    const authorization = `hmac appkey="${appKey}", algorithm="hmac-sha256", headers="date request-line", signature="${signature}"`;
    return {
      answer: `{"code":"AUTHENTICATION_FAILED","message":"authentication failed","requestId":"${requestId}"}`,
      request: `curl 'https://api.example.com/orders/7?page=2' -H 'Date: ${date}' -H 'Authorization: ${authorization}'`,
    };
  }

  for (const [what, javaScriptEnabled, mistake] of [
    ['a wrong secret', true, /App Secret/],
    ['a wrong secret, without JavaScript', false, /App Secret/],
    ['a path that was signed without its query', true, /^Wrong: the path was signed without its query\./],
  ] as const) {
    it(`says ${what} in ${String(ACTIONS)} actions`, async () => {
      await using visitor = await visit(browser(), stack.url, { javaScriptEnabled });
      const id = `sam-${String(what.length)}`;
      await stack.signIn(visitor, id, 'support');
      const isSecret = what.includes('secret');
      const sent = isSecret
        ? { secret: 'not the App Secret of this credential, but another', signedPath: '/orders/7?page=2' }
        : { secret: appSecret, signedPath: '/orders/7' };
      const { answer, request } = await refuse(`r-0000000000${String(what.length).padStart(3, '0')}`, sent);
      const { page } = visitor;
      await open(visitor, '/');
      let actions = 0;
      const act = async (action: Promise<unknown>): Promise<void> => {
        actions += 1;
        await action;
      };
      await act(page.getByRole('searchbox').first().fill(answer));
      await act(page.getByRole('searchbox').first().press('Enter'));
      await act(page.getByRole('main').getByRole('link', { name: 'AUTHENTICATION_FAILED' }).click());
      await expectPage(page, 'A refused request');
      await act(page.getByLabel('Paste what the partner sent').fill(request));
      await act(page.getByRole('button', { name: 'Explain' }).click());
      const told = await page.getByRole('region', { name: 'Explanation' }).innerText();
      assert.match(told, mistake);
      assert.equal(actions, ACTIONS);
      assert.ok(!(await page.content()).includes(appSecret));
      assert.deepEqual([visitor.takeComplaints(), stack.defects], [[], []]);
    });
  }
});
