import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { generatePair, hashOfAppKey, textOf } from '../../../../../src/resources/changes/generate-credential.ts';
import { Outdated } from '../../../../../src/resources/changes/resource-store.ts';
import {
  carryOutRun,
  type RunEnd,
  type RunTerms,
} from '../../../../../src/resources/changes/rotation/carry-out-run.ts';
import { planRun } from '../../../../../src/resources/changes/rotation/plan-run.ts';
import type { RotationRecord } from '../../../../../src/resources/changes/rotation/rotation-record.ts';
import type { AuthenticationMethod } from '../../../../../src/model/endpoint.ts';
import type { ManagedCredential } from '../../../../../src/resources/resource.ts';
import { StoreUnavailable } from '../../../../../src/check/store/credential-source.ts';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { consumer } from '../../../../support/pipeline/resources.ts';
import { credentialWith, nowSeconds } from '../credentials.ts';
import { secretsOf } from '../../../../support/store/secrets.ts';
import { sharedSecret } from '../../../../../src/model/material.ts';

const clock = { nowSeconds: () => nowSeconds, nowMs: () => nowSeconds * 1000, elapsedMs: () => 0 };
const terms: RunTerms = { graceSeconds: 604_800, endsFormerSecret: false };
const methods: readonly AuthenticationMethod[] = ['hmac', 'key', 'oauth2', 'key', 'parameter-signature'];

/** The process was killed: nothing after it is done. */
class Killed extends Error {}
/** No server said what became of a change. */
class Unconfirmed extends Error {}

/** A run over five credentials of `acme`, whose file and store outlive each try to carry it out. */
class Scene {
  readonly store = new MemoryResourceStore(
    {
      consumers: [consumer({ id: 'acme' })],
      credentials: methods.map((method, index) => credentialWith({ id: `c${String(index)}`, methods: [method] })),
    },
    clock,
  );
  /** What is on the disk, in the order of the plan. */
  readonly file = new Map<string, RotationRecord>();
  /** Every secret that was ever kept, of each credential. */
  readonly kept = new Map<string, Set<string>>();
  onKeep: (record: RotationRecord, write: () => void) => void = (_record, write) => {
    write();
  };
  onCommit: (commit: () => Promise<number>) => Promise<number> = async (commit) => await commit();
  isStopped = false;
  /** A change that nobody confirmed, and that comes into force before the next one is tried. */
  late: (() => Promise<number>) | null = null;

  async begin(): Promise<this> {
    const candidates = [];
    for await (const stored of this.store.list('credential')) {
      candidates.push({ stored, consumer: consumer({ id: 'acme' }) });
    }
    for (const record of planRun(candidates, terms, nowSeconds).records) this.#write(record);
    return this;
  }

  /** Carries the run out from what is on the disk. */
  async carryOut(): Promise<RunEnd> {
    const { store } = this;
    return await carryOutRun([...this.file.values()], terms, {
      operation: { actor: 'ada', action: 'credential rotate' },
      clock,
      store: {
        maxChangesPerCommit: store.maxChangesPerCommit,
        find: async (kind, id) => await store.find(kind, id),
        list: (kind, selection) => store.list(kind, selection),
        commit: async (changes, operation) => await this.onCommit(async () => await store.commit(changes, operation)),
      },
      keep: async (record) => {
        await Promise.resolve();
        this.onKeep(record, () => {
          this.#write(record);
        });
      },
      isStopped: () => this.isStopped,
      isOutcomeUnknown: (error) => error instanceof Unconfirmed,
    });
  }

  async credential(id: string): Promise<ManagedCredential> {
    const stored = await this.store.find('credential', id);
    assert.ok(stored !== null);
    return stored.resource;
  }

  async revision(id: string): Promise<number> {
    return (await this.store.find('credential', id))?.revision ?? 0;
  }

  record(id: string): RotationRecord {
    const record = this.file.get(id);
    assert.ok(record !== undefined);
    return record;
  }

  /** Of each credential the secret that callers need now. */
  async secretsInForce(): Promise<ReadonlyMap<string, string>> {
    const secrets = new Map<string, string>();
    for await (const { resource } of this.store.list('credential')) {
      if (resource.state !== 'active') continue;
      const origin = [...this.file.values()].find(({ made }) => made?.successorId === resource.id)?.credentialId;
      assert.ok(!secrets.has(origin ?? resource.id), `${resource.id} is a second one that works`);
      secrets.set(origin ?? resource.id, textOf(secretsOf(resource).appSecret ?? resource.appKey ?? assert.fail()));
    }
    return secrets;
  }

  #write(record: RotationRecord): void {
    this.file.set(record.credentialId, record);
    const secrets = this.kept.get(record.credentialId) ?? new Set();
    if (record.made !== null) secrets.add(textOf(record.made.appSecret ?? record.made.appKey ?? assert.fail()));
    this.kept.set(record.credentialId, secrets);
  }
}

