import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import { createLogger } from '../../../../src/gateway/observe/logger.ts';
import { createTlsObserver, TlsMetrics, type TlsObserver } from '../../../../src/gateway/observe/tls-observer.ts';
import { fixedClock } from '../../../support/time/fixed-clock.ts';
import type { TlsMaterial } from '../../../../src/wire/tls/tls-files.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const DAY_MS = 86_400_000;

describe('what is logged of TLS files', () => {
  let log: string;
  let registry: Registry;
  let observer: TlsObserver;
  beforeEach(() => {
    log = '';
    registry = new Registry();
    observer = createTlsObserver('listeners', {
      logger: createLogger('info', { write: (text: string) => (log += text) }),
      metrics: new TlsMetrics(registry),
      clock: fixedClock(nowMs / 1000),
    });
  });

  const material = (daysLeft: number): TlsMaterial => {
    const file = { setting: 'POSTERN_TLS_CERTIFICATE', path: '/tls/tls.crt' };
    const validity = [{ file, notBeforeMs: 0, notAfterMs: nowMs + daysLeft * DAY_MS }];
    return { certificate: Buffer.from('c'), key: Buffer.from('private'), ca: null, validity };
  };
  const lines = (): readonly string[] =>
    log
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as { level: string; message: string })
      .map(({ level, message }) => `${level}: ${message}`);

  for (const [daysLeft, told] of [
    [90, []],
    [14, []],
    [13, ['warn: a TLS certificate expires soon']],
    [0, ['error: a TLS certificate has expired']],
    [-1, ['error: a TLS certificate has expired']],
  ] as const) {
    it(`says at the start what must be renewed: ${String(daysLeft)} days left`, async () => {
      observer.opened(material(daysLeft));
      assert.deepEqual(lines(), told);
      if (told.length > 0)
        assert.match(log, /"setting":"POSTERN_TLS_CERTIFICATE","file":"\/tls\/tls.crt","expiresAt":"20/);
      const expiry = String((nowMs + daysLeft * DAY_MS) / 1000);
      const metrics = await registry.metrics();
      assert.match(metrics, new RegExp(`expiry_seconds\\{setting="POSTERN_TLS_CERTIFICATE"\\} ${expiry}$`, 'm'));
      assert.match(metrics, /^postern_tls_last_reload_good\{use="listeners"\} 1$/m);
    });
  }

  it('counts what was taken and what was refused, and shows whether the files there now are in force', async () => {
    observer.opened(material(90));
    observer.refused('POSTERN_TLS_KEY: /tls/tls.key is not the key of the first certificate');
    assert.match(await registry.metrics(), /^postern_tls_last_reload_good\{use="listeners"\} 0$/m);
    assert.match(await registry.metrics(), /^postern_tls_reloads_total\{outcome="refused"\} 1$/m);
    observer.taken(material(60));
    assert.match(await registry.metrics(), /^postern_tls_last_reload_good\{use="listeners"\} 1$/m);
    assert.match(await registry.metrics(), /^postern_tls_reloads_total\{outcome="loaded"\} 1$/m);
    assert.deepEqual(lines(), [
      'error: the changed TLS files cannot be used; the certificate in use stays',
      'info: new connections take the changed TLS certificate',
    ]);
    assert.doesNotMatch(log, /private/);
  });
});
