import {
  MAX_ALLOWED_NETWORKS,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
  MAX_HOSTS,
  MAX_LABEL_CHARACTERS,
  MAX_LABELS,
  MAX_METHODS,
  MAX_NAME_CHARACTERS,
  MAX_PATHS,
  MAX_PLAN_ENDPOINTS,
  MAX_PLANS,
} from '../../model/bounds.ts';

/** The bounds of labels and texts, for the help of commands that write them. */
export const labelBounds = `At most ${String(MAX_LABELS)} labels, with names and values of ${String(MAX_LABEL_CHARACTERS)} characters.`;
/** For help texts: the bounds of names and descriptions, as a sentence. */
export const textBounds = `A name has at most ${String(MAX_NAME_CHARACTERS)} characters, a description ${String(MAX_DESCRIPTION_CHARACTERS)}.`;
/** For help texts: the bound of an address list, as a sentence. */
export const networkBounds = `At most ${String(MAX_ALLOWED_NETWORKS)} networks.`;
/** For help texts: the bounds of an endpoint's match, as a sentence. */
export const endpointBounds = `At most ${String(MAX_HOSTS)} hosts, ${String(MAX_PATHS)} paths and ${String(MAX_METHODS)} methods.`;
/** For help texts: the bound of grants for groups, as a sentence. */
export const groupBounds = `An endpoint has at most ${String(MAX_GROUP_GRANTS_OF_ENDPOINT)} grants for labels.`;
/** For help texts: the bounds of plans, as a sentence. */
export const planBounds = `At most ${String(MAX_PLANS)} plans, each of at most ${String(MAX_PLAN_ENDPOINTS)} endpoints by their ids.`;
