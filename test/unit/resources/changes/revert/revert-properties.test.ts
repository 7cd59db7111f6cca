import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contentsOf } from '../../../../support/manage/memory-resource-store.ts';
import { memoryCli, type MemoryCli } from '../../../cli/nouns/memory-cli.ts';

type Contents = Awaited<ReturnType<typeof contentsOf>>;

const endpoints = fc.constantFrom('orders', 'invoices');
const consumers = fc.constantFrom('acme', 'globex');
const credentials = fc.constantFrom('one', 'two');
const word = fc.constantFrom('red', 'green', 'blue');

/** Commands of few resources, so that they meet. Those that make no sense where they stand are refused. */
const command = fc.oneof(
  fc.tuple(endpoints, word).map(([id, path]) => `endpoint create ${id} --path /${path} --authentication hmac`),
  fc.tuple(endpoints, word).map(([id, text]) => `endpoint edit ${id} --description ${text}`),
  fc.tuple(endpoints, word).map(([id, path]) => `endpoint edit ${id} --path /${path} --unset description`),
  fc
    .tuple(endpoints, fc.constantFrom(60, 120))
    .map(([id, s]) => `endpoint edit ${id} --option clockSkewSeconds=${String(s)}`),
  endpoints.map((id) => `endpoint edit ${id} --access-condition authenticated-and-authorized`),
  fc.tuple(fc.constantFrom('enable', 'disable', 'delete'), endpoints).map(([verb, id]) => `endpoint ${verb} ${id}`),
  fc
    .tuple(endpoints, fc.constantFrom('5/day/consumer', '9/hour/endpoint'))
    .map(([id, limit]) => `limit set ${limit} --endpoint ${id}`),
  endpoints.map((id) => `limit clear --endpoint ${id}`),
  fc.tuple(consumers, word).map(([id, tier]) => `consumer create ${id} --label tier=${tier}`),
  fc.tuple(consumers, word).map(([id, tier]) => `consumer edit ${id} --label tier=${tier}`),
  fc.tuple(consumers, word).map(([id, name]) => `consumer edit ${id} --name ${name} --unset label`),
  fc.tuple(fc.constantFrom('enable', 'disable', 'delete'), consumers).map(([verb, id]) => `consumer ${verb} ${id}`),
  fc
    .tuple(consumers, fc.constantFrom('hmac', 'key'), credentials)
    .map(([id, method, name]) => `credential issue --consumer ${id} --method ${method} --id ${name} --expires 90d`),
  fc.tuple(credentials, fc.constantFrom('0', '7d')).map(([id, grace]) => `credential rotate ${id} --grace ${grace}`),
  credentials.map((id) => `credential revoke ${id}`),
  fc
    .tuple(endpoints, consumers)
    .map(([endpoint, id]) => `grant add --endpoint ${endpoint} --consumer ${id} --limit 3/day`),
  fc
    .tuple(endpoints, consumers)
    .map(([endpoint, id]) => `grant add --endpoint ${endpoint} --consumer ${id} --expires 30d`),
  fc.tuple(endpoints, consumers).map(([endpoint, id]) => `grant remove --endpoint ${endpoint} --consumer ${id}`),
);
const beginning = [
  ...['endpoint create orders --path /orders --authentication hmac', 'consumer create acme'],
  ...['credential issue --consumer acme --method hmac --id one', 'grant add --endpoint orders --consumer acme'],
];

/** Runs a command that may be refused; gives the revision that it left, null where it changed nothing. */
async function attempt(cli: MemoryCli, text: string): Promise<number | null> {
  const before = cli.store.revision;
  const asking = / (?:delete|revoke) /.test(text) ? ['--yes'] : [];
  await cli.run([...text.split(' '), ...asking]);
  return cli.store.revision === before ? null : cli.store.revision;
}

async function begin(commands: readonly string[]): Promise<MemoryCli> {
  const cli = await memoryCli();
  for (const text of [...beginning, ...commands]) await attempt(cli, text);
  return cli;
}

async function revert(cli: MemoryCli, revision: number): Promise<{ readonly code: number; readonly err: string }> {
  return await cli.run(['audit', 'revert', String(revision), '--yes', '--revive']);
}

