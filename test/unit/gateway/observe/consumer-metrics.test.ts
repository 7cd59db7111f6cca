import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import {
  ConsumerFigures,
  MAX_ENDPOINTS_OF_CONSUMER,
  OTHERS,
} from '../../../../src/gateway/observe/consumer-figures.ts';
import { registerConsumerMetrics } from '../../../../src/gateway/observe/consumer-metrics.ts';
import { ID_PATTERN } from '../../../../src/model/document/fields.ts';

const NOON = 1_790_000_100;
const SLOT = 300;

function consumersOf(figures: ConsumerFigures): readonly string[] {
  return [...new Set([...figures.figures()].map(({ consumer }) => consumer))].sort();
}

function countsOf(figures: ConsumerFigures): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...figures.figures()].map(({ consumer, endpoint, counts, seconds }) => [
      `${consumer} ${endpoint}`,
      [...Object.values(counts), seconds],
    ]),
  );
}

describe('metrics by consumer', () => {
  it('count what became of the checks, and their time', () => {
    const figures = new ConsumerFigures(10);
    for (const code of ['ALLOWED', 'ALLOWED', 'RATE_LIMITED', 'NOT_AUTHORIZED', 'STORE_UNAVAILABLE']) {
      figures.count('orders', 'acme', code, 0.5, NOON);
    }
    figures.count('stock', 'acme', 'AUTHENTICATION_FAILED', 0.25, NOON);
    assert.deepEqual(countsOf(figures), { 'acme orders': [2, 1, 1, 1, 2.5], 'acme stock': [0, 1, 0, 0, 0.25] });
  });

  it('name the busiest of the last hour, and count all others together', () => {
    const figures = new ConsumerFigures(2);
    const call = (consumer: string, times: number, slot: number): void => {
      for (let at = 0; at < times; at += 1) figures.count('orders', consumer, 'ALLOWED', 0, NOON + slot * SLOT);
    };
    call('first', 1, 0);
    call('second', 1, 0);
    call('busy', 100, 0);
    assert.deepEqual(consumersOf(figures), [OTHERS, 'first', 'second']);
    call('busier', 200, 1);
    call('busier', 1, 2);
    call('busy', 1, 2);
    assert.deepEqual(consumersOf(figures), [OTHERS, 'busier', 'busy']);
    const { [`${OTHERS} orders`]: others } = countsOf(figures);
    assert.deepEqual(others, [300, 0, 0, 0, 0], 'what was counted as others stays there');
    call('second', 300, 40);
    call('second', 1, 41);
    assert.ok(consumersOf(figures).includes('second'), 'after hours, others are the busiest');
  });

  it('do not take a place from a consumer for one that is little busier', () => {
    const figures = new ConsumerFigures(1);
    for (let at = 0; at < 100; at += 1) figures.count('orders', 'named', 'ALLOWED', 0, NOON);
    for (let at = 0; at < 150; at += 1) figures.count('orders', 'other', 'ALLOWED', 0, NOON);
    figures.count('orders', 'other', 'ALLOWED', 0, NOON + SLOT);
    assert.deepEqual(consumersOf(figures), [OTHERS, 'named']);
    for (let at = 0; at < 200; at += 1) figures.count('orders', 'other', 'ALLOWED', 0, NOON + SLOT);
    figures.count('orders', 'other', 'ALLOWED', 0, NOON + 2 * SLOT);
    assert.deepEqual(consumersOf(figures), [OTHERS, 'other']);
  });

  it('have a bounded number of series with 100 000 consumers on many endpoints, each safe for Prometheus', async () => {
    const registry = new Registry();
    const figures = new ConsumerFigures(100);
    registerConsumerMetrics(registry, figures);
    for (let at = 0; at < 300_000; at += 1) {
      const consumer = `partner-${String((at * 7919) % 100_000)}`;
      figures.count(`endpoint-${String(at % 1000)}`, consumer, 'ALLOWED', 0.001, NOON + Math.floor(at / 100));
    }
    for (let at = 0; at < 1000; at += 1) figures.count(`e-${String(at)}`, 'partner-0', 'ALLOWED', 0, NOON + 3000);
    const text = await registry.metrics();
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const pairs = 101 * (MAX_ENDPOINTS_OF_CONSUMER + 1);
    assert.ok(series.length > 500 && series.length <= pairs * 5, String(series.length));
    assert.equal(consumersOf(figures).length, 101);
    const form = /^postern_consumer_\w+_total\{consumer="([^"]*)",endpoint="([^"]*)"(?:,outcome="[a-z]+")?\} [\d.e-]+$/;
    for (const line of series) {
      const [, consumer = '', endpoint = ''] = form.exec(line) ?? assert.fail(line);
      for (const id of [consumer, endpoint]) assert.ok(id === OTHERS || ID_PATTERN.test(id), line);
    }
    assert.ok(!ID_PATTERN.test(OTHERS), 'no consumer can be called so');
    assert.equal(new Set(series.map((line) => line.split(' ')[0])).size, series.length, 'no series twice');
  });

  it('know no more consumers than there is room for, and let the busy among them in', () => {
    const figures = new ConsumerFigures(1, 100);
    for (let at = 0; at < 1000; at += 1) figures.count('orders', `once-${String(at)}`, 'ALLOWED', 0, NOON);
    for (const slot of [1, 2]) {
      for (let at = 0; at < 50; at += 1) figures.count('orders', 'busy', 'ALLOWED', 0, NOON + slot * SLOT);
    }
    assert.deepEqual(consumersOf(figures), [OTHERS, 'busy']);
  });
});
