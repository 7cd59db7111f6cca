import assert from 'node:assert/strict';
import { KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { loadKeyRing } from '../../../src/model/keyring/read-key-ring.ts';
import { type ConsoleStack, startConsole } from '../../support/console/console-stack.ts';
import { clickThroughDay, type DeskStep, typeThroughDay } from '../../support/console/day-at-the-desk.ts';
import { type DeskData, fillDesk } from '../../support/console/desk-data.ts';
import { useBrowser } from '../../support/console/use-browser.ts';
import { visit } from '../../support/console/browser-visitor.ts';
import { release } from '../../support/lifetime/release.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

/** `npm run desk -- 1000000` is the same with more of them, and with times. */
const CREDENTIALS = 2400;

describe('a day at the desk', function () {
  this.timeout(300_000);
  const database = useDatabase();
  const browser = useBrowser();
  let stack: ConsoleStack;
  let data: DeskData;

  before(async () => {
    stack = await startConsole(database.uri());
    const { content } = await loadKeyRing({ kind: 'file', path: stack.environment.POSTERN_KEYRING }, {});
    const nowSeconds = Math.floor(Date.now() / 1000);
    data = await fillDesk(database.db(), new KeyRing(content), { credentials: CREDENTIALS, nowSeconds });
  });
  after(() => release(stack));

  it('finds, sorts and changes everything by clicks', async () => {
    await using visitor = await visit(browser(), stack.url);
    await stack.signIn(visitor, 'alice', 'admin');
    const steps: DeskStep[] = [];
    await clickThroughDay(visitor, data, (step) => steps.push(step));
    assert.equal(steps.at(-1)?.what, 'An end for 40 credentials');
    assert.deepEqual(visitor.takeComplaints(), []);
    assert.deepEqual(stack.defects, []);
  });

  it('does the same at the command line', async () => {
    const steps: DeskStep[] = [];
    await typeThroughDay(stack, data, (step) => steps.push(step));
    assert.ok(steps.length > 0);
  });
});
