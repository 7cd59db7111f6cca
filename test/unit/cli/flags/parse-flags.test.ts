import assert from 'node:assert/strict';
import { InvalidArgumentError } from 'commander';
import {
  collectId,
  collectLabel,
  collectSelector,
  collectOption,
  collectPathRule,
  formatPathRule,
  parseGrantLimit,
  parseId,
  parseLimit,
} from '../../../../src/cli/flags/values.ts';
import { parseMoment, parseMomentOrNever, parseSpan } from '../../../../src/cli/flags/times.ts';
import { parseResource } from '../../../../src/cli/audit/named-events.ts';
import { momentAhead, momentBack } from '../../../../src/model/document/moments.ts';

function refuses(parse: (text: string) => unknown, texts: readonly string[], message: RegExp): void {
  for (const text of texts) {
    assert.throws(
      () => parse(text),
      (error) => {
        assert.ok(error instanceof InvalidArgumentError, text);
        assert.match(error.message, message, text);
        return true;
      },
    );
  }
}

describe('the values of flags', () => {
  it('have limits as REQUESTS/UNIT/PER', () => {
    assert.deepEqual(parseLimit('100/minute/consumer'), { requests: 100, unit: 'minute', per: 'consumer' });
    assert.deepEqual(parseLimit('4294967295/day/endpoint'), { requests: 4_294_967_295, unit: 'day', per: 'endpoint' });
    assert.deepEqual(parseGrantLimit('7/hour'), { requests: 7, unit: 'hour', per: 'consumer' });
    refuses(
      parseLimit,
      ['', '100', '100/minute', 'x/minute/consumer', '1/minute/consumer/x', '1e3/minute/consumer'],
      /The form is/,
    );
    refuses(parseLimit, ['1/minutes/consumer'], /did you mean "minute"\?/);
    refuses(parseLimit, ['0/minute/consumer', '4294967296/minute/consumer'], /must be a whole number/);
    refuses(parseGrantLimit, ['100', '1/minute/consumer/x'], /The form is REQUESTS\/UNIT,/);
  });

  it('have paths as prefix or exact rules, in normal form', () => {
    const rules = collectPathRule('exact:/b', collectPathRule('prefix:/c', collectPathRule('/a')));
    assert.deepEqual(rules, [{ prefix: '/a' }, { prefix: '/c' }, { exact: '/b' }]);
    assert.deepEqual(rules.map(formatPathRule), ['/a', '/c', 'exact:/b']);
    refuses(collectPathRule, ['', 'orders', 'regex:/a', 'exact:b', ':/a'], /The form is/);
    refuses(collectPathRule, ['/a/../b', 'exact:/a//b', '/a b'], /not in normal form/);
  });

  it('have options as NAME=VALUE, read as YAML would', () => {
    let options = {};
    for (const text of [
      ...['clockSkewSeconds=60', 'hideCredentials=false', 'mode=observe', 'algorithms=hmac-sha256,hmac-sha512'],
      ...['keyNames=header:X-Key', 'keyNames=query:k=v,header:Authorization:Bearer', 'constructor=x', 'mode=enforce'],
    ]) {
      options = collectOption(text, options);
    }
    assert.deepEqual(options, {
      clockSkewSeconds: 60,
      hideCredentials: false,
      mode: 'enforce',
      algorithms: ['hmac-sha256', 'hmac-sha512'],
      keyNames: [{ header: 'X-Key' }, { query: 'k=v' }, { header: 'Authorization', scheme: 'Bearer' }],
      constructor: 'x',
    });
    refuses(collectOption, ['', 'mode', '=x', '__proto__=x'], /The form is NAME=VALUE/);
    refuses(collectOption, ['keyNames=X-Key', 'keyNames=cookie:a'], /header:NAME:SCHEME or keyNames=query:NAME/);
    assert.deepEqual(collectLabel('tier=a=b', { region: 'eu' }), { region: 'eu', tier: 'a=b' });
  });

  it('have selectors, of which no label has two values', () => {
    assert.deepEqual(collectSelector('team=a', collectSelector('stage=live')), { stage: 'live', team: 'a' });
    assert.deepEqual(collectSelector('team=a', { team: 'a' }), { team: 'a' });
    refuses((text) => collectSelector(text, { team: 'a' }), ['team=b', 'team='], /A label has one value/);
    refuses(collectSelector, ['', 'team', '=a', '__proto__=a'], /The form is NAME=VALUE/);
  });

  it('have times with their zone, or how far they are from now', () => {
    const at = Date.parse('2027-01-01T00:00:00Z') / 1000;
    assert.deepEqual(parseMoment('2027-01-01T02:00:00+02:00'), { atSeconds: at });
    for (const [text, seconds] of [
      ['45s', 45],
      ['30m', 1800],
      ['12h', 43_200],
      ['7d', 604_800],
      ['2w', 1_209_600],
    ] as const) {
      assert.equal(momentAhead(parseMoment(text), 1000), 1000 + seconds);
      assert.equal(momentBack(parseMoment(text), 0), -seconds);
      assert.equal(parseSpan(text), seconds);
    }
    assert.equal(parseSpan('0'), 0);
    assert.equal(parseMomentOrNever('never'), 'never');
    refuses(
      parseMoment,
      ['', '7', '7 d', '-1d', '2027-01-01', '2027-01-01T00:00:00', 'tomorrow', '0'],
      /It must be a span/,
    );
    refuses(parseMoment, ['99999999w'], /more than a hundred years/);
    refuses(parseSpan, ['', '1', '7days', '2027-01-01T00:00:00Z'], /It must be a span/);
  });

  it('have ids by the one pattern', () => {
    assert.deepEqual(collectId('b', collectId('a-1')), ['a-1', 'b']);
    refuses(parseId, ['', 'Acme', '-a', 'a/b', 'a'.repeat(64), 'ä'], /1 to 63 of the characters/);
  });

  it('name audited resources as KIND/ID', () => {
    assert.deepEqual(parseResource('endpoint'), { kind: 'endpoint', id: null });
    assert.deepEqual(parseResource('consumer/acme'), { kind: 'consumer', id: 'acme' });
    assert.deepEqual(parseResource('grant/orders/acme'), { kind: 'grant', id: 'orders/acme' });
    refuses(parseResource, ['consumr/acme'], /Did you mean consumer\?/);
    refuses(parseResource, ['grant/orders', 'consumer/a/b', 'consumer/'], /The form is/);
  });
});
