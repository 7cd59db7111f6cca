import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page, Request } from 'playwright-core';

/** One person in front of a browser, with cookies of their own. Everything that a browser complains about is kept. */
export interface Visitor extends AsyncDisposable {
  /** The origin of the console. */
  readonly url: string;
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * What went wrong since the last call: errors and warnings on the console, which has violations of the content
   * security policy too, defects of scripts, and requests to another origin than the console's.
   */
  takeComplaints(): readonly string[];
}

/** Opens a context at an address of the console; pages then take paths. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    ...{ baseURL: url, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
    ...options,
  });
  context.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const { origin } = new URL(url);
  context.on('console', (message) => {
    if (isComplaint(message)) complaints.push(`${message.type()}: ${message.text()} at ${message.location().url}`);
  });
  context.on('weberror', (error) => complaints.push(`script: ${error.error().message}`));
  context.on('request', (request) => {
    if (!isOwn(request, origin)) complaints.push(`request to ${request.url()}`);
  });
  const page = await context.newPage();
  return {
    url,
    page,
    context,
    takeComplaints: () => complaints.splice(0),
    [Symbol.asyncDispose]: async () => {
      await context.close();
    },
  };
}

/** A page that is answered with 4xx on purpose is no complaint; what it loads is one. */
function isComplaint(message: ConsoleMessage): boolean {
  if (message.type() !== 'error' && message.type() !== 'warning') return false;
  const isPage = message.location().url === message.page()?.url();
  return !(isPage && message.text().startsWith('Failed to load resource: the server responded with a status of 4'));
}

function isOwn(request: Request, origin: string): boolean {
  return new URL(request.url()).origin === origin;
}

/** Opens a path, and gives the status of its answer. */
export async function open({ page }: Visitor, path: string): Promise<number> {
  const answer = await page.goto(path, { waitUntil: 'load' });
  assert.ok(answer !== null, `no answer to ${path}`);
  return answer.status();
}

/** Waits until the page with this heading is there; fails with what the page says instead. */
export async function expectPage(page: Page, heading: string): Promise<void> {
  try {
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
  } catch (error) {
    const shown = await page.locator('body').innerText();
    throw new Error(`no page "${heading}" at ${page.url()}, but:\n${shown}`, { cause: error });
  }
}