/** What can go wrong at one moment of a run. */
const mishaps = {
  'killed before a record is kept': (scene: Scene, at: number) => {
    failKeeping(scene, at, false);
  },
  'killed after a record was kept': (scene: Scene, at: number) => {
    failKeeping(scene, at, true);
  },
  'killed before a change is made': (scene: Scene, at: number) => {
    failCommit(scene, at, () => new Killed(), false);
  },
  'killed after a change was made': (scene: Scene, at: number) => {
    failCommit(scene, at, () => new Killed(), true);
  },
  'a change that was not confirmed, and not made': (scene: Scene, at: number) => {
    failCommit(scene, at, () => new Unconfirmed(), false);
  },
  'a change that was not confirmed, and made': (scene: Scene, at: number) => {
    failCommit(scene, at, () => new Unconfirmed(), true);
  },
  'a change that was not confirmed, and made later': (scene: Scene, at: number) => {
    let left = at;
    scene.onCommit = async (commit) => {
      left -= 1;
      if (left !== -1) return await commit();
      scene.late = commit;
      throw new Unconfirmed();
    };
  },
  'MongoDB is down': (scene: Scene, at: number) => {
    failCommit(scene, at, () => new StoreUnavailable('no primary'), false);
  },
  'others are in the way': (scene: Scene, at: number) => {
    failCommit(scene, at, () => new Outdated('changed meanwhile'), false);
  },
} as const;

function failKeeping(scene: Scene, at: number, isKept: boolean): void {
  let left = at;
  let isDead = false;
  scene.onKeep = (_record, write) => {
    left -= 1;
    if (left < 0) isDead = true;
    if (!isDead || (left === -1 && isKept)) write();
    if (isDead) throw new Killed();
  };
}

function failCommit(scene: Scene, at: number, error: () => Error, isMade: boolean): void {
  let left = at;
  let isDead = false;
  const { onKeep } = scene;
  scene.onCommit = async (commit) => {
    left -= 1;
    if (left !== -1) return await commit();
    if (isMade) await commit();
    const thrown = error();
    isDead = thrown instanceof Killed;
    throw thrown;
  };
  scene.onKeep = (record, write) => {
    if (isDead) throw new Killed();
    onKeep(record, write);
  };
}

function heal(scene: Scene): void {
  scene.onKeep = (_record, write) => {
    write();
  };
  scene.onCommit = async (commit) => {
    const { late } = scene;
    scene.late = null;
    await late?.().catch((error: unknown) => {
      assert.ok(error instanceof Outdated);
    });
    return await commit();
  };
}

