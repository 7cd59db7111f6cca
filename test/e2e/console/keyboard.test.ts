import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { expectPage, open, visit } from '../../support/console/browser-visitor.ts';
import { type ConsoleStack, startConsole } from '../../support/console/console-stack.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { release } from '../../support/lifetime/release.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

/** More than any of these pages has to stop at. */
const maxStops = 60;

/** What has the focus: its text or name, and whether one sees that it has it. */
async function focused(page: Page): Promise<{ readonly name: string; readonly isSeen: boolean }> {
  return await page.evaluate(`(() => {
    const element = document.activeElement;
    const { outlineStyle } = getComputedStyle(element);
    const { top, bottom, width } = element.getBoundingClientRect();
    const name = element.name || element.getAttribute('aria-label') || element.textContent.trim();
    return { name, isSeen: outlineStyle !== 'none' && width > 0 && bottom > 0 && top < innerHeight };
  })()`);
}

/** Presses Tab until something with this name has the focus; everything on the way has to be seen. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  const stops: string[] = [];
  while (stops.length < maxStops) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await focused(page);
    stops.push(name);
    assert.ok(isSeen, `the focus on "${name}" is not seen`);
    if (name === wanted) return;
  }
  assert.fail(`Tab does not lead to "${wanted}", but to: ${stops.join(', ')}`);
}

describe('the console with the keyboard alone', function () {
  this.timeout(60_000);
  const database = useDatabase();
  const browser = useBrowser();
  let stack: ConsoleStack;
  before(async () => {
    stack = await startConsole(database.uri());
  });
  after(() => release(stack));

  /** Leads from a page to the next, with Tab and Enter. */
  async function goOn(page: Page, wanted: string, heading: string): Promise<void> {
    await tabTo(page, wanted);
    await page.keyboard.press('Enter');
    await expectPage(page, heading);
  }

  it('skips the menu', async () => {
    await using visitor = await visit(browser(), stack.url);
    await stack.signIn(visitor, 'bob', 'admin');
    const { page } = visitor;
    await open(visitor, '/');
    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.deepEqual(await focused(page), { name: 'q', isSeen: true });
  });

  it('opens the menu of a narrow window, which is one stop, and leads to a page, with and without script', async () => {
    const viewport = { width: 390, height: 844 };
    for (const javaScriptEnabled of [true, false]) {
      await using visitor = await visit(browser(), stack.url, { viewport, javaScriptEnabled });
      await stack.signIn(visitor, javaScriptEnabled ? 'mia' : 'mo', 'admin');
      const { page } = visitor;
      await open(visitor, '/consumers');
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Endpoints' });
      assert.equal(await link.isVisible(), false);
      await tabTo(page, 'Menu');
      await page.keyboard.press('Tab');
      assert.deepEqual(await focused(page), { name: 'q', isSeen: true });
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      assert.equal(await link.isVisible(), true);
      await goOn(page, 'Endpoints', 'Endpoints');
      assert.deepEqual(visitor.takeComplaints(), []);
    }
  });

  it('leads from nothing to the secret of a first partner', async () => {
    await using visitor = await visit(browser(), stack.url);
    await stack.signIn(visitor, 'alice', 'admin');
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(visitor, '/');

    await goOn(page, 'Endpoints', 'Endpoints');
    await goOn(page, 'Create an endpoint', 'Create an endpoint');
    await tabTo(page, 'id');
    await page.keyboard.type('orders');
    await tabTo(page, 'paths');
    await page.keyboard.type('/orders');
    await goOn(page, 'Create', 'orders');

    await goOn(page, 'Consumers', 'Consumers');
    await goOn(page, 'Create a consumer', 'Create a consumer');
    await tabTo(page, 'id');
    await page.keyboard.type('Not An Id');
    await tabTo(page, 'Create');
    await page.keyboard.press('Enter');
    // What is wrong is read out at once, and stands beside the field.
    await page.getByRole('alert').waitFor();
    assert.equal(await page.locator('[aria-invalid="true"]').getAttribute('name'), 'id');
    await tabTo(page, 'id');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('acme');
    await page.keyboard.press('Enter');
    await expectPage(page, 'acme');
    assert.match(await page.getByRole('status').first().innerText(), /The consumer was created\./);

    await goOn(page, 'Give access', 'Give acme access');
    await tabTo(page, 'endpoint');
    await page.keyboard.type('orders');
    await goOn(page, 'Give access', 'acme');
    await goOn(page, 'Issue a credential', 'Issue a credential for acme');
    await goOn(page, 'Issue', 'The credential was issued');
    await tabTo(page, 'Copy the App Secret');
    await page.keyboard.press('Enter');
    // The button keeps its name, and what it did is read out.
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await page.locator('#app-secret').innerText());
    assert.deepEqual(visitor.takeComplaints(), []);
  });
});
