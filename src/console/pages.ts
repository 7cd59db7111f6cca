import { consumerList } from './consumers/consumer-list.ts';
import { consumerPage } from './consumers/consumer-page.ts';
import { deleteConsumer } from './consumers/delete-consumer.ts';
import { editConsumer } from './consumers/edit-consumer.ts';
import { disableConsumer, enableConsumer } from './consumers/enable-consumer.ts';
import { newConsumer } from './consumers/new-consumer.ts';
import type { Page } from './frame/page.ts';

/** Every page. A page is a file of its own, and a line here; the navigation has those with a `menu`, in this order. */
export const pages: readonly Page[] = [
  consumerList,
  consumerPage,
  newConsumer,
  editConsumer,
  enableConsumer,
  disableConsumer,
  deleteConsumer,
];
