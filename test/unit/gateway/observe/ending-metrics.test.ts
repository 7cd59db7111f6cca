import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import type { EndingKind } from '../../../../src/model/ending.ts';
import { type KnownEndings, registerEndingMetrics } from '../../../../src/gateway/observe/ending-metrics.ts';

const day = 86_400;
const start = 1_790_000_000;

describe('the metrics of what runs out', () => {
  let now = start;
  let known: KnownEndings | null = null;
  let registry: Registry;
  beforeEach(() => {
    now = start;
    known = null;
    registry = new Registry();
    registerEndingMetrics(registry, { current: () => known, nowSeconds: () => now });
  });

  function know(...endings: readonly (readonly [kind: EndingKind, days: number, isInUse: boolean | null])[]): void {
    known = {
      readAt: start,
      endings: endings.map(([kind, days, isInUse], index) => ({
        ...{ kind, id: `c${String(index)}`, notBefore: null, expiresAt: start + days * day, isInUse },
      })),
    };
  }

  /** The series other than 0. */
  async function shown(): Promise<readonly string[]> {
    const text = await registry.metrics();
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !line.endsWith(' 0'));
  }

  it('show nothing while nothing was read', async () => {
    assert.deepEqual(await shown(), []);
    assert.doesNotMatch(await registry.metrics(), /postern_ends_soon\{/);
  });

  it('count what ends within each time, apart from what is in use, and say when the first ends', async () => {
    know(['former-secret', 1, true], ['former-secret', 5, false], ['credential', 20, true], ['grant', 6, null]);
    assert.deepEqual(await shown(), [
      'postern_ends_soon{what="credential",within="30d"} 1',
      'postern_ends_soon{what="former-secret",within="2d"} 1',
      'postern_ends_soon{what="former-secret",within="7d"} 2',
      'postern_ends_soon{what="former-secret",within="30d"} 2',
      'postern_ends_soon{what="grant",within="7d"} 1',
      'postern_ends_soon{what="grant",within="30d"} 1',
      'postern_ends_soon_in_use{what="credential",within="30d"} 1',
      'postern_ends_soon_in_use{what="former-secret",within="2d"} 1',
      'postern_ends_soon_in_use{what="former-secret",within="7d"} 1',
      'postern_ends_soon_in_use{what="former-secret",within="30d"} 1',
      `postern_next_end_seconds{what="credential"} ${String(start + 20 * day)}`,
      `postern_next_end_seconds{what="former-secret"} ${String(start + day)}`,
      `postern_next_end_seconds{what="grant"} ${String(start + 6 * day)}`,
      `postern_ends_read_seconds ${String(start)}`,
    ]);
    const inUse = /postern_ends_soon_in_use\{what="grant"/;
    assert.doesNotMatch(await registry.metrics(), inUse, 'the use of grants is not known');
  });

  it('go on with the clock while nothing new is read: what ended leaves them', async () => {
    know(['credential', 1, true]);
    await shown();
    now += 2 * day;
    assert.deepEqual(await shown(), [`postern_ends_read_seconds ${String(start)}`]);
  });

  it('leave out what is in use where the store does not know', async () => {
    know(['credential', 1, null]);
    assert.doesNotMatch(await registry.metrics(), /postern_ends_soon_in_use\{/);
    assert.ok((await shown()).includes('postern_ends_soon{what="credential",within="2d"} 1'));
  });
});
