import assert from 'node:assert/strict';
import { hasLasting, noteOnLasting } from '../../../../src/check/limit/lasting-limits.ts';
import { type Limit, limitUnits } from '../../../../src/model/limit.ts';

const limitsOf = (...units: readonly Limit['unit'][]): readonly Limit[] =>
  units.map((unit) => ({ requests: 5, unit, per: 'consumer' }));

describe('limits that a restart cuts short', () => {
  it('are those of an hour or longer', () => {
    const lasting = limitUnits.filter((unit) => hasLasting(limitsOf('second', unit)));
    assert.deepEqual(lasting, ['hour', 'day', 'month']);
    assert.equal(hasLasting([]) || hasLasting(null), false);
  });

  it('are named with the remedy, where no rate limit service is set', () => {
    const holders = ['minute', 'hour', 'day'].map((unit) => ({
      name: `endpoint ${unit}`,
      limits: limitsOf(unit as Limit['unit']),
    }));
    assert.equal(
      noteOnLasting(holders, {}),
      'limits of an hour or longer begin anew at each restart, and each replica counts for itself, without a rate limit service (endpoint hour, endpoint day): start one with "deploy/ratelimit/start" and set POSTERN_RATE_LIMIT_SERVICE=127.0.0.1:8081 for "postern serve" (docs/traffic-control.md)',
    );
    assert.equal(noteOnLasting(holders, { POSTERN_RATE_LIMIT_SERVICE: '127.0.0.1:8081' }), null);
    assert.equal(noteOnLasting(holders.slice(0, 1), {}), null);
    const many = Array.from({ length: 7 }, (_, at) => ({ name: `e${String(at)}`, limits: limitsOf('month') }));
    assert.match(noteOnLasting(many, { POSTERN_RATE_LIMIT_SERVICE: '' }) ?? '', /\(e0, e1, e2, e3, e4 and 2 more\)/);
  });
});
