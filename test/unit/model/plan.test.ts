import assert from 'node:assert/strict';
import { compiledPlan, coversEndpoint, planBelongsTo, planFor, planInEffect } from '../../../src/model/plan.ts';
import { keyEndpoint, openEndpoint, plan } from '../../support/pipeline/resources.ts';

const orders = keyEndpoint({ labels: { team: 'sales' } });

describe('a plan', () => {
  it('covers the endpoints that it lists, selects, or all, and no open one', () => {
    assert.equal(coversEndpoint(plan(), orders), true);
    assert.equal(coversEndpoint(plan({ endpointIds: ['orders', 'stock'] }), orders), true);
    assert.equal(coversEndpoint(plan({ endpointIds: ['stock'] }), orders), false);
    assert.equal(coversEndpoint(plan({ endpointSelector: { team: 'sales' } }), orders), true);
    assert.equal(coversEndpoint(plan({ endpointSelector: { team: 'hr' } }), orders), false);
    assert.equal(coversEndpoint(plan(), openEndpoint()), false);
    assert.equal(coversEndpoint(plan({ endpointIds: ['orders'] }), openEndpoint()), false);
  });

  it('counts alone where several cover a request: the one with the highest priority', () => {
    const any = plan({ id: 'any', consumerSelector: {}, priority: -5 });
    const gold = plan({ priority: 3 });
    const bulk = plan({ id: 'bulk', consumerSelector: {}, endpointIds: ['stock'], priority: 9 });
    const plans = [any, bulk, gold];
    assert.equal(planFor(plans, orders, { tier: 'gold' })?.id, 'gold');
    assert.equal(planFor(plans, orders, { tier: 'silver' })?.id, 'any');
    assert.equal(planFor(plans, keyEndpoint({ id: 'stock' }), { tier: 'gold' })?.id, 'bulk');
    assert.equal(planFor([gold], orders, {}), null);
    assert.equal(planFor(plans, openEndpoint(), { tier: 'gold' }), null);
  });

  it('covers no consumer by what every object has', () => {
    const inherited = plan({ consumerSelector: { constructor: 'gold' } });
    assert.equal(planInEffect([compiledPlan(inherited)], {}), null);
  });

  it('belongs to those whose labels both of its selectors carry', () => {
    const own = plan({ consumerSelector: { team: 'a', tier: 'gold' }, endpointSelector: { team: 'a' } });
    assert.equal(planBelongsTo(own, { team: 'a' }), true);
    assert.equal(planBelongsTo(own, { team: 'b' }), false);
    assert.equal(planBelongsTo(plan({ consumerSelector: { team: 'a' } }), { team: 'a' }), false);
    assert.equal(planBelongsTo(plan({ consumerSelector: { team: 'a' }, endpointIds: ['x'] }), { team: 'a' }), false);
    assert.equal(planBelongsTo(plan({ consumerSelector: {}, endpointSelector: { team: 'a' } }), { team: 'a' }), false);
    assert.equal(planBelongsTo(plan(), {}), true);
  });
});
