import assert from 'node:assert/strict';
import { PosternProblem } from '../../src/index.ts';

/** The problem that a promise is rejected with; anything else fails the test. */
export async function problemOf(promise: Promise<unknown>): Promise<PosternProblem> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof PosternProblem) return error;
    throw error;
  }
  return assert.fail('there was no problem');
}
