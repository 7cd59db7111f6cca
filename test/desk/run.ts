// `npm run desk -- 1000000`: a day at the desk with so many credentials, in Chromium and at the command line, on a
// MongoDB of its own; prints what each step took, of pages the
// fastest of five times.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { systemClock } from '../../src/base/clock.ts';
import { KeyRing } from '../../src/model/keyring/key-ring.ts';
import { loadKeyRing } from '../../src/model/keyring/read-key-ring.ts';
import { open, visit } from '../support/console/browser-visitor.ts';
import { startConsole } from '../support/console/console-stack.ts';
import { clickThroughDay, type DeskStep, typeThroughDay } from '../support/console/day-at-the-desk.ts';
import { fillDesk } from '../support/console/desk-data.ts';
import { startChromium } from '../support/console/use-browser.ts';
import { startReplicaSet } from '../support/mongodb/replica-set.ts';

const MAX_ATTEMPTS = 20;
const credentials = Number(process.argv[2] ?? '2400');
assert.ok(Number.isInteger(credentials) && credentials >= 2400, 'npm run desk -- NUMBER, 2400 at least');

function print({ what, milliseconds }: DeskStep): void {
  process.stdout.write(`${String(Math.round(milliseconds)).padStart(7)} ms  ${what}\n`);
}

await using mongodb = await startReplicaSet({ args: ['--wiredTigerCacheSizeGB', '2'] });
await using stack = await startConsole(mongodb.uri('desk'));
await using client = await new MongoClient(mongodb.uri('desk')).connect();
const beginMs = performance.now();
const ring = await loadKeyRing({ kind: 'file', path: stack.environment.POSTERN_KEYRING }, {});
const sealer = new KeyRing(ring.content);
const data = await fillDesk(client.db(), sealer, { credentials, nowSeconds: systemClock.nowSeconds() });
print({
  what: `Filled with ${credentials.toLocaleString('en')} credentials`,
  milliseconds: performance.now() - beginMs,
});
const browser = await startChromium();
try {
  await using visitor = await visit(browser, stack.url);
  await stack.signIn(visitor, 'alice', 'admin');
  visitor.context.setDefaultNavigationTimeout(60_000);
  // What was filled in is written to the disk meanwhile.
  for (let attempt = 1; (await open(visitor, '/')) !== 200; attempt += 1) {
    process.stdout.write(`${await visitor.page.locator('main').innerText()}\n`);
    assert.ok(attempt < MAX_ATTEMPTS, 'the database does not answer');
  }
  const firstMs = await visitor.page.evaluate<number>(
    `(([{ responseEnd, requestStart }]) => responseEnd - requestStart)(performance.getEntriesByType('navigation'))`,
  );
  print({ what: 'Start, the first time', milliseconds: firstMs });
  const countMs = performance.now();
  while (await visitor.page.getByRole('link', { name: 'Look again' }).isVisible()) {
    await delay(1000);
    await open(visitor, '/');
  }
  print({ what: 'The ranking is there after', milliseconds: performance.now() - countMs });
  await clickThroughDay(visitor, data, print, 5);
  await typeThroughDay(stack, data, print);
  assert.deepEqual(stack.defects, []);
} finally {
  await browser.close();
}
