import assert from 'node:assert/strict';
import { readBatchSettings } from '../../../../../src/gateway/observe/traces/batch-settings.ts';

const standard = {
  maxQueueSize: 2048,
  maxExportBatchSize: 512,
  scheduledDelayMillis: 5000,
  exportTimeoutMillis: 30_000,
};

function read(environment: Record<string, string>) {
  const told: string[] = [];
  return { settings: readBatchSettings(environment, (message) => told.push(message)), told };
}

describe('settings of the batches of spans', () => {
  it('are those of the standard unless given', () => {
    assert.deepEqual(read({}), { settings: standard, told: [] });
    assert.deepEqual(read({ OTEL_BSP_SCHEDULE_DELAY: ' ' }), { settings: standard, told: [] });
  });

  it('are taken from the environment', () => {
    const { settings, told } = read({
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
      OTEL_BSP_SCHEDULE_DELAY: ' 50 ',
      OTEL_BSP_EXPORT_TIMEOUT: '1000',
    });
    assert.deepEqual(Object.values(settings), [100, 10, 50, 1000]);
    assert.deepEqual(told, []);
  });

  it('never make a batch larger than the queue', () => {
    assert.equal(read({ OTEL_BSP_MAX_QUEUE_SIZE: '5' }).settings.maxExportBatchSize, 5);
  });

  for (const wrong of ['0', '-5', '1.5', 'Infinity', '99999999999', 'many', '0x10', '1e3']) {
    for (const name of ['QUEUE_SIZE', 'EXPORT_BATCH_SIZE'].map((part) => `OTEL_BSP_MAX_${part}`)) {
      it(`are those of the standard in place of ${name}=${wrong}, which is logged`, () => {
        const { settings, told } = read({ [name]: wrong });
        assert.deepEqual(settings, standard);
        assert.match(told.join(), new RegExp(`^${name} must be a whole number from 1 to`));
      });
    }
    for (const name of ['OTEL_BSP_SCHEDULE_DELAY', 'OTEL_BSP_EXPORT_TIMEOUT']) {
      it(`are those of the standard in place of ${name}=${wrong}, which is logged`, () => {
        const { settings, told } = read({ [name]: wrong });
        assert.deepEqual(settings, standard);
        assert.equal(told.length, 1);
      });
    }
  }
});
