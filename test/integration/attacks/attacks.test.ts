import assert from 'node:assert/strict';
import { attacks } from '../../../attacks/attacks.ts';
import { type Attack, serviceKindOf } from '../../../attacks/framework/attack.ts';
import { type Bounds, findCpuBreaches, findFaults } from '../../../attacks/framework/bounds.ts';
import { boundsOf, type Lab, openLab } from '../../../attacks/framework/lab.ts';
import { release } from '../../support/lifetime/release.ts';

/** CPU time itself grows where others use the same cores, and a short attack leaves code uncompiled. */
const SLACK = { factor: 2, ms: 400 };

/** How fast it was is for `npm run attack`, on a machine that does nothing else. */
function generous(attack: Attack): Bounds {
  const bounds = boundsOf(attack);
  return {
    ...bounds,
    cpuMsPerKib: bounds.cpuMsPerKib * SLACK.factor,
    cpuMsPerConnection: bounds.cpuMsPerConnection * SLACK.factor,
    cpuNoiseMs: bounds.cpuNoiseMs + SLACK.ms,
  };
}

describe('a service that is attacked', function () {
  this.timeout(150_000);
  let lab: Lab | undefined;
  before(() => {
    lab = openLab({ isShort: true });
  });
  after(() => release(lab));

  for (const attack of attacks) {
    const { name, title, notInTests } = attack;
    if (notInTests !== undefined || serviceKindOf(attack).store === 'mongodb') continue;
    it(`answers good callers, and works in proportion to what it is sent: ${name} (${title})`, async () => {
      assert.ok(lab);
      const measured = await lab.measure(attack);
      assert.deepEqual([...findFaults(measured), ...findCpuBreaches(measured, generous(attack))], []);
    });
  }
});
