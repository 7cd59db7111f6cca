import { parentPort, workerData } from 'node:worker_threads';
import { type DocumentWork, type DocumentWorkDone, loadDocument } from './load-document.ts';
import { sliceState } from './portable-state.ts';

/** The body of the worker thread: this file is never imported, only started. */
const { source, environment, slices } = workerData as DocumentWork;
const { result, secretFiles } = loadDocument(source, environment);
let sliceCount = 0;
if ('state' in result) {
  for (const slice of sliceState(result.state)) {
    slices.postMessage(slice);
    sliceCount += 1;
  }
}
const done: DocumentWorkDone = { problems: 'problems' in result ? result.problems : null, sliceCount, secretFiles };
parentPort?.postMessage(done);
