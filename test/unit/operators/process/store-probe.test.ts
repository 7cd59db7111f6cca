import assert from 'node:assert/strict';
import { StoreProbe } from '../../../../src/operators/process/store-probe.ts';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { MongodbUnavailable } from '../../../../src/stores/mongodb/faults.ts';

/** A store that answers as a test says, and a timer that runs when it says. */
class Probed {
  fault: Error | null = null;
  asked = 0;
  readonly told: (string | null)[] = [];
  #due: (() => void) | null = null;
  readonly probe: StoreProbe;

  constructor() {
    this.probe = new StoreProbe({
      resources: {
        find: async () => {
          this.asked += 1;
          await Promise.resolve();
          if (this.fault !== null) throw this.fault;
          return null;
        },
      },
      startTimer: (_, action) => {
        this.#due = action;
        return () => {
          this.#due = null;
        };
      },
      onChange: (fault) => this.told.push(fault === null ? null : fault.message),
    });
  }

  /** Lets the look that runs end. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  async next(): Promise<void> {
    const due = this.#due ?? assert.fail('no look is due');
    this.#due = null;
    due();
    await this.settle();
  }

  get isDue(): boolean {
    return this.#due !== null;
  }
}

describe('whether the store of the management API answers', () => {
  it('is not known before the first answer, and then is as the last one says', async () => {
    const probed = new Probed();
    assert.deepEqual([probed.probe.isUp, probed.probe.findUnreadiness()], [false, 'MongoDB has not answered yet']);
    await probed.settle();
    assert.deepEqual([probed.probe.isUp, probed.probe.findUnreadiness(), probed.told], [true, null, []]);
    probed.fault = new StoreUnavailable('no primary');
    await probed.next();
    await probed.next();
    assert.deepEqual([probed.probe.isUp, probed.probe.findUnreadiness()], [false, 'MongoDB does not answer']);
    probed.fault = new MongodbUnavailable('forbidden', 'lacks a right');
    await probed.next();
    assert.match(probed.probe.findUnreadiness() ?? '', /^MongoDB forbids the user of its address what this needs/);
    probed.fault = null;
    await probed.next();
    assert.equal(probed.probe.findUnreadiness(), null);
    assert.deepEqual(probed.told, ['no primary', 'lacks a right', null]);
  });

  it('asks nothing that others ask, and no more when it is disposed of', async () => {
    const probed = new Probed();
    await probed.settle();
    for (let index = 0; index < 100; index += 1) probed.probe.findUnreadiness();
    assert.equal(probed.asked, 1);
    probed.probe[Symbol.dispose]();
    assert.equal(probed.isDue, false);
    const other = new Probed();
    other.probe[Symbol.dispose]();
    await other.settle();
    assert.equal(other.isDue, false);
  });
});
