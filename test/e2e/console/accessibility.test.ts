import assert from 'node:assert/strict';
import { pages } from '../../../src/console/pages.ts';
import { findAccessibilityFaults } from '../../support/console/accessibility.ts';
import { type ConsoleStack, startConsole } from '../../support/console/console-stack.ts';
import { fillConsole, type FixedData } from '../../support/console/fixed-data.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { open, visit } from '../../support/console/browser-visitor.ts';
import { release } from '../../support/lifetime/release.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

const narrow = { width: 360, height: 740 };
const wide = { width: 1280, height: 900 };

/** What stands for the parameters of a path, so that its page has something to show. */
function pathOf(pattern: string, { credential, requestId, event, token }: FixedData): string {
  const ids: Readonly<Record<string, string>> = {
    ...{ consumers: 'acme', endpoints: 'orders', credentials: credential, operators: 'paula' },
    ...{ refusals: requestId, audit: event },
  };
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const named: Readonly<Record<string, string>> = { endpoint: 'orders', holder: 'acme', consumer: 'acme', token };
    const id = named[name] ?? ids[pattern.split('/')[1] ?? ''];
    assert.ok(id !== undefined, `this test does not know what ${pattern} can be opened with`);
    return id;
  });
}

describe('every page of the console', function () {
  this.timeout(120_000);
  const database = useDatabase();
  const browser = useBrowser();
  let stack: ConsoleStack;
  let data: FixedData;

  before(async () => {
    stack = await startConsole(database.uri());
    data = await fillConsole(stack, database.uri(), Math.floor(Date.now() / 1000));
  });
  after(() => release(stack));

  for (const [index, { path: pattern }] of pages.entries()) {
    it(`${pattern} can be used by everyone: light and dark, narrow and wide, and loads nothing from elsewhere`, async () => {
      await using visitor = await visit(browser(), stack.url);
      await stack.signIn(visitor, `admin-${String(index)}`, 'admin');
      const path = pathOf(pattern, data);
      const status = await open(visitor, path);
      assert.equal(status, 200, `${path}: ${await visitor.page.locator('body').innerText()}`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await visitor.page.emulateMedia({ colorScheme });
        for (const size of [narrow, wide]) {
          await visitor.page.setViewportSize(size);
          const faults = await findAccessibilityFaults(visitor.page);
          assert.deepEqual(faults, [], `${path}, ${colorScheme}, ${String(size.width)} px`);
        }
      }
      assert.deepEqual(visitor.takeComplaints(), []);
      assert.deepEqual(stack.defects, []);
    });
  }
});
