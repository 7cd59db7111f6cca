import assert from 'node:assert/strict';

/** An answer that was not followed. */
export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser as far as signing in goes: cookies by origin, and what it says of where a request comes from. */
export class Visitor {
  readonly #base: string;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(base: string) {
    this.#base = base;
  }

  /** The value of a cookie of the base; undefined without it. */
  cookie(name: string): string | undefined {
    return this.#cookiesOf(this.#base).get(name);
  }

  /** Plants a cookie for the base. */
  setCookie(name: string, value: string): void {
    this.#cookiesOf(this.#base).set(name, value);
  }

  /** Asks for a path of the base, or an address, and does not follow where it leads. */
  async open(place: string, init: RequestInit = {}): Promise<Visited> {
    const url = new URL(place, this.#base);
    const jar = this.#cookiesOf(url.origin);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const text of answer.headers.getSetCookie()) {
      const [pair = ''] = text.split(';', 1);
      const at = pair.indexOf('=');
      const isGone = /; ?max-age=0\b/i.test(text) || /expires=Thu, 01 Jan 1970/i.test(text);
      if (isGone) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Sends a form of a page of the base, unless `headers` say otherwise. */
  async submit(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<Visited> {
    return await this.open(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  /** Follows an answer until it leads nowhere else, or to `stop`, which is not opened. Gives the last place and answer. */
  async follow(
    answer: Visited,
    stop: string | null = null,
  ): Promise<{ readonly place: string; readonly answer: Visited }> {
    let place = this.#base;
    let last = answer;
    for (let steps = 0; last.status >= 300 && last.status < 400; steps += 1) {
      assert.ok(steps < 15, `led around: ${place}`);
      place = new URL(last.headers.get('location') ?? assert.fail('no location'), place).href;
      if (stop !== null && place.startsWith(stop)) break;
      last = await this.open(place);
    }
    return { place, answer: last };
  }

  #cookiesOf(place: string): Map<string, string> {
    const { origin } = new URL(place);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}
