import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type HeldCredential, StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { type TestCache, testCache } from '../../support/store/cache.ts';
import { hashOf, held, keyOf } from '../../support/store/held.ts';
import { settle } from '../../support/time/manual-time.ts';

const MAX_STALE_MS = 60_000;
const UNKNOWN_FOR_MS = 10_000;
/** Every read ends within this time. */
const DEADLINE_MS = 500;

/** Credentials and their consumers. */
const consumerOf: Readonly<Record<string, string>> = { a: 'acme', b: 'acme', c: 'globex', d: 'globex', x: 'initech' };
const ids = Object.keys(consumerOf);
const consumerIds = [...new Set(Object.values(consumerOf))];

/** One state of a resource, and until when it was the latest. */
interface Version {
  readonly exists: boolean;
  untilMs: number;
}

/** A resource in the store: all its versions, and the number of the latest one that the cache was told of. */
class Resource {
  readonly versions: Version[];
  told = 0;
  /** A member that lags has no older one. */
  least = 0;

  constructor(exists: boolean) {
    this.versions = [{ exists, untilMs: Infinity }];
  }

  get latest(): number {
    return this.versions.length - 1;
  }

  get exists(): boolean {
    return this.versions[this.latest]?.exists === true;
  }

  change(exists: boolean, nowMs: number): void {
    const latest = this.versions[this.latest];
    if (latest !== undefined) latest.untilMs = nowMs;
    this.versions.push({ exists, untilMs: Infinity });
  }

  untilMs(version: number): number {
    return this.versions[version]?.untilMs ?? -Infinity;
  }
}

/** A change that the feed has not told yet. */
interface Untold {
  readonly atMs: number;
  readonly resource: Resource;
  readonly version: number;
  readonly tell: () => void;
}

/** A caller, what the cache had been told when it asked, and when that was. */
interface Call {
  readonly id: string;
  readonly credentialTold: number;
  readonly consumerTold: number;
  readonly atMs: number;
}

/** The store as it really is, the feed that tells of it, and callers whose answers are judged. */
class World {
  readonly test: TestCache;
  readonly credentials = new Map(ids.map((id) => [id, new Resource(id !== 'x')]));
  readonly consumers = new Map(consumerIds.map((id) => [id, new Resource(true)]));
  readonly untold: Untold[] = [];
  isConnected = true;
  calls = 0;
  answers = 0;
  /** What reads under way saw when they began, in the order of the reads that wait. */
  readonly #atBeginning = new WeakMap<object, { credential: number; consumer: number; atMs: number }>();
  /** Whether reads that begin now are answered by a member that lags. */
  isLagging = false;
  hasLagged = false;

  constructor() {
    this.test = testCache({
      maxEntries: 2,
      maxStaleSeconds: MAX_STALE_MS / 1000,
      gateLimits: {
        maxRunning: 3,
        maxUnseenRunning: 2,
        maxBackgroundRunning: 1,
        maxKnownWaiting: 1,
        maxUnseenWaiting: 1,
      },
    });
    this.test.members.mayLag = true;
    this.confirm();
  }

  credential(id: string): Resource {
    return required(this.credentials.get(id));
  }

  consumer(id: string): Resource {
    return required(this.consumers.get(consumerOf[id] ?? ''));
  }

  /** A connected feed is complete until the first change that it has not told. */
  confirm(): void {
    if (this.isConnected) this.test.feed.confirmedMs = this.untold[0]?.atMs ?? this.test.time.nowMs();
  }

  find(id: string): void {
    const call = {
      id,
      credentialTold: this.credential(id).told,
      consumerTold: this.consumer(id).told,
      atMs: this.test.time.nowMs(),
    };
    this.calls += 1;
    const judge = (found: HeldCredential | null): void => {
      this.answers += 1;
      this.judge(call, found);
    };
    const pass = (error: unknown): void => {
      this.answers += 1;
      assert.ok(error instanceof StoreUnavailable, String(error));
    };
    try {
      const finding = this.test.cache.findByAppKey(keyOf(id));
      if (finding instanceof Promise)
        finding.then(judge, pass).catch((error: unknown) => this.failures.push(error as Error));
      else judge(finding);
    } catch (error) {
      pass(error);
    }
    this.noteBeginnings();
  }

  readonly failures: Error[] = [];

