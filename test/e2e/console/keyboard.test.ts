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

  it('skips the menu, and makes a consumer', async () => {
    await using visitor = await visit(browser(), stack.url);
    await stack.signIn(visitor, 'alice', 'admin');
    const { page } = visitor;
    await open(visitor, '/');
    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.deepEqual(await focused(page), { name: 'q', isSeen: true });

    await open(visitor, '/');
    await tabTo(page, 'Consumers');
    await page.keyboard.press('Enter');
    await expectPage(page, 'Consumers');
    await tabTo(page, 'Create a consumer');
    await page.keyboard.press('Enter');
    await expectPage(page, 'Create a consumer');
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
    assert.deepEqual(visitor.takeComplaints(), []);
  });

  it('copies a secret to the clipboard, and says that it did', async () => {
    await using visitor = await visit(browser(), stack.url);
    await stack.signIn(visitor, 'bob', 'admin');
    const { page, context } = visitor;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await stack.postern('consumer create globex');
    await open(visitor, '/consumers/globex/issue');
    await page.getByRole('button', { name: 'Issue' }).click();
    await expectPage(page, 'The credential was issued');
    await page.getByRole('button', { name: 'Copy the App Secret' }).press('Enter');
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), await page.locator('#app-secret').innerText());
    assert.deepEqual(visitor.takeComplaints(), []);
  });
});
