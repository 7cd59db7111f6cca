import { eventList } from './audit/event-list.ts';
import { eventPage } from './audit/event-page.ts';
import { undoEvent } from './audit/undo-event.ts';
import { consumerList } from './consumers/consumer-list.ts';
import { consumerPage } from './consumers/consumer-page.ts';
import { deleteConsumer } from './consumers/delete-consumer.ts';
import { editConsumer } from './consumers/edit-consumer.ts';
import { disableConsumer, enableConsumer } from './consumers/enable-consumer.ts';
import { newConsumer } from './consumers/new-consumer.ts';
import { credentialList } from './credentials/credential-list.ts';
import { credentialPage } from './credentials/credential-page.ts';
import { editCredential } from './credentials/edit-credential.ts';
import { findCredential } from './credentials/find-credential.ts';
import { issueCredential } from './credentials/issue-credential.ts';
import { revokeCredential } from './credentials/revoke-credential.ts';
import { rotateCredential } from './credentials/rotate-credential.ts';
import { deleteEndpoint } from './endpoints/delete-endpoint.ts';
import { editEndpoint } from './endpoints/edit-endpoint.ts';
import { disableEndpoint, enableEndpoint } from './endpoints/enable-endpoint.ts';
import { endpointCallers, endpointGrants } from './endpoints/endpoint-callers.ts';
import { endpointLimits } from './endpoints/endpoint-limits.ts';
import { endpointList } from './endpoints/endpoint-list.ts';
import { endpointPage } from './endpoints/endpoint-page.ts';
import { newEndpoint } from './endpoints/new-endpoint.ts';
import { endpointOptions } from './endpoints/options/endpoint-options.ts';
import { endingList } from './endings/ending-list.ts';
import type { Page } from './frame/page.ts';
import { changeAccess, changeGroupAccess } from './grants/change-access.ts';
import { giveAccess, giveAccessTo } from './grants/give-access.ts';
import { withdrawAccess, withdrawGroupAccess } from './grants/withdraw-access.ts';
import { home } from './home/home.ts';
import { deleteIssuer } from './issuers/delete-issuer.ts';
import { editIssuer } from './issuers/edit-issuer.ts';
import { disableIssuer, enableIssuer } from './issuers/enable-issuer.ts';
import { issuerList } from './issuers/issuer-list.ts';
import { issuerPage } from './issuers/issuer-page.ts';
import { newIssuer } from './issuers/new-issuer.ts';
import { jobPage } from './jobs/job-page.ts';
import { selectedConsumers, selectedCredentials } from './jobs/selected-page.ts';
import { editOperator } from './operators/edit-operator.ts';
import { issueToken } from './operators/issue-token.ts';
import { newOperator } from './operators/new-operator.ts';
import { operatorList } from './operators/operator-list.ts';
import { operatorPage } from './operators/operator-page.ts';
import { removeOperator } from './operators/remove-operator.ts';
import { revokeToken } from './operators/revoke-token.ts';
import { deletePlan } from './plans/delete-plan.ts';
import { editPlan } from './plans/edit-plan.ts';
import { newPlan } from './plans/new-plan.ts';
import { planList } from './plans/plan-list.ts';
import { planPage } from './plans/plan-page.ts';
import { refusalCodes } from './refusals/codes.ts';
import { refusalList } from './refusals/refusal-list.ts';
import { refusalPage } from './refusals/refusal-page.ts';
import { replicaList } from './replicas/replica-list.ts';
import { searchPage } from './search/search-page.ts';
import { usagePage } from './usage/usage-page.ts';

/** Every page. A page is a file of its own, and a line here; the navigation has those with a `menu`, in this order. */
export const pages: readonly Page[] = [
  home,
  searchPage,
  consumerList,
  consumerPage,
  newConsumer,
  editConsumer,
  enableConsumer,
  disableConsumer,
  deleteConsumer,
  credentialList,
  selectedConsumers,
  selectedCredentials,
  jobPage,
  findCredential,
  issueCredential,
  credentialPage,
  rotateCredential,
  editCredential,
  revokeCredential,
  giveAccess,
  changeAccess,
  withdrawAccess,
  giveAccessTo,
  changeGroupAccess,
  withdrawGroupAccess,
  endpointList,
  endpointPage,
  endpointGrants,
  endpointCallers,
  newEndpoint,
  editEndpoint,
  endpointLimits,
  endpointOptions,
  enableEndpoint,
  disableEndpoint,
  deleteEndpoint,
  planList,
  planPage,
  newPlan,
  editPlan,
  deletePlan,
  issuerList,
  issuerPage,
  newIssuer,
  editIssuer,
  enableIssuer,
  disableIssuer,
  deleteIssuer,
  refusalList,
  refusalPage,
  refusalCodes,
  usagePage,
  endingList,
  eventList,
  eventPage,
  undoEvent,
  replicaList,
  operatorList,
  operatorPage,
  newOperator,
  editOperator,
  removeOperator,
  issueToken,
  revokeToken,
];
