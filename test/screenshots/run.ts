// `npm run screenshots`: the pictures of docs/console.md, from a console on a MongoDB of its own with fixed data.
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { systemClock } from '../../src/base/clock.ts';
import { open, visit } from '../support/console/browser-visitor.ts';
import { startConsole } from '../support/console/console-stack.ts';
import { lookAtFirstUse, setUpFirstPartner } from '../support/console/first-partner.ts';
import { startFirstPartnerStack } from '../support/console/first-partner-stack.ts';
import { fillConsole } from '../support/console/fixed-data.ts';
import { startChromium } from '../support/console/use-browser.ts';
import { projectRoot } from '../support/docs/documents.ts';
import { startReplicaSet } from '../support/mongodb/replica-set.ts';
import { poll } from '../support/time/poll.ts';

const folder = join(projectRoot, 'docs/console');
const viewport = { width: 1020, height: 690 };
const phone = { width: 360, height: 740 };
const maxBytes = 80_000;

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

await mkdir(folder, { recursive: true });
await using mongodb = await startReplicaSet();
const browser = await startChromium();
try {
  {
    await using first = await startFirstPartnerStack();
    await using visitor = await visit(browser, first.url, { viewport });
    const onStep = async (name: string): Promise<void> => {
      await take(visitor.page, `step-${name}`);
    };
    const handedOver = await setUpFirstPartner(visitor.page, first.token, onStep);
    await poll('a 200 for the partner', async () => {
      const { status } = await first.call(handedOver);
      return status === 200 ? status : null;
    });
    await first.stopServing();
    await lookAtFirstUse(visitor.page, onStep);
  }
  await using filled = await startConsole(mongodb.uri('filled'));
  const { requestId } = await fillConsole(filled, mongodb.uri('filled'), systemClock.nowSeconds());
  await using visitor = await visit(browser, filled.url, { viewport });
  await filled.signIn(visitor, 'alice', 'admin');
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
} finally {
  await browser.close();
}
