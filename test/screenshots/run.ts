// `npm run screenshots`: the pictures of docs/console.md, from a console on a MongoDB of its own with fixed data.
// `npm run screenshots -- every`: each page of the console, wide and narrow, light and dark, into build/screenshots.
import assert from 'node:assert/strict';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '../../src/base/clock.ts';
import { pages } from '../../src/operators/console/pages.ts';
import { open, visit, type Visitor } from '../support/console/browser-visitor.ts';
import { startConsole } from '../support/console/console-stack.ts';
import { lookAtFirstUse, setUpFirstPartner } from '../support/console/first-partner.ts';
import { startFirstPartnerStack } from '../support/console/first-partner-stack.ts';
import { fillConsole, type FixedData, pathOf } from '../support/console/fixed-data.ts';
import { startChromium } from '../support/console/use-browser.ts';
import { projectRoot } from '../support/docs/documents.ts';
import { startReplicaSet } from '../support/mongodb/replica-set.ts';
import { poll } from '../support/time/poll.ts';

const folder = join(projectRoot, 'docs/console');
const viewport = { width: 1020, height: 690 };
const phone = { width: 360, height: 740 };
const maxBytes = 80_000;
const widths = [1280, 390];

/** What was filled in stays to be seen; secrets do not. */
async function take(page: Page, name: string): Promise<void> {
  const path = join(folder, `${name}.png`);
  await page.screenshot({
    path,
    mask: [page.locator('#app-secret'), page.locator('#app-key'), page.locator('code#token')],
    maskColor: '#8a94a1',
    animations: 'disabled',
  });
  const { size } = await stat(path);
  if (size > maxBytes) throw new Error(`${path} has ${String(size)} bytes, more than ${String(maxBytes)}`);
  process.stdout.write(`${path} ${String(Math.ceil(size / 1000))} kB\n`);
}

/** Every page as a person sees it whole. Throws for one that is wider than its window. */
async function takeEvery(visitor: Visitor, data: FixedData): Promise<void> {
  const into = join(projectRoot, 'build/screenshots');
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  const { page } = visitor;
  const tooWide: string[] = [];
  for (const { path: pattern } of pages) {
    await open(visitor, pathOf(pattern, data));
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const name = `${pattern.slice(1).replaceAll(/[/:]+/g, '-') || 'start'}-${String(width)}-${colorScheme}.png`;
        await page.screenshot({ path: join(into, name), fullPage: true, animations: 'disabled' });
      }
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (beyond > 0) tooWide.push(`${pattern} is ${String(beyond)} px wider than a window of ${String(width)} px`);
    }
  }
  process.stdout.write(`${into}: ${String(pages.length)} pages\n`);
  assert.deepEqual(tooWide, []);
}

async function takeDocumented(browser: Browser, visitor: Visitor, { requestId }: FixedData): Promise<void> {
  await mkdir(folder, { recursive: true });
  const shots = [
    ['home-light', '/', 'light', viewport],
    ['consumer-light', '/consumers/acme', 'light', viewport],
    ['usage-dark', '/usage?by=hour', 'dark', viewport],
    ['refusal-light', `/refusals/${requestId}`, 'light', viewport],
    ['refusals-phone', '/refusals', 'light', phone],
  ] as const;
  for (const [name, path, colorScheme, size] of shots) {
    await visitor.page.emulateMedia({ colorScheme });
    await visitor.page.setViewportSize(size);
    await open(visitor, path);
    await take(visitor.page, name);
  }
  await using first = await startFirstPartnerStack();
  await using other = await visit(browser, first.url, { viewport });
  const onStep = async (name: string): Promise<void> => {
    await take(other.page, `step-${name}`);
  };
  const handedOver = await setUpFirstPartner(other.page, first.token, onStep);
  await poll('a 200 for the partner', async () => {
    const { status } = await first.call(handedOver);
    return status === 200 ? status : null;
  });
  await first.stopServing();
  await lookAtFirstUse(other.page, onStep);
}

const [what] = process.argv.slice(2);
assert.ok(what === undefined || what === 'every', 'npm run screenshots [-- every]');
await using mongodb = await startReplicaSet();
const browser = await startChromium();
try {
  await using filled = await startConsole(mongodb.uri('filled'));
  const data = await fillConsole(filled, mongodb.uri('filled'), systemClock.nowSeconds());
  await using visitor = await visit(browser, filled.url, { viewport });
  await filled.signIn(visitor, 'alice', 'admin');
  await poll('the ranking', async () => {
    await open(visitor, '/');
    return (await visitor.page.getByRole('link', { name: 'Look again' }).isVisible()) ? null : true;
  });
  if (what === 'every') await takeEvery(visitor, data);
  else await takeDocumented(browser, visitor, data);
} finally {
  await browser.close();
}
