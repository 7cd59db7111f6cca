import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { ApiProblem } from '../../../../src/operators/api/problem.ts';
import { Jobs, type JobStep, type StepResult } from '../../../../src/operators/console/jobs/jobs.ts';
import { MemoryJobStore } from '../../../support/console/memory-job-store.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { hiddenValue, NOW, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';
import { credential } from '../../../support/pipeline/resources.ts';
import { poll } from '../../../support/time/poll.ts';

describe('console: changes of several at once', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;

  beforeEach(() => {
    store = new MemoryResourceStore({
      consumers: ['acme', 'globex', 'initech'].map((id) => ({ ...consumerDefaults, id, labels: { team: 'a' } })),
      credentials: ['acme-1', 'globex-1'].map((id) => ({
        ...credential({ id, consumerId: id.slice(0, -2) }),
        appKey: Secret.fromText(id),
        appKeyHash: hashAppKey(id),
      })),
    });
    console = new TestConsole(store);
    console.add('alice', 'admin');
    console.add('bob', 'admin');
    console.add('victor', 'viewer');
  });

  /** Selects, confirms, and waits until the job has ended. */
  async function carryOut(path: string, typed: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    const page = await console.open('alice', path);
    assert.equal(page.status, 200, page.text);
    const { pathname, searchParams } = new URL(path, 'http://x');
    const body = new URLSearchParams({ csrf: 'token of alice', onceKey: hiddenValue(page, 'onceKey'), ...typed });
    body.set('action', searchParams.get('action') ?? '');
    for (const id of searchParams.getAll('id')) body.append('id', id);
    const init = { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } };
    for (let click = 0; click < 2; click += 1) {
      const sent = await console.open('alice', pathname, init);
      assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/jobs?done=job-started'], sent.text);
    }
    return await ended();
  }

  const ended = async (): Promise<PageAnswer> =>
    await poll('the job ends', async () => {
      const page = await console.open('alice', '/jobs');
      return /Ended, started/.test(page.text) && !/Running, started/.test(page.text) ? page : null;
    });

  const stateOf = async (id: string): Promise<unknown> => {
    const { enabled, labels } = (await store.find('consumer', id))?.resource ?? {};
    return { enabled, labels };
  };

  it('are asked for before they are made, once for two clicks, and say what was done and what was not', async () => {
    const path = '/selected/consumers?id=acme&id=nobody&id=globex&action=disable';
    const asked = await console.open('alice', path);
    assert.match(asked.text, /<h1>Disable 3 consumers<\/h1>[^]*all requests of each are refused[^]*>globex<\/a>/);
    assert.equal(store.revision, 0);
    const { text } = await carryOut(path, { reason: 'OPS-17' });
    assert.match(text, /2 done, 1 not done, 0 not tried\./);
    assert.match(text, />nobody<\/a><\/th>[^]*?not done<\/span>/);
    assert.deepEqual(await stateOf('acme'), { enabled: false, labels: { team: 'a' } });
    assert.equal(((await stateOf('initech')) as { enabled: boolean }).enabled, true);
    const actions = [];
    for await (const { action, reason } of store.events({})) actions.push([action, reason]);
    assert.deepEqual(actions, Array(2).fill(['console consumer edit', 'OPS-17']));
    assert.equal(text.match(/<h2 id="job-/g)?.length, 1);
    assert.match((await console.open('bob', '/jobs')).text, /There are none\./);
  });

  it('set labels beside the others, and refuse what is no label', async () => {
    const path = '/selected/consumers?id=acme&id=globex&action=label';
    await carryOut(path, { typed: 'tier=gold' });
    for (const id of ['acme', 'globex']) {
      assert.deepEqual(await stateOf(id), { enabled: true, labels: { team: 'a', tier: 'gold' } });
    }
    const onceKey = hiddenValue(await console.open('alice', path), 'onceKey');
    for (const [typed, fault] of [
      ['gold', /&quot;gold&quot; does not have the form NAME=VALUE/],
      ['', /give one label at least/],
    ] as const) {
      const fields = { id: 'acme', action: 'label', typed, onceKey };
      const refused = await console.submit('alice', '/selected/consumers', fields);
      assert.equal(refused.status, 422);
      assert.match(refused.text, fault);
      assert.match(refused.text, /id="typed-fault"/);
    }
  });

  it('rotate and revoke credentials, and show new secrets to who asks, once', async () => {
    const { text } = await carryOut('/selected/credentials?id=acme-1&action=rotate', { typed: '1d' });
    assert.match(text, /1 done, 0 not done/);
    assert.doesNotMatch(text, /acme-1: /);
    const job = hiddenValue({ status: 200, headers: new Headers(), text }, 'job');
    const shown = await console.submit('bob', '/jobs', { job, secrets: 'yes' });
    assert.doesNotMatch(shown.text, /acme-1: /);
    const once = await console.submit('alice', '/jobs', { job, secrets: 'yes' });
    assert.match(once.text, /<code>[\w-]+: [\w-]{20,}<\/code>/);
    const again = await console.submit('alice', '/jobs', { job, secrets: 'yes' });
    assert.match(again.text, /They were shown before/);
    await carryOut('/selected/credentials?id=globex-1&action=revoke');
    assert.equal((await store.find('credential', 'globex-1'))?.resource.state, 'revoked');
  });

  it('show new secrets only to who may still make them, and reaches their credentials', async () => {
    const { text } = await carryOut('/selected/credentials?id=acme-1&action=rotate', { typed: '1d' });
    const job = hiddenValue({ status: 200, headers: new Headers(), text }, 'job');
    console.add('alice', 'support');
    const refused = await console.submit('alice', '/jobs', { job, secrets: 'yes' });
    assert.equal(refused.status, 403, refused.text);
    assert.match(refused.text, /needs operator or admin/);
    console.add('alice', 'admin', { selector: { team: 'b' } });
    const beyond = await console.submit('alice', '/jobs', { job, secrets: 'yes' });
    assert.doesNotMatch(beyond.text, /acme-1: /);
  });

  it('set the same end for each, typed or chosen in UTC, and refuse a time without its zone', async () => {
    const path = '/selected/credentials?id=acme-1&id=globex-1&action=expire';
    const endOf = async (id: string): Promise<number | null | undefined> =>
      (await store.find('credential', id))?.resource.expiresAt;
    await carryOut(path, { typed: '90d' });
    for (const id of ['acme-1', 'globex-1']) assert.equal(await endOf(id), NOW + 90 * 86_400);
    const { text } = await carryOut(path, { 'typed-picked': '2027-01-01T00:00' });
    assert.match(text, /<h2[^>]*>Expire 2 credentials<\/h2>/);
    for (const id of ['acme-1', 'globex-1']) assert.equal(await endOf(id), Date.UTC(2027, 0) / 1000);
    const onceKey = hiddenValue(await console.open('alice', path), 'onceKey');
    for (const typed of ['2027-01-01T00:00', '', '2027-01-01T00:00:00Z or 2028-01-01T00:00:00Z']) {
      const fields = { id: 'acme-1', action: 'expire', typed, onceKey };
      const refused = await console.submit('alice', '/selected/credentials', fields);
      assert.equal(refused.status, 422);
      assert.match(refused.text, /id="typed-fault"[^]*with its zone/);
    }
  });

  it('end with the first outage', async () => {
    store.beforeCommit = () => {
      throw console.outage();
    };
    const { text } = await carryOut('/selected/consumers?id=acme&id=globex&action=disable');
    assert.match(text, /0 done, 1 not done, 1 not tried\./);
    assert.deepEqual(console.defects, []);
  });

  it('ask for nothing where nothing is selected, and are for those who may', async () => {
    for (const path of ['/selected/consumers', '/selected/consumers?id=acme&action=toString']) {
      assert.match((await console.open('alice', path)).text, /<h1>Nothing is selected<\/h1>/);
    }
    assert.equal((await console.open('victor', '/selected/consumers?id=acme&action=disable')).status, 403);
    assert.doesNotMatch((await console.open('victor', '/consumers')).text, /type="checkbox" form=/);
    assert.match((await console.open('alice', '/consumers')).text, /aria-label="Select acme"/);
    const many = Array.from({ length: 101 }, (_, index) => `id=c-${String(index)}`).join('&');
    assert.equal((await console.open('alice', `/selected/consumers?${many}&action=disable`)).status, 400);
    const forged = await console.submit('alice', '/selected/consumers', { id: 'acme', action: 'disable' });
    assert.equal(forged.status, 400);
    assert.equal(store.revision, 0);
  });

  describe('in processes on one store', () => {
    let jobStore: MemoryJobStore;
    let now: number;
    let defects: unknown[];
    let one: Jobs;
    let other: Jobs;

    beforeEach(() => {
      jobStore = new MemoryJobStore();
      now = NOW;
      defects = [];
      [one, other] = [newJobs(), newJobs()];
    });

    const newJobs = (): Jobs => {
      const clock = { nowSeconds: () => now, nowMs: () => now * 1000, elapsedMs: () => 0 };
      return new Jobs({ store: jobStore, clock, onDefect: (error) => defects.push(error) });
    };
    const step = (run: JobStep['run']): JobStep => ({ name: 'acme-1', href: '/x', run });
    /** A step that is done when the test says so. */
    const waiting = (): { readonly step: JobStep; readonly goOn: () => void } => {
      let settle: (outcome: StepResult) => void = () => undefined;
      const outcome = new Promise<StepResult>((resolve) => (settle = resolve));
      return {
        step: step(async () => await outcome),
        goOn: () => {
          settle({ isDone: true, text: 'done', secret: Secret.fromText('a secret') });
        },
      };
    };
    const endedAt = async (jobs: Jobs): Promise<number | undefined> =>
      await poll('the job ends', async () => {
        const [job] = await jobs.of('alice');
        return job?.isEnded === true ? job.outcomes.length : null;
      });

    it('are known to each of them, which can stop them and show their secrets', async () => {
      const first = waiting();
      await one.start('alice', { key: 'k', title: 't', steps: [first.step, first.step] });
      await other.start('alice', { key: 'k', title: 't', steps: [] });
      const [job] = await other.of('alice');
      assert.equal((await other.of('alice')).length, 1);
      await other.stop('bob', job?.id ?? '');
      await other.stop('alice', job?.id ?? '');
      assert.deepEqual(await other.takeSecrets('alice', job?.id ?? ''), []);
      first.goOn();
      assert.equal(await endedAt(other), 1);
      const [taken] = await other.takeSecrets('alice', job?.id ?? '');
      assert.equal(taken?.secret?.reveal().toString('utf8'), 'a secret');
      assert.deepEqual(await one.takeSecrets('alice', job?.id ?? ''), []);
    });

    it('are told as stopped, with what was done, where their process is heard of no more', async () => {
      const [first, second] = [waiting(), waiting()];
      await console.jobs.start('alice', { key: 'k', title: 'Rotate 2 credentials', steps: [first.step, second.step] });
      first.goOn();
      const running = await poll('the first is done', async () => {
        const page = await console.open('alice', '/jobs');
        return page.text.includes('1 done, 0 not done, 1 not tried yet.') ? page : null;
      });
      assert.match(running.text, />Stop<\/button>/);
      console.now += 120;
      const { text } = await console.open('alice', '/jobs');
      assert.match(text, /Stopped, started [^]*1 done, 0 not done, 1 not tried\./);
      assert.match(text, /Nothing was heard of it since [^]*<strong>acme-1<\/strong> may have been changed/);
      assert.doesNotMatch(text, />Stop<\/button>|data-reload/);
      const job = hiddenValue({ status: 200, headers: new Headers(), text }, 'job');
      assert.match((await console.submit('alice', '/jobs', { job, secrets: 'yes' })).text, /<code>a secret<\/code>/);
      second.goOn();
    });

    it('end with their process, after the step that is under way', async () => {
      const first = waiting();
      await one.start('alice', { key: 'k', title: 't', steps: [first.step, first.step] });
      const ending = one[Symbol.asyncDispose]();
      first.goOn();
      await ending;
      assert.equal(await endedAt(other), 1);
    });

    it('are bounded, and keep a defect to themselves', async () => {
      const fails = step(async () => await Promise.reject(new Error('broken')));
      await one.start('alice', { key: 'k', title: 't', steps: [fails, fails] });
      assert.equal(await endedAt(one), 1);
      assert.equal(defects.length, 1);
      const held = waiting();
      for (const key of ['a', 'b', 'c', 'd', 'e']) await one.start('alice', { key, title: key, steps: [held.step] });
      const refused = new ApiProblem('CONFLICT', '5 of your jobs are running: wait for one, or stop it.');
      await assert.rejects(other.start('alice', { key: 'f', title: 'f', steps: [held.step] }), refused);
      await other.start('bob', { key: 'f', title: 'f', steps: [] });
      now += 120;
      await other.start('alice', { key: 'f', title: 'f', steps: [] });
      held.goOn();
    });
  });
});
