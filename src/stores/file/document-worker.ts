import { parentPort, workerData } from 'node:worker_threads';
import { type DocumentWork, type DocumentWorkDone, loadDocument } from './load-document.ts';
import { sliceState, type StateSlice } from './portable-state.ts';

/** The body of the worker thread: this file is never imported, only started. */
const { source, environment, slices } = workerData as DocumentWork;
const { result, secretFiles } = loadDocument(source, environment);
const done: DocumentWorkDone =
  'problems' in result
    ? { problems: result.problems, sliceCount: 0, secretFiles }
    : { problems: null, sliceCount: post(sliceState(result.state)), secretFiles };
parentPort?.postMessage(done);

/** Sends slices, one message each. @returns how many */
function post(parts: Iterable<StateSlice>): number {
  let count = 0;
  for (const part of parts) {
    slices.postMessage(part);
    count += 1;
  }
  return count;
}