  judge(call: Call, found: HeldCredential | null): void {
    const credential = this.credential(call.id);
    if (found === null) {
      const oldestMs = call.atMs - UNKNOWN_FOR_MS - (this.hasLagged ? MAX_STALE_MS : 0);
      const isRight = credential.versions.some(
        ({ exists, untilMs }, version) => !exists && version >= call.credentialTold && untilMs >= oldestMs,
      );
      assert.ok(
        isRight,
        `${call.id} was nobody's at no time since ${String(oldestMs)} and version ${String(call.credentialTold)}`,
      );
      return;
    }
    const oldestMs = call.atMs - MAX_STALE_MS;
    const credentialVersion = found.credential.notBefore ?? -1;
    const consumerVersion = Number(found.consumer.description);
    assert.equal(found.credential.id, call.id);
    assert.ok(credentialVersion >= call.credentialTold, 'a credential older than the last change told');
    assert.ok(consumerVersion >= call.consumerTold, 'a consumer older than the last change told');
    assert.ok(credential.versions[credentialVersion]?.exists, 'a credential that never was');
    assert.ok(credential.untilMs(credentialVersion) >= oldestMs, 'a credential out of date for too long');
    assert.ok(this.consumer(call.id).untilMs(consumerVersion) >= oldestMs, 'a consumer out of date for too long');
  }

