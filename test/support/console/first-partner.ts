import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { expectPage } from './browser-visitor.ts';

/** What was handed over. */
export interface HandedOver {
  readonly appKey: string;
  readonly appSecret: string;
}

/** Is called with a name for what the browser shows then. */
export type OnStep = (name: string) => Promise<void>;

const nothing: OnStep = async () => {
  await Promise.resolve();
};

/**
 * What an operator does in the browser between an empty database and a partner that can call: signs in, creates the
 * endpoint `/orders` and the partner `acme`, gives it access and issues a credential. Only with mouse and keyboard.
 */
export async function setUpFirstPartner(page: Page, token: string, onStep: OnStep = nothing): Promise<HandedOver> {
  await page.goto('/');
  await expectPage(page, 'Sign in');
  await page.getByLabel('Token').fill(token);
  await onStep('sign-in');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectPage(page, 'What needs attention');
  await onStep('start');

  await chooseInMenu(page, 'Endpoints');
  await page.getByRole('link', { name: 'Create an endpoint' }).click();
  await page.getByLabel(/^Id/).fill('orders');
  await page.getByLabel('Paths').fill('/orders');
  await page.getByLabel('How callers prove who they are').selectOption('hmac');
  await page.getByLabel('Who is let in').selectOption('authenticated-and-authorized');
  await onStep('create-endpoint');
  await page.getByRole('button', { name: 'Create' }).click();
  await expectPage(page, 'orders');

  await chooseInMenu(page, 'Consumers');
  await page.getByRole('link', { name: 'Create a consumer' }).click();
  await page.getByLabel(/^Id/).fill('acme');
  await page.getByLabel('Name').fill('Acme Ltd');
  await page.getByLabel('Labels').fill('tier=gold');
  await onStep('create-consumer');
  await page.getByRole('button', { name: 'Create' }).click();
  await expectPage(page, 'Acme Ltd');

  await page.getByRole('link', { name: 'Give access' }).first().click();
  await page.getByLabel('Endpoint').fill('orders');
  await onStep('give-access');
  await page.getByRole('button', { name: 'Give access' }).click();
  await expectPage(page, 'Acme Ltd');

  await page.getByRole('link', { name: 'Issue a credential' }).click();
  await page.getByLabel('Authentication method').selectOption('hmac');
  await page.getByLabel('Ends', { exact: true }).fill('90d');
  await onStep('issue-credential');
  await page.getByRole('button', { name: 'Issue' }).click();
  await expectPage(page, 'The credential was issued');
  await onStep('secret-once');
  return {
    appKey: await page.locator('#app-key').innerText(),
    appSecret: await page.locator('#app-secret').innerText(),
  };
}

async function chooseInMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
}

/** After the first calls: opens the credential by its consumer, which says when it was used, and then the usage. */
export async function lookAtFirstUse(page: Page, onStep: OnStep = nothing): Promise<void> {
  await chooseInMenu(page, 'Consumers');
  await page.getByRole('link', { name: 'acme', exact: true }).click();
  await expectPage(page, 'Acme Ltd');
  const credential = page.getByRole('row').filter({ hasText: 'hmac' }).getByRole('link').first();
  const name = await credential.innerText();
  await credential.click();
  await expectPage(page, `Credential ${name}`);
  const lastUsed = page.locator('.definitions div').filter({ hasText: 'Last used' });
  assert.match(await lastUsed.innerText(), /\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC$/);
  await onStep('last-used');
  await chooseInMenu(page, 'Usage');
  await expectPage(page, 'Usage');
  await onStep('usage');
}
