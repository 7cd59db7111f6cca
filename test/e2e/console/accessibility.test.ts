import assert from 'node:assert/strict';
import { pages } from '../../../src/operators/console/pages.ts';
import { findAccessibilityFaults } from '../../support/console/accessibility.ts';
import { type ConsoleStack, startConsole } from '../../support/console/console-stack.ts';
import { fillConsole, type FixedData, pathOf } from '../../support/console/fixed-data.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { expectPage, open, visit, type Visitor } from '../../support/console/browser-visitor.ts';
import { release } from '../../support/lifetime/release.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

const narrow = { width: 360, height: 740 };
const wide = { width: 1280, height: 900 };

describe('every page of the console', function () {
  this.timeout(120_000);
  const database = useDatabase();
  const browser = useBrowser();
  let stack: ConsoleStack;
  let data: FixedData;
  let visitor: Visitor;

  before(async () => {
    stack = await startConsole(database.uri());
    data = await fillConsole(stack, database.uri(), Math.floor(Date.now() / 1000));
    visitor = await visit(browser(), stack.url);
    await stack.signIn(visitor, 'admin', 'admin');
  });
  after(() => release(stack, visitor));

  /** Looks at what is shown now. Colours do not depend on the size of the window, so that two looks see everything. */
  async function requireAccessible(what: string, who: Visitor = visitor): Promise<void> {
    const { page } = who;
    for (const [colorScheme, size] of [
      ['light', wide],
      ['dark', narrow],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      const faults = await findAccessibilityFaults(page);
      assert.deepEqual(faults, [], `${what}, ${colorScheme}, ${String(size.width)} px`);
    }
    assert.deepEqual(who.takeComplaints(), []);
    assert.deepEqual(stack.defects, []);
  }

  for (const { path: pattern } of pages) {
    it(`${pattern} can be used by everyone: light and dark, narrow and wide, and loads nothing from elsewhere`, async () => {
      const path = pathOf(pattern, data);
      const status = await open(visitor, path);
      assert.equal(status, 200, `${path}: ${await visitor.page.locator('body').innerText()}`);
      await requireAccessible(path);
    });
  }

  it('so can a sorted list, the question about several credentials, and what came of it', async () => {
    const { page } = visitor;
    assert.equal(await open(visitor, '/credentials?sort=-createdAt'), 200);
    await requireAccessible('a sorted list');
    await open(visitor, '/selected/credentials?id=globex-sign&id=acme-key&action=expire');
    await requireAccessible('a question about several');
    await page.getByLabel('Works until', { exact: true }).fill('90d');
    await page.getByRole('button', { name: 'Expire 2 credentials' }).click();
    await page.getByText('Ended, started').waitFor();
    await requireAccessible('a job');
  });

  it('so can a form with faults, an answer with a secret, and a page that is not there', async () => {
    const { page } = visitor;
    await open(visitor, '/new/consumer');
    await page.getByLabel(/^Id/).fill('Not An Id');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').waitFor();
    await requireAccessible('a form with faults');
    await open(visitor, '/consumers/globex/issue');
    await page.getByRole('button', { name: 'Issue' }).click();
    await expectPage(page, 'The credential was issued');
    await requireAccessible('a secret');
    assert.equal(await open(visitor, '/nowhere'), 404);
    await requireAccessible('no page');
  });

  it('so can the page that asks what happens to a selection, and the one that says what came of it', async () => {
    const { page } = visitor;
    await open(visitor, '/consumers');
    await page.getByRole('checkbox', { name: 'Select initech' }).check();
    await page.getByRole('checkbox', { name: 'Select globex' }).check();
    await page.getByRole('button', { name: 'Label' }).click();
    await expectPage(page, 'Label 2 consumers');
    await requireAccessible('what is asked');
    await page.getByLabel('Labels').fill('region=eu');
    await page.getByRole('button', { name: 'Label 2 consumers' }).click();
    await expectPage(page, 'Your changes of several at once');
    await page.getByText('2 done, 0 not done, 0 not tried.').waitFor();
    await requireAccessible('what came of it');
  });

  it('so can the page that says which role a form needs', async () => {
    await using viewer = await visit(browser(), stack.url);
    await stack.signIn(viewer, 'victor', 'viewer');
    assert.equal(await open(viewer, '/new/endpoint'), 403);
    assert.match(
      await viewer.page.locator('main').innerText(),
      /The role viewer does not allow this: it needs admin\./,
    );
    await requireAccessible('no right', viewer);
  });
});
