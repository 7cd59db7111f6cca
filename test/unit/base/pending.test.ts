import assert from 'node:assert/strict';
import { isPromise, whenReady } from '../../../src/base/pending.ts';

describe('a pending value', () => {
  it('that is there is used at once', () => {
    assert.equal(
      whenReady(1, (value) => value + 1),
      2,
    );
  });

  it('that is not there yet is used when it is', async () => {
    const later = whenReady(Promise.resolve(1), (value) => value + 1);
    assert.ok(isPromise(later));
    assert.equal(await later, 2);
  });

  it('may lead to another one', async () => {
    const later = whenReady(1, (value) => Promise.resolve(value + 1));
    assert.ok(isPromise(later));
    assert.equal(await later, 2);
    assert.equal(await whenReady(Promise.resolve(1), (value) => Promise.resolve(value + 1)), 2);
  });

  it('fails as its source or its use does', async () => {
    const fault = new Error('away');
    const fail = (): never => {
      throw fault;
    };
    assert.throws(() => whenReady(1, fail), fault);
    await assert.rejects(async () => await whenReady(Promise.resolve(1), fail), fault);
    await assert.rejects(async () => await whenReady(Promise.reject(fault), () => 1), fault);
  });
});
