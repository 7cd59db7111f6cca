import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { followRefusals } from '../../../src/cli/refusals/follow-refusals.ts';
import type { OutputFormat } from '../../../src/cli/flags/options.ts';
import type { Terminal } from '../../../src/cli/terminal.ts';
import { RefusalMemory } from '../../../src/check/refusals/refusal-memory.ts';
import type { RefusalRecord, RefusalSelection } from '../../../src/check/refusals/refusal-record.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { record } from '../../support/refusals/refused.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

const at = (id: string, seconds: number): RefusalRecord => record({ requestId: id, atMs: (NOON + seconds) * 1000 });

/** A step in which a refusal comes. */
function adding(entry: RefusalRecord): (memory: RefusalMemory) => void {
  return (memory) => {
    memory.add(entry);
  };
}

interface Followed {
  readonly out: string;
  readonly err: string;
  readonly asked: readonly RefusalSelection[];
}

/** Follows while the steps happen, one in each pause, and then stops as Ctrl-C does. */
async function follow(
  first: readonly RefusalRecord[],
  steps: readonly ((memory: RefusalMemory) => void)[],
  {
    output = 'table',
    limit = 10,
    hasReader = true,
  }: { output?: OutputFormat; limit?: number; hasReader?: boolean } = {},
): Promise<Followed> {
  const memory = new RefusalMemory();
  for (const each of first) memory.add(each);
  const asked: RefusalSelection[] = [];
  let [out, err] = ['', ''];
  let stop = (): void => undefined;
  const terminal: Terminal = {
    environment: {},
    out: { write: (text) => (out += text), isTerminal: false, settled: async () => await Promise.resolve(hasReader) },
    err: { write: (text) => (err += text), isTerminal: false },
    onStopSignal: (onStop) => {
      stop = () => {
        onStop({ isHurried: true });
      };
    },
    onCrash: () => undefined,
    exit: () => assert.fail('exit'),
  };
  const left = [...steps];
  const source = {
    find: (selection: RefusalSelection) => {
      asked.push(selection);
      return {
        records: Readable.from(memory.select(selection).records) as AsyncIterable<RefusalRecord>,
        countLeftOut: async () => await Promise.resolve(0),
      };
    },
  };
  await followRefusals(source, { consumerId: 'acme', limit }, output, { terminal }, async () => {
    const step = left.shift();
    if (step === undefined) stop();
    else step(memory);
    await Promise.resolve();
  });
  return { out, err, asked };
}

const idsOf = ({ out }: Followed): readonly string[] =>
  out
    .split('\n')
    .slice(1, -1)
    .map((line) => / (id-\S+) /.exec(line)?.[1] ?? line);

describe('postern refusals --follow', () => {
  it('prints the newest and then each new one, the oldest first, until it is stopped', async () => {
    const followed = await follow(
      [at('id-1', 1), at('id-2', 2), at('id-3', 3)],
      [
        (memory) => {
          memory.add(at('id-4', 4));
          memory.add(at('id-5', 5));
        },
        () => undefined,
        (memory) => {
          memory.add(at('id-6', 6));
        },
      ],
      { limit: 2 },
    );
    assert.match(followed.out, /^WHEN +ENDPOINT +REQUEST +CODE +REQUEST ID +DETAIL\n/);
    assert.deepEqual(idsOf(followed), ['id-2', 'id-3', 'id-4', 'id-5', 'id-6']);
  });

  it('prints one that another replica wrote late, once', async () => {
    const late = (memory: RefusalMemory): void => {
      memory.add(at('id-late', 5));
    };
    const followed = await follow([at('id-1', 10)], [late, () => undefined]);
    assert.deepEqual(idsOf(followed), ['id-1', 'id-late']);
    assert.equal(followed.asked.at(-1)?.sinceMs, (NOON - 5) * 1000, 'asks for a little more than is new');
  });

  it('begins with nothing, too', async () => {
    const followed = await follow([], [adding(at('id-1', 1))]);
    assert.deepEqual(idsOf(followed), ['id-1']);
  });

  it('gives programs one object a line', async () => {
    const { out } = await follow([at('id-1', 1)], [adding(at('id-2', 2))], { output: 'json' });
    const lines = out.trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId),
      ['id-1', 'id-2'],
    );
  });

  it('ends when nobody reads any more', async () => {
    const followed = await follow([at('id-1', 1)], [() => assert.fail('went on')], { hasReader: false });
    assert.deepEqual(idsOf(followed), ['id-1']);
  });

  it('says once that the store does not answer, and that it does again', async () => {
    let isDown = false;
    const outage = (memory: RefusalMemory): void => {
      isDown = true;
      memory.select = () => {
        if (isDown) throw new StoreUnavailable('MongoDB does not answer');
        return { records: [at('id-2', 2)], leftOut: 0 };
      };
    };
    const back = (): void => {
      isDown = false;
    };
    const followed = await follow([at('id-1', 1)], [outage, () => undefined, back]);
    assert.equal(followed.err, 'MongoDB does not answer; trying again\nThe refusals can be read again.\n');
    assert.deepEqual(idsOf(followed), ['id-1', 'id-2']);
  });
});
