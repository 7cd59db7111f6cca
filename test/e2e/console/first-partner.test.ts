import assert from 'node:assert/strict';
import { type ConsoleStack, startConsole } from '../../support/console/console-stack.ts';
import { expectPage, open, visit, type Visitor } from '../../support/console/browser-visitor.ts';
import { type HandedOver, setUpFirstPartner } from '../../support/console/first-partner.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { type Envoy, startEnvoy } from '../../support/envoy/envoy.ts';
import { send } from '../../support/http/http-client.ts';
import { jsonBody } from '../../support/http/http-message.ts';
import { release } from '../../support/lifetime/release.ts';
import { type ReplicaSet, startReplicaSet } from '../../support/mongodb/replica-set.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { type PosternProcess, startPostern } from '../../support/stack/postern-process.ts';
import { type RecordingBackend, startBackend } from '../../support/stack/recording-backend.ts';
import { poll } from '../../support/time/poll.ts';

for (const javaScriptEnabled of [true, false]) {
  describe(`the first partner, set up in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, function () {
    this.timeout(180_000);
    const browser = useBrowser();
    let mongodb: ReplicaSet;
    let stack: ConsoleStack;
    let backend: RecordingBackend;
    let postern: PosternProcess;
    let envoy: Envoy;
    let visitor: Visitor;
    let handedOver: HandedOver;

    before(async () => {
      mongodb = await startReplicaSet();
      stack = await startConsole(mongodb.uri('postern'));
      backend = await startBackend();
      postern = await startPostern('', stack.environment);
      const ports = { postern: postern.grpcPort, posternHttp: postern.httpPort ?? 1, backend: backend.port };
      envoy = await startEnvoy({ ports });
      visitor = await visit(browser(), stack.url, { javaScriptEnabled });
      await stack.signIn(visitor, 'alice', 'admin');
    });
    after(() => release(visitor, envoy, postern, backend, stack, mongodb));

    it('leads from an empty database to the first 200 of the partner', async () => {
      handedOver = await setUpFirstPartner(visitor.page);
      const { appKey, appSecret: secret } = handedOver;
      const answer = await poll('a 200 for the partner', async () => {
        const given = await send('HTTP/1.1', envoy.port, signedByHmac({ target: '/orders/1', appKey, secret }));
        return given.status === 200 ? given : null;
      });
      assert.equal(answer.status, 200);
      assert.deepEqual(visitor.takeComplaints(), []);
    });

    it('shows the secret on no page again, also when the answer is loaded once more', async () => {
      const { page } = visitor;
      await page.reload();
      assert.ok(!(await page.content()).includes(handedOver.appSecret), 'the secret was shown again');
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
      const { appKey, appSecret: secret } = handedOver;
      await poll('a 404 for the partner', async () => {
        const given = await send('HTTP/1.1', envoy.port, signedByHmac({ target: '/orders/1', appKey, secret }));
        return given.status === 404 && (jsonBody(given) as { code: string }).code === 'ENDPOINT_NOT_FOUND'
          ? given
          : null;
      });
      assert.deepEqual(stack.defects, []);
    });
  });
}
