import type {
  FormerRequest,
  OnceAnswer,
  OnceRequest,
  OnceRequests,
} from '../../../src/resources/changes/idempotency.ts';

/** Requests that are answered once, in memory. */
export class MemoryOnceRequests implements OnceRequests {
  readonly #requests = new Map<string, FormerRequest>();

  begin({ id, request }: OnceRequest): Promise<FormerRequest | null> {
    const former = this.#requests.get(id) ?? null;
    if (former === null) this.#requests.set(id, { request, answer: null });
    return Promise.resolve(former);
  }

  finish(id: string, answer: OnceAnswer): Promise<void> {
    const begun = this.#requests.get(id);
    if (begun !== undefined) this.#requests.set(id, { ...begun, answer });
    return Promise.resolve();
  }

  forget(id: string): Promise<void> {
    this.#requests.delete(id);
    return Promise.resolve();
  }
}
