import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openStore } from '../../../src/cli/store/open-store.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { type Management, startManagement } from '../../../src/operators/process/management.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { testKeyRingHolder } from '../../support/keyring/test-key-ring.ts';
import { findAccessibilityFaults } from '../../support/console/accessibility.ts';
import { expectPage, open, visit } from '../../support/console/browser-visitor.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

describe('signing in to the console in a browser', function () {
  this.timeout(60_000);
  const database = useDatabase();
  const browser = useBrowser();
  let folder: TemporaryDirectory;
  let management: Management;
  let url = '';
  let token = '';

  before(async () => {
    folder = await temporaryDirectory();
    const environment = {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: join(folder.path, 'keyring.yaml'), POSTERN_ACTOR: 'setup' },
      POSTERN_MANAGE_ADDRESS: '127.0.0.1:0',
    };
    const run = async (command: string): Promise<string> => {
      const { code, out, err } = await runCli(command.split(' '), environment);
      assert.equal(code, 0, `postern ${command}: ${err}`);
      return out;
    };
    await run(`keyring create ${environment.POSTERN_KEYRING}`);
    const added = JSON.parse(await run('operator add alice --role admin -o json')) as { token: { token: string } };
    token = added.token.token;
    const parsed = parseConfig(environment);
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const wish = { store: undefined, environment, needsSecrets: 'new', command: 'manage', timeoutMs: 5000 } as const;
    const store = await openStore({ ...wish, warn: (message) => assert.fail(message) }, systemClock);
    const logger = createLogger('error', { write: (line) => assert.fail(line) });
    management = await startManagement({
      config: parsed.config,
      clock: systemClock,
      logger,
      store,
      keyRing: testKeyRingHolder(),
    });
    const { address } = management;
    assert.equal(address.kind, 'tcp');
    url = `http://127.0.0.1:${String(address.port)}`;
  });
  after(() => release(management, folder));

  for (const javaScriptEnabled of [true, false]) {
    it(`refuses a wrong token, takes the right one, and forgets it when the operator signs out${javaScriptEnabled ? '' : ', without JavaScript'}`, async () => {
      await using visitor = await visit(browser(), url, { javaScriptEnabled });
      const { page } = visitor;
      await open(visitor, '/consumers');
      await expectPage(page, 'Sign in');
      await page.getByLabel('Token').fill(`${token.slice(0, -4)}AAAA`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expectPage(page, 'Consumers');
      assert.ok(!(await page.content()).includes(token));
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectPage(page, 'Sign in');
      await open(visitor, '/consumers');
      await expectPage(page, 'Sign in');
      assert.deepEqual(visitor.takeComplaints(), []);
    });
  }

  it('has a page that everyone can use: light and dark, narrow and wide', async () => {
    await using visitor = await visit(browser(), url);
    await open(visitor, '/sign-in');
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.page.emulateMedia({ colorScheme });
      for (const width of [360, 1280]) {
        await visitor.page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await findAccessibilityFaults(visitor.page), [], `${colorScheme}, ${String(width)} px`);
      }
    }
    assert.deepEqual(visitor.takeComplaints(), []);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`keeps a form that is sent after the session has ended${javaScriptEnabled ? '' : ', without JavaScript'}`, async () => {
      await using visitor = await visit(browser(), url, { javaScriptEnabled });
      const { page, context } = visitor;
      const signIn = async (): Promise<void> => {
        await page.getByLabel('Token').fill(token);
        await page.getByRole('button', { name: 'Sign in' }).click();
      };
      const id = javaScriptEnabled ? 'acme' : 'globex';
      await open(visitor, '/new/consumer');
      await signIn();
      await page.getByLabel('Id').fill(id);
      await page.getByLabel('Labels').fill('tier=gold');
      await context.clearCookies();
      await page.getByRole('button', { name: 'Create' }).click();
      await expectPage(page, 'Sign in');
      await signIn();
      await expectPage(page, 'Create a consumer');
      await page.getByText('Your session had ended, and nothing was changed.').waitFor();
      assert.equal(await page.getByLabel('Labels').inputValue(), 'tier=gold');
      await page.getByRole('button', { name: 'Create' }).click();
      await expectPage(page, id);
      assert.deepEqual(visitor.takeComplaints(), []);
    });
  }

  it('fills a form in again when Back leads to it after an error', async () => {
    await using visitor = await visit(browser(), url);
    const { page } = visitor;
    await open(visitor, '/new/consumer');
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Id').fill('Initech');
    await page.getByLabel('Labels').fill('tier=silver');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').waitFor();
    await page.goBack();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Id').inputValue(), 'Initech');
    assert.equal(await page.getByLabel('Labels').inputValue(), 'tier=silver');
    assert.deepEqual(visitor.takeComplaints(), []);
  });
});
