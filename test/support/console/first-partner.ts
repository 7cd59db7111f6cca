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
 * What an operator does in the browser between an empty database and a partner that can call: creates the
 * endpoint `/orders` and the partner `acme`, gives it access and issues a credential. Only with mouse and keyboard.
 */
export async function setUpFirstPartner(page: Page, onStep: OnStep = nothing): Promise<HandedOver> {
  await page.goto('/');
  await expectPage(page, 'What needs attention');

  await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
  await page.getByRole('link', { name: 'Create an endpoint' }).click();
  await page.getByLabel('Id', { exact: false }).first().fill('orders');
  await page.getByLabel('Paths').fill('/orders');
  await page.getByLabel('How callers prove who they are').selectOption('hmac');
  await page.getByLabel('Who is let in').selectOption('authenticated-and-authorized');
  await onStep('create-endpoint');
  await page.getByRole('button', { name: 'Create' }).click();
  await expectPage(page, 'orders');

  await page.getByRole('link', { name: 'Consumers', exact: true }).click();
  await page.getByRole('link', { name: 'Create a consumer' }).click();
  await page.getByLabel('Id', { exact: false }).first().fill('acme');
  await page.getByLabel('Name').fill('Acme Ltd');
  await page.getByLabel('Labels').fill('tier=gold');
  await page.getByRole('button', { name: 'Create' }).click();
  await expectPage(page, 'Acme Ltd');

  await page.getByRole('link', { name: 'Give access' }).first().click();
  await page.getByLabel('Endpoint').fill('orders');
  await onStep('give-access');
  await page.getByRole('button', { name: 'Give access' }).click();
  await expectPage(page, 'Acme Ltd');

  await page.getByRole('link', { name: 'Issue a credential' }).click();
  await page.getByLabel('Authentication method').selectOption('hmac');
  await page.getByLabel('Ends').fill('90d');
  await onStep('issue-credential');
  await page.getByRole('button', { name: 'Issue' }).click();
  await expectPage(page, 'The credential was issued');
  await onStep('secret-once');
  return {
    appKey: await page.locator('#app-key').innerText(),
    appSecret: await page.locator('#app-secret').innerText(),
  };
}