describe('a run that rotates many credentials', () => {
  it('gives each a new secret once, and the former one its grace', async () => {
    const scene = await new Scene().begin();
    const before = await Promise.all(
      methods.map(async (_method, index) => await scene.credential(`c${String(index)}`)),
    );
    assert.equal(await scene.carryOut(), 'done');
    for (const [index, former] of before.entries()) {
      const now = await scene.credential(former.id);
      const { made, outcome } = scene.record(former.id);
      assert.equal(outcome, 'rotated');
      assert.equal(made?.formerEndsAt, nowSeconds + terms.graceSeconds);
      if (methods[index] === 'key') {
        const successor = await scene.credential(made.successorId ?? '');
        assert.deepEqual([now.state, now.expiresAt], ['retiring', made.formerEndsAt]);
        assert.equal(successor.appKeyHash, hashOfAppKey(made.appKey ?? assert.fail()));
      } else {
        assert.equal(secretsOf(now).appSecret, made.appSecret);
        assert.deepEqual(secretsOf(now).retiringSecret, {
          appSecret: secretsOf(former).appSecret,
          expiresAt: made.formerEndsAt,
        });
        assert.equal(made.appKey, former.appKey, 'what the partner has already');
      }
    }
  });

  it('is carried on from any interruption: each is rotated once, and every secret in force was kept before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ what: fc.constantFrom(...Object.keys(mishaps)), at: fc.nat({ max: 14 }) }), {
          maxLength: 6,
        }),
        async (planned) => {
          const scene = await new Scene().begin();
          const commit = scene.store.commit.bind(scene.store);
          scene.store.commit = async (changes, operation) => {
            // What comes into force is in the file by then.
            for (const { after } of changes) {
              if (after === null || !('appKeyHash' in after) || after.state !== 'active') continue;
              const secret = textOf(secretsOf(after).appSecret ?? after.appKey ?? assert.fail());
              assert.ok(
                [...scene.kept.values()].some((secrets) => secrets.has(secret)),
                'kept before it is in force',
              );
            }
            return await commit(changes, operation);
          };
          for (const { what, at } of planned) {
            heal(scene);
            mishaps[what as keyof typeof mishaps](scene, at);
            await scene.carryOut();
          }
          heal(scene);
          assert.equal(await scene.carryOut(), 'done');
          const inForce = await scene.secretsInForce();
          for (const [index, method] of methods.entries()) {
            const id = `c${String(index)}`;
            assert.equal(await scene.revision(id), 2, `${id} was rotated once`);
            const { outcome, made } = scene.record(id);
            assert.equal(outcome, 'rotated');
            const secret = method === 'key' ? made?.appKey : made?.appSecret;
            assert.equal(inForce.get(id), textOf(secret ?? assert.fail()), 'the file has what is in force');
          }
          assert.equal(inForce.size, methods.length);
          const again = scene.store.revision;
          assert.equal(await scene.carryOut(), 'done');
          assert.equal(scene.store.revision, again, 'a run that is done changes nothing');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('stops between two credentials', async () => {
    const scene = await new Scene().begin();
    scene.onCommit = async (commit) => {
      scene.isStopped = true;
      return await commit();
    };
    assert.equal(await scene.carryOut(), 'stopped');
    assert.deepEqual(
      [...scene.file.values()].map(({ outcome }) => outcome),
      ['rotated', 'planned', 'planned', 'planned', 'planned'],
    );
  });

  it('says of a change that was not confirmed that its outcome is unknown, with the secret', async () => {
    const scene = await new Scene().begin();
    mishaps['a change that was not confirmed, and not made'](scene, 1);
    const end = await scene.carryOut();
    assert.ok(typeof end === 'object' && end.error instanceof Unconfirmed);
    const { outcome, made } = scene.record('c1');
    assert.equal(outcome, 'unknown');
    assert.ok(made?.appKey != null && made.successorId !== null);
  });

  it('forgets a secret that was never sent, while MongoDB is down', async () => {
    const scene = await new Scene().begin();
    mishaps['MongoDB is down'](scene, 0);
    const end = await scene.carryOut();
    assert.ok(typeof end === 'object' && end.error instanceof StoreUnavailable);
    const { outcome, made } = scene.record('c0');
    assert.deepEqual([outcome, made], ['planned', null]);
  });

  it('leaves out what others revoked, rotated or deleted since the plan, and goes on', async () => {
    const scene = await new Scene().begin();
    const operation = { actor: 'bob', action: 'test' };
    const change = async (id: string, changed: Partial<ManagedCredential> | null): Promise<void> => {
      const before = await scene.store.find('credential', id);
      assert.ok(before !== null);
      const after = changed === null ? null : { ...before.resource, ...changed };
      await scene.store.commit([{ kind: 'credential', id, before, after }], operation);
    };
    const { appSecret } = generatePair('shared-secret');
    assert.ok(appSecret !== null);
    await change('c0', { state: 'revoked' });
    await change('c2', { material: sharedSecret(appSecret, { appSecret, expiresAt: nowSeconds + 60 }) });
    await change('c4', null);
    assert.equal(await scene.carryOut(), 'done');
    assert.deepEqual(
      [...scene.file.values()].map(({ outcome, reason }) => [outcome, reason]),
      [
        ['left-out', 'revoked'],
        ['rotated', null],
        ['left-out', 'in rotation: the former App Secret works until 2026-09-21T14:14:20Z'],
        ['rotated', null],
        ['left-out', 'it was deleted'],
      ],
    );
  });

  it('does not bring back a secret that others may have replaced while it was interrupted', async () => {
    const scene = await new Scene().begin();
    mishaps['a change that was not confirmed, and made'](scene, 0);
    await scene.carryOut();
    const before = await scene.store.find('credential', 'c0');
    const { appSecret } = generatePair('shared-secret');
    assert.ok(before !== null && appSecret !== null);
    const after = { ...before.resource, material: sharedSecret(appSecret) };
    await scene.store.commit([{ kind: 'credential', id: 'c0', before, after }], { actor: 'bob', action: 'test' });
    heal(scene);
    assert.equal(await scene.carryOut(), 'done');
    const { outcome, reason, made } = scene.record('c0');
    assert.deepEqual(
      [outcome, reason, made],
      ['left-out', 'others changed it while the run was interrupted, and its new secret is not in force', null],
    );
    assert.equal(secretsOf(await scene.credential('c0')).appSecret, appSecret);
  });

  it('leaves out another credential that has the id now', async () => {
    const scene = await new Scene().begin();
    const record = scene.record('c0');
    scene.file.set('c0', { ...record, createdAt: record.createdAt - 1 });
    assert.equal(await scene.carryOut(), 'done');
    assert.equal(scene.record('c0').reason, 'it was deleted, and another one has its id');
    assert.equal(await scene.revision('c0'), 1);
  });
});
