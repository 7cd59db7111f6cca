import assert from 'node:assert/strict';
import { type Browser, chromium } from 'playwright-core';
import { findServices } from '../../../services/install-services.mjs';

/** Starts the Chromium that scripts/install-services brings; without a window, and without an update or report. */
export async function startChromium(): Promise<Browser> {
  const { chromium: executablePath } = await findServices(['chromium']);
  assert.ok(executablePath !== null, 'Chromium is not installed: scripts/install-services chromium');
  return await chromium.launch({ executablePath });
}

/** Gives the calling `describe` a real browser, within tests only. */
export function useBrowser(): () => Browser {
  let browser: Browser | null = null;
  before(async function () {
    this.timeout(60_000);
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
  });
  return () => {
    assert.ok(browser !== null, 'the browser is there within tests only');
    return browser;
  };
}
