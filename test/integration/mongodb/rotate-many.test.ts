import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { startChild } from '../../support/process/child-process.ts';
import { poll } from '../../support/time/poll.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

const program = new URL('../../../dist/main.js', import.meta.url).pathname;
const COUNT = 9;
/** Every commit takes so long, so that a kill meets one. */
const HELD_MS = 400;

interface Line {
  readonly credential: string;
  readonly outcome: string;
  readonly appSecret?: string;
}

describe('rotating many credentials', function () {
  this.timeout(180_000);
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let file = '';
  const ids = Array.from({ length: COUNT }, (_, at) => `partner-${String(at)}-hmac`);

  before(async () => {
    folder = await temporaryDirectory();
    file = join(folder.path, 'gold.jsonl');
    for (const id of ids) {
      const consumer = id.replace('-hmac', '');
      await done(`consumer create ${consumer} --label tier=gold`);
      await done(`credential issue --consumer ${consumer} --method hmac --id ${id}`);
    }
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  const environment = (): Record<string, string> => ({
    ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) },
    POSTERN_ACTOR: 'ada',
  });
  const command = (): string => `credential rotate --label tier=gold --grace 1d --out ${file} --yes`;

  async function run(line: string): Promise<CommandResult> {
    return await runCli(line.split(' '), environment());
  }

  async function done(line: string): Promise<string> {
    const { code, out, err } = await run(line);
    assert.equal(code, 0, err);
    return out;
  }

  /** The last line of each credential; a line that is being written is left out. */
  function lines(): ReadonlyMap<string, Line> {
    if (!existsSync(file)) return new Map();
    const [, ...whole] = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return new Map(whole.map((text) => JSON.parse(text) as Line).map((line) => [line.credential, line]));
  }

  const withOutcome = (outcome: string): number =>
    [...lines().values()].filter((line) => line.outcome === outcome).length;

  it('loses no secret and rotates none twice, however often its process is killed', async () => {
    const before = new Map<string, string>();
    for (const id of ids) before.set(id, await revealed(id));
    const data = { failCommands: ['commitTransaction'], blockConnection: true, blockTimeMS: HELD_MS };
    const held = await database.failPoint({ mode: 'alwaysOn', data: { ...data, appName: 'postern' } });
    try {
      for (const rotated of [0, 3, 5]) {
        await using child = await startChild({
          command: process.execPath,
          args: [program, ...command().split(' ')],
          env: environment(),
        });
        await poll(`a commit under way after ${String(rotated)}`, () =>
          Promise.resolve(withOutcome('rotated') >= rotated && withOutcome('unknown') === 1 ? true : null),
        );
        child.signal('SIGKILL');
        assert.equal((await child.ended).signal, 'SIGKILL');
        // What was announced is on the disk with its secret, whatever became of it.
        for (const { outcome, appSecret } of lines().values()) {
          if (outcome !== 'planned') assert.match(String(appSecret), /^\S{32,}$/);
        }
      }
    } finally {
      await held[Symbol.asyncDispose]();
    }
    const { code, out, err } = await run(command());
    assert.equal(code, 0, err);
    assert.match(out, new RegExp(`${String(COUNT)} credentials of ${String(COUNT)} rotated\\.`));
    for (const id of ids) {
      const line = lines().get(id);
      assert.equal(line?.outcome, 'rotated', id);
      const secret = await revealed(id);
      assert.equal(line.appSecret, secret, id);
      assert.notEqual(secret, before.get(id), id);
    }
    const audit = await runCli(['audit', 'list', '--action', 'credential rotate', '-o', 'json'], environment());
    const events = JSON.parse(audit.out) as readonly { readonly id: string }[];
    assert.deepEqual(events.map(({ id }) => id).sort(), ids);
  });

  async function revealed(id: string): Promise<string> {
    return (JSON.parse(await done(`credential show ${id} --reveal -o json`)) as { appSecret: string }).appSecret;
  }
});