/** What a revert cannot bring back (spec §1: secrets are in no event). */
function withoutTheLost(before: Contents, after: Contents, text: string): Contents {
  if (text.startsWith('consumer delete')) return { ...before, credential: after.credential };
  if (!text.startsWith('credential revoke')) return before;
  return {
    ...before,
    // The former App Secret of what was revoked.
    credential: before.credential.map((each, at) =>
      JSON.stringify(each) === JSON.stringify(after.credential[at])
        ? each
        : Object.fromEntries(Object.entries(each as object).filter(([key]) => key !== 'retiringSecret')),
    ),
  };
}

describe('reverting', () => {
  it('the last command gives what was there before it, and reverting that what the command had made', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 12 }), command, async (commands, last) => {
        const cli = await begin(commands);
        const before = await contentsOf(cli.store);
        const revision = await attempt(cli, last);
        if (revision === null) return;
        const after = await contentsOf(cli.store);
        const { code, err } = await revert(cli, revision);
        const verb = last.split(' ').slice(0, 2).join(' ');
        seen.add(verb);
        if (verb === 'credential rotate') {
          assert.equal(code, 4);
          assert.match(err, /the rotation of the credential "\w+" cannot be reverted/);
          assert.deepEqual(await contentsOf(cli.store), after);
          return;
        }
        assert.equal(code, 0, err);
        const expected = withoutTheLost(before, after, last);
        assert.deepEqual(await contentsOf(cli.store), expected);
        const again = await revert(cli, cli.store.revision);
        assert.equal(again.code, verb === 'credential issue' ? 4 : 0, again.err);
        assert.deepEqual(await contentsOf(cli.store), verb === 'credential issue' ? expected : after);
      }),
      { numRuns: 150 },
    );
    assert.ok(seen.size >= 10, `only ${[...seen].join(', ')}`);
  });

  it('an earlier command either changes nothing, or gives its fields back and keeps all others', async () => {
    const ends = { conflict: 0, done: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 12 }), fc.nat(), async (commands, which) => {
        const cli = await begin(commands);
        const revision = 1 + (which % cli.store.revision);
        const before = await contentsOf(cli.store);
        const { code } = await revert(cli, revision);
        if (code !== 0) {
          assert.equal(code, 4);
          ends.conflict += 1;
          assert.deepEqual(await contentsOf(cli.store), before);
          return;
        }
        ends.done += 1;
        const last = cli.store.revision;
        const made = JSON.parse(await cli.done('audit', 'show', String(last), '-o', 'json')) as {
          action: string;
          events: { reverts: { storeRevision: number } }[];
        }[];
        // All was as before already.
        if (made[0]?.action !== 'audit revert') return;
        assert.ok(made[0].events.every(({ reverts }) => reverts.storeRevision === revision));
        // It is undone to the field: what others did in between is still there.
        const undone = await revert(cli, last);
        const deletes = made[0].events.some((event) => {
          const { kind, after } = event as unknown as { kind: string; after: unknown };
          return kind === 'credential' && after === null;
        });
        if (deletes) return;
        assert.equal(undone.code, 0, undone.err);
        assert.deepEqual(await contentsOf(cli.store), before);
      }),
      { numRuns: 75 },
    );
    assert.ok(ends.conflict > 10 && ends.done > 10, JSON.stringify(ends));
  });

  it('a field that was set again since is a conflict', async () => {
    const field = fc.constantFrom(
      (value: string) => `endpoint edit orders --description ${value}`,
      (value: string) => `endpoint edit orders --path /${value}`,
      (value: string) => `consumer edit acme --label tier=${value}`,
      (value: string) => `consumer edit acme --name ${value}`,
    );
    const values = fc.uniqueArray(word, { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(field, values, async (set, [first = '', second = '', third = '']) => {
        const cli = await begin([set(first)]);
        const revision = await attempt(cli, set(second));
        await attempt(cli, set(third));
        const before = await contentsOf(cli.store);
        const { code, err } = await revert(cli, revision ?? 0);
        assert.equal(code, 4);
        assert.match(err, new RegExp(`has changed since\\n.*left .*${second}.*, now it is .*${third}`));
        assert.deepEqual(await contentsOf(cli.store), before);
      }),
      { numRuns: 12 },
    );
  });
});
