import assert from 'node:assert/strict';

import fc from 'fast-check';

import { formatImfFixdate, parseImfFixdate } from '../../../../src/check/signing/signed-time.ts';

const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

describe('IMF-fixdate', () => {
  it('reads every second from year 0 to 9999 as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST_SECOND, max: LAST_SECOND }), (seconds) => {
        assert.equal(parseImfFixdate(formatImfFixdate(seconds)), seconds);
      }),
    );
  });

  it('takes exactly the days of the calendar', () => {
    const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
    for (const year of [1900, 1970, 2000, 2023, 2024, 2100, 2400]) {
      for (const [month, name] of months.entries()) {
        for (let day = 0; day <= 32; day += 1) {
          const time = new Date(Date.UTC(year, month, day));
          const isReal = time.getUTCMonth() === month && day >= 1;
          const text = `Mon, ${String(day).padStart(2, '0')} ${name} ${String(year)} 00:00:00 GMT`;
          assert.equal(parseImfFixdate(text), isReal ? time.getTime() / 1000 : null, text);
        }
      }
    }
  });

  it('takes any of the seven names of days', () => {
    for (const name of ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']) {
      assert.equal(parseImfFixdate(`${name}, 22 Jun 2017 21:12:36 GMT`), 1_498_165_956);
    }
  });

  it('takes the first and the last second of a day', () => {
    assert.equal(parseImfFixdate('Thu, 01 Jan 1970 00:00:00 GMT'), 0);
    assert.equal(parseImfFixdate('Thu, 01 Jan 1970 23:59:59 GMT'), 86_399);
  });

  for (const text of [
    '',
    'Thu, 22 Jun 2017 21:12:36 UTC',
    'Thu, 22 Jun 2017 21:12:36 +0000',
    'Thu, 22 Jun 2017 21:12:36',
    'Thu, 22 Jun 2017 21:12:36 GMT ',
    ' Thu, 22 Jun 2017 21:12:36 GMT',
    'Thu, 22 Jun 2017 21:12:36 GMT\n',
    'Thu,22 Jun 2017 21:12:36 GMT',
    'Thu, 2 Jun 2017 21:12:36 GMT',
    'Thu,  2 Jun 2017 21:12:36 GMT',
    'Thu, 022 Jun 2017 21:12:36 GMT',
    'Thu, 22 Jun 17 21:12:36 GMT',
    'Thu, 22 Jun 02017 21:12:36 GMT',
    'Thu, 22 Jun -017 21:12:36 GMT',
    'Thu, 22 jun 2017 21:12:36 GMT',
    'Thu, 22 JUN 2017 21:12:36 GMT',
    'Thu, 22 June 2017 21:12:36 GMT',
    'Thu, 22 Jun 2017 21:12:36 gmt',
    'thu, 22 Jun 2017 21:12:36 GMT',
    'Thx, 22 Jun 2017 21:12:36 GMT',
    'Thursday, 22-Jun-17 21:12:36 GMT',
    'Thu Jun 22 21:12:36 2017',
    '22 Jun 2017 21:12:36 GMT',
    'Thu, 22 Jun 2017 21:12:60 GMT',
    'Sat, 31 Dec 2016 23:59:60 GMT',
    'Thu, 22 Jun 2017 21:60:36 GMT',
    'Thu, 22 Jun 2017 24:00:00 GMT',
    'Thu, 22 Jun 2017 1:12:36 GMT',
    'Thu, 22 Jun 2017 21:12 GMT',
    'Thu, 22 Jun 2017 21.12.36 GMT',
    'Thu, ٢٢ Jun 2017 21:12:36 GMT',
    '2017-06-22T21:12:36Z',
    '1498165956',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseImfFixdate(text), null);
    });
  }
});
