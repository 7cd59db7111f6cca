import assert from 'node:assert/strict';
import { type Driver, startDriver } from '../../support/clients/driver.ts';
import { type InteropGateway, startInteropGateway } from '../../support/interop/interop-gateway.ts';
import { type ProgramFolder } from '../../support/interop/table.ts';
import { release } from '../../support/lifetime/release.ts';

/** The first time a driver is asked, everything it needs may have to be installed and built. */
const buildTimeoutMs = 11 * 60_000;

/** What the cases of a library run against. */
export interface Subject {
  readonly driver: Driver;
  readonly gateway: InteropGateway;
}

/** Runs the programs of a folder of `interop/`, and the product, around the tests of the calling `describe`. */
export function usePrograms(folder: ProgramFolder): () => Subject {
  let driver: Driver | undefined;
  let gateway: InteropGateway | undefined;
  const subject = (): Subject => {
    assert.ok(driver !== undefined && gateway !== undefined, 'driver and gateway run within tests only');
    return { driver, gateway };
  };
  before(async function () {
    this.timeout(buildTimeoutMs);
    driver = await startDriver(folder, 'interop');
    await driver.describe();
    gateway = await startInteropGateway();
  });
  after(() => release(driver, gateway));
  beforeEach(() => {
    subject().gateway.backend.reset();
  });
  return subject;
}
