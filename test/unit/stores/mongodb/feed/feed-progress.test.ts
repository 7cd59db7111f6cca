import assert from 'node:assert/strict';
import { FeedProgress } from '../../../../../src/stores/mongodb/feed/feed-progress.ts';
import { followedCollections } from '../../../../../src/stores/mongodb/feed/follow-collection.ts';

/** A feed that has read everything at this moment. */
function readAt(ms: number): FeedProgress {
  const progress = new FeedProgress();
  for (const name of followedCollections) progress.restart(name, ms);
  return progress;
}

describe('the progress of a feed', () => {
  it('is unknown until every collection was read', () => {
    const progress = new FeedProgress();
    progress.run('following');
    for (const name of followedCollections.slice(1)) progress.restart(name, 1000);
    assert.equal(progress.confirmedMs, null);
    assert.equal(progress.completeMs, null);
  });

  it('is that of the collection that is furthest behind', () => {
    const progress = readAt(1000);
    progress.run('following');
    progress.confirm('credentials', 3000);
    assert.equal(progress.completeMs, 1000);
    assert.equal(progress.credentialsCompleteMs, 3000);
  });

  it('goes back only when everything is read again', () => {
    const progress = readAt(1000);
    for (const name of followedCollections) progress.confirm(name, 500);
    assert.equal(progress.confirmedMs, 1000);
    for (const name of followedCollections) progress.restart(name, 500);
    assert.equal(progress.confirmedMs, 500);
  });

  it('is not complete where changes are looked for instead of followed', () => {
    const progress = readAt(1000);
    progress.run('polling');
    assert.equal(progress.confirmedMs, 1000);
    assert.equal(progress.completeMs, null);
    assert.equal(progress.credentialsCompleteMs, null);
  });

  it('remembers how changes came when they stop', () => {
    const progress = readAt(1000);
    progress.run('following');
    progress.stop();
    assert.equal(progress.mode, null);
    assert.equal(progress.lastMode, 'following');
    assert.equal(progress.credentialsCompleteMs, null);
  });
});
