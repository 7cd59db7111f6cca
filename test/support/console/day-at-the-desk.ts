import assert from 'node:assert/strict';
import { poll } from '../time/poll.ts';
import { expectPage, open, type Visitor } from './browser-visitor.ts';
import type { ConsoleStack } from './console-stack.ts';
import type { DeskData } from './desk-data.ts';

/** What an operator did, and how long the answer took. */
export interface DeskStep {
  readonly what: string;
  readonly milliseconds: number;
}

/** Called after each step. */
export type OnDeskStep = (step: DeskStep) => void;

/** What the browser waited for the page that it shows. */
const PAGE_TIME = `(() => {
  const [{ responseEnd, requestStart }] = performance.getEntriesByType('navigation');
  return responseEnd - requestStart;
})()`;

/**
 * What an operator does in the console on a usual day, with mouse and keyboard: looks what is due, answers the phone,
 * finds things, sorts lists, changes several credentials at once. Every page is held to what it must say.
 *
 * @param times pages without a search are opened so often, and the fastest counts: other programs take time, too
 */
export async function clickThroughDay(visitor: Visitor, data: DeskData, onStep: OnDeskStep, times = 1): Promise<void> {
  const { page } = visitor;
  const note = async (what: string): Promise<void> => {
    onStep({ what, milliseconds: await page.evaluate<number>(PAGE_TIME) });
  };
  const look = async (path: string, what: string): Promise<void> => {
    let fastest = Infinity;
    for (let time = 0; time < times; time += 1) {
      assert.equal(await open(visitor, path), 200, what);
      fastest = Math.min(fastest, await page.evaluate<number>(PAGE_TIME));
    }
    onStep({ what, milliseconds: fastest });
  };
  const follow = async (name: string, what: string): Promise<void> => {
    await page.getByRole('link', { name, exact: true }).first().click();
    await page.waitForLoadState('load');
    const { pathname, search: query } = new URL(page.url());
    await look(`${pathname}${query}`, what);
  };
  const search = async (text: string, what: string, found: string): Promise<void> => {
    await page.keyboard.press('/');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await expectPage(page, `Found for "${text}"`);
    await note(what);
    const main = await page.locator('main').innerText();
    assert.ok(main.includes(found), `${what}: ${found} is not in:\n${main}`);
  };
  const see = async (text: string | RegExp): Promise<void> => {
    await page.getByText(text).first().waitFor({ timeout: 120_000 });
  };

  assert.equal(await open(visitor, '/'), 200);
  await poll('the ranking', async () => {
    const main = await page.locator('main').innerText();
    if (main.includes('Who fails: most refused requests')) return true;
    await page.getByRole('link', { name: 'Look again' }).click();
    return null;
  });
  await look('/', 'Start');
  await see('Who fails: most refused requests');
  await follow('What runs out', 'What runs out');
  await see('partner-000000-7');
  await search(data.consumer, 'Search: a consumer', data.consumer);
  await search('tier=gold', 'Search: a label', 'partner-000003');
  await search(data.keyEnd, 'Search: the last four of a key', 'App Key ends with');
  await search(data.requestId, 'Search: a request id', 'AUTHENTICATION_FAILED');
  await look(`/consumers/${data.consumer}`, 'The page of a consumer');
  await see('At a glance');
  await look('/consumers?column=name&column=createdAt', 'Consumers');
  await see(`1 to 50 of ${data.consumers.toLocaleString('en')}`);
  await follow('Created', 'Consumers, the newest first');
  await follow('Next page', 'Consumers, the newest first, second page');
  await look('/credentials', 'Credentials');
  await follow('Created', 'Credentials, the newest first');
  await follow('Next page', 'Credentials, the newest first, second page');
  await follow('Ends', 'Credentials, the first to end first');
  await follow('Last used', 'Credentials, the longest unused first');
  await look('/credentials?expiringWithin=30d', 'Credentials that end within 30 days');
  await look('/credentials?unusedFor=90d', 'Credentials that were not used for 90 days');
  await look('/usage?by=consumer&sort=refused', 'Usage by consumer, the most refused first');
  await look('/refusals', 'Refusals');
  await look('/endpoints/orders', 'The page of an endpoint');
  await look('/endpoints/orders/callers?q=partner-000001', 'Who may call: a search');
  await look('/audit', 'Audit');

  await open(visitor, `/credentials?consumer=${data.consumer}`);
  const boxes = await page.getByRole('checkbox', { name: /^Select / }).all();
  for (const box of boxes) await box.check();
  await page.getByRole('button', { name: 'Expire' }).click();
  await expectPage(page, `Expire ${String(boxes.length)} credentials`);
  await page.getByLabel('Works until', { exact: true }).fill('365d');
  const beginMs = performance.now();
  await page.getByRole('button', { name: `Expire ${String(boxes.length)} credentials` }).click();
  await see('Ended, started');
  await see(`${String(boxes.length)} done, 0 not done, 0 not tried.`);
  onStep({ what: `An end for ${String(boxes.length)} credentials`, milliseconds: performance.now() - beginMs });
}

/** What the same operator does at the command line. */
export async function typeThroughDay(stack: ConsoleStack, data: DeskData, onStep: OnDeskStep): Promise<void> {
  for (const command of [
    `consumer show ${data.consumer}`,
    `credential show ${data.credential}`,
    `credential list --consumer ${data.consumer}`,
    'credential list --expiring 30d',
    `may ${data.consumer} orders`,
    `refusals --request-id ${data.requestId}`,
    'usage --by endpoint',
    `audit list --consumer ${data.consumer}`,
  ]) {
    const beginMs = performance.now();
    await stack.postern(command);
    onStep({ what: `postern ${command}`, milliseconds: performance.now() - beginMs });
  }
}
