import assert from 'node:assert/strict';
import { type Column, printList } from '../../../../src/cli/render/list.ts';
import { formatDistance, formatTime } from '../../../../src/cli/render/text.ts';
import type { Terminal } from '../../../../src/cli/terminal.ts';
import { memoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number += 1) yield await Promise.resolve(number);
}

function terminalOf(columns?: number): { terminal: Terminal; writes: string[] } {
  const writes: string[] = [];
  const shape = columns === undefined ? { isTerminal: false } : { isTerminal: true, columns };
  const terminal: Terminal = {
    environment: { NO_COLOR: '1' },
    out: { ...shape, write: (text) => writes.push(text) },
    err: { isTerminal: false, write: (text) => writes.push(`[err] ${text}`) },
    onStopSignal: () => undefined,
    onCrash: () => undefined,
    exit: () => {
      throw new Error('exit');
    },
  };
  return { terminal, writes };
}

const columns: readonly Column<number>[] = [
  { heading: 'N', cell: (number) => String(number) },
  { heading: 'TEXT', cell: (number) => 'x'.repeat(20 + (number % 3)), canShrink: true },
  { heading: 'MORE', cell: () => 'y'.repeat(12), canShrink: true },
];
const view = { columns, declare: (number: number) => ({ number }), none: 'nothing' };

describe('a list', () => {
  it('is printed in pages, so that a million rows are never held', async () => {
    for (const format of ['table', 'json', 'yaml'] as const) {
      const { terminal, writes } = terminalOf();
      await printList(numbers(2500), view, format, terminal);
      assert.ok(writes.length >= 5, format);
      const text = writes.join('');
      if (format === 'table') assert.equal(text.split('\n').length, 2502);
      if (format === 'json') assert.equal((JSON.parse(text) as unknown[]).length, 2500);
      if (format === 'yaml') assert.equal(text.match(/^- number: \d+$/gm)?.length, 2500);
    }
  });

  it('ends when it has no reader any more', async () => {
    const { terminal, writes } = terminalOf();
    let read = 0;
    async function* counted(): AsyncGenerator<number> {
      for await (const number of numbers(5000)) {
        read += 1;
        yield number;
      }
    }
    const settled = async (): Promise<boolean> => await Promise.resolve(writes.length < 2);
    await printList(counted(), view, 'table', { ...terminal, out: { ...terminal.out, settled } });
    assert.equal(read, 1000);
  });

  it('lays out wide characters too', async () => {
    const { terminal, writes } = terminalOf(80);
    const wide = [
      { heading: 'T', cell: (number: number) => (number === 0 ? '\u5409\u7965' : 'abcd') },
      { heading: 'N', cell: String },
    ];
    await printList(numbers(2), { ...view, columns: wide }, 'table', terminal);
    assert.equal(writes.join(''), 'T     N\n\u5409\u7965  0\nabcd  1\n');
  });

  it('fits the terminal by cutting what can be cut, the widest first', async () => {
    for (const width of [80, 36, 30, 24, 10]) {
      const { terminal, writes } = terminalOf(width);
      await printList(numbers(3), view, 'table', terminal);
      const lines = writes.join('').trimEnd().split('\n');
      const longest = Math.max(...lines.map((line) => line.length));
      assert.ok(longest <= Math.max(width, 1 + 2 + 8 + 2 + 8), `${String(width)}: ${String(longest)}`);
      if (width < 36) assert.match(lines[1] ?? '', /x…/);
    }
    const { terminal, writes } = terminalOf();
    await printList(numbers(3), view, 'table', terminal);
    assert.ok(!writes.join('').includes('…'), 'nothing is cut where nobody looks');
  });

  it('keeps texts of operators from moving the cursor', async () => {
    const { terminal, writes } = terminalOf(80);
    const evil = [{ heading: 'T', cell: () => '\u001b[2J\nnext\r\u202e' }];
    await printList(numbers(1), { ...view, columns: evil }, 'table', terminal);
    assert.equal(writes.join(''), 'T\n\ufffd[2J\ufffdnext\ufffd\ufffd\n');
  });

  it('is coloured only on a terminal that wants it', async () => {
    const cli = await memoryCli();
    await prepare(cli);
    await cli.done('consumer', 'disable', 'acme');
    const coloured = async (environment: Terminal['environment'], width?: number): Promise<boolean> =>
      (
        await cli.run(['consumer', 'list'], { environment, ...(width === undefined ? {} : { columns: width }) })
      ).out.includes('\u001b[');
    assert.deepEqual(
      [
        await coloured({}, 80),
        await coloured({}),
        await coloured({ NO_COLOR: '1' }, 80),
        await coloured({ TERM: 'dumb' }, 80),
      ],
      [true, false, false, false],
    );
  });
});

describe('times', () => {
  it('are readable', () => {
    assert.equal(formatTime(1_790_000_000), '2026-09-21 14:13:20 UTC');
    const distances: readonly (readonly [number, string])[] = [
      [0, 'now'],
      [1, 'in 1 second'],
      [-119, '119 seconds ago'],
      [120, 'in 2 minutes'],
      [-7199, '119 minutes ago'],
      [7200, 'in 2 hours'],
      [172_799, 'in 48 hours'],
      [365 * 86_400 - 2, 'in 365 days'],
      [-(2 * 86_400 + 86_399), '2 days ago'],
      [-172_800, '2 days ago'],
      [86_400 * 400, 'in 400 days'],
    ];
    for (const [seconds, text] of distances) assert.equal(formatDistance(1000 + seconds, 1000), text);
  });
});