  /** Notes of new reads what they could see when they began. */
  noteBeginnings(): void {
    const hashes = this.test.reader.open.map(({ appKeyHash }) => appKeyHash);
    assert.equal(new Set(hashes).size, hashes.length, 'two reads of one App Key at once');
    assert.ok(hashes.length <= 3, 'more reads at once than allowed');
    assert.ok(this.test.cache.size <= 2, 'more entries than allowed');
    for (const read of this.test.reader.open) {
      if (this.#atBeginning.has(read)) continue;
      const id = idOf(read.appKeyHash);
      this.#atBeginning.set(read, {
        credential: this.isLagging ? this.credential(id).least : this.credential(id).latest,
        consumer: this.isLagging ? this.consumer(id).least : this.consumer(id).latest,
        atMs: this.test.time.nowMs(),
      });
    }
  }

  /** Ends a read. It may be torn: each of its parts is as it was when the read began, or as it is now. */
  async answer(at: number, isOldCredential: boolean, isOldConsumer: boolean): Promise<void> {
    const read = this.test.reader.open[at % Math.max(1, this.test.reader.open.length)];
    if (read === undefined) return;
    const id = idOf(read.appKeyHash);
    const beginning = required(this.#atBeginning.get(read));
    const credentialVersion = isOldCredential ? beginning.credential : this.credential(id).latest;
    const consumerVersion = isOldConsumer ? beginning.consumer : this.consumer(id).latest;
    if (this.credential(id).versions[credentialVersion]?.exists !== true) read.answer(null);
    else {
      const found = held(id, consumerOf[id], consumerVersion);
      read.answer({ ...found, credential: { ...found.credential, notBefore: credentialVersion } });
    }
    await this.step();
  }

  changeCredential(id: string, exists: boolean): void {
    const resource = this.credential(id);
    if (!exists && !resource.exists) return;
    resource.change(exists, this.test.time.nowMs());
    this.remember(resource, () => {
      this.test.cache.credentialChanged(id, exists ? hashOf(id) : null);
    });
  }

  changeConsumer(id: string, isGrant: boolean): void {
    const resource = this.consumer(id);
    resource.change(true, this.test.time.nowMs());
    this.remember(resource, () => {
      const { cache } = this.test;
      if (isGrant) cache.grantChanged(consumerOf[id] ?? '');
      else cache.consumerChanged(consumerOf[id] ?? '');
    });
  }

  remember(resource: Resource, tell: () => void): void {
    this.untold.push({ atMs: this.test.time.nowMs(), resource, version: resource.latest, tell });
  }

  /** The feed tells the next changes, if it is connected. */
  tell(count: number): void {
    if (!this.isConnected) return;
    for (const { resource, version, tell } of this.untold.splice(0, count)) {
      tell();
      resource.told = Math.max(resource.told, version);
      resource.least = Math.max(resource.least, version);
    }
    this.confirm();
  }

  /** The feed is back after having lost what happened meanwhile. */
  lose(): void {
    // It has read everything again, and no read goes behind that.
    for (const resource of [...this.credentials.values(), ...this.consumers.values()]) resource.least = resource.latest;
    this.test.cache.everythingChanged();
    this.untold.length = 0;
    this.isConnected = true;
    this.confirm();
  }

  /** Lets time pass. Reads that come to their deadline fail. */
  async step(ms = 0): Promise<void> {
    const { time, reader } = this.test;
    const endMs = time.nowMs() + ms;
    for (;;) {
      this.noteBeginnings();
      const deadlines = reader.open.map((read) => required(this.#atBeginning.get(read)).atMs + DEADLINE_MS);
      await time.advance(Math.max(0, Math.min(endMs, ...deadlines) - time.nowMs()));
      this.confirm();
      this.noteBeginnings();
      const late = reader.open.filter(
        (read) => required(this.#atBeginning.get(read)).atMs + DEADLINE_MS <= time.nowMs(),
      );
      if (late.length === 0 && time.nowMs() >= endMs) return;
      for (const read of late) read.fail();
      await settle();
    }
  }

  /** Lets everything come to its end, and looks whether it did. */
  async end(): Promise<void> {
    for (let at = 0; at < 100 && this.test.cache.lookUpsUnderWay > 0; at += 1) {
      await this.step(DEADLINE_MS);
    }
    const [failure] = this.failures;
    if (failure !== undefined) throw failure;
    assert.equal(this.answers, this.calls, 'a caller was left without an answer');
    assert.deepEqual([this.test.cache.lookUpsUnderWay, this.test.time.timers, this.test.defects], [0, 0, []]);
  }
}

function idOf(appKeyHash: string): string {
  return required(ids.find((id) => hashOf(id) === appKeyHash));
}

function required<T>(value: T | undefined): T {
  assert.ok(value !== undefined);
  return value;
}

type Step = (world: World) => void | Promise<void>;

/** A step that says what it is when a property fails. */
function step(name: string, act: Step): Step & { toString(): string } {
  return Object.assign(act, { [fc.toStringMethod]: () => name });
}

const anId = fc.constantFrom(...ids);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: anId.map((id) =>
      step(`find ${id}`, (world) => {
        world.find(id);
      }),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(3), fc.boolean(), fc.boolean()).map(([at, oldCredential, oldConsumer]) =>
      step(`answer ${String(at)} ${String(oldCredential)} ${String(oldConsumer)}`, async (world) => {
        await world.answer(at, oldCredential, oldConsumer);
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(3).map((at) =>
      step(`fail ${String(at)}`, async (world) => {
        world.test.reader.open[at % Math.max(1, world.test.reader.open.length)]?.fail();
        await world.step();
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(anId, fc.boolean()).map(([id, exists]) =>
      step(`${exists ? 'change' : 'delete'} ${id}`, (world) => {
        world.changeCredential(id, exists);
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(anId, fc.boolean()).map(([id, isGrant]) =>
      step(`change ${isGrant ? 'grant' : 'consumer'} of ${id}`, (world) => {
        world.changeConsumer(id, isGrant);
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 1, max: 3 }).map((count) =>
      step(`tell ${String(count)}`, (world) => {
        world.tell(count);
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(1999, 2100, 4900, 5100, 9999, 10_000, 59_000, 61_000))
      .map((ms) =>
        step(`advance ${String(ms)}`, async (world) => {
          await world.step(ms);
        }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('reachable', 'down', 'trial').map((outlook) =>
      step(outlook, (world) => {
        world.test.reader.outlook = outlook;
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      step('the feed breaks', (world) => {
        world.isConnected = false;
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      step('another member answers', (world) => {
        world.isLagging = !world.isLagging;
        world.hasLagged = true;
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      step('the feed goes on', (world) => {
        world.isConnected = true;
        world.confirm();
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      step('the feed lost changes', (world) => {
        world.lose();
      }),
    ),
  },
);

describe('the credential cache, whatever happens in whatever order', () => {
  it('never serves what is older than the latest change it got, keeps its bounds, and answers every caller', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 80, size: 'max' }), async (steps) => {
        const world = new World();
        for (const act of steps) await act(world);
        await world.end();
      }),
      { numRuns: 400 },
    );
  });
});
