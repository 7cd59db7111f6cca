import { bounded, textsBound } from './document/bounds.ts';
import { textsByKeyField } from './document/fields.ts';
import { MAX_LABEL_CHARACTERS, MAX_LABELS } from './bounds.ts';

/** What labels and selectors must be, wherever they are written. */
export const labelsField = bounded(textsByKeyField, textsBound('label', MAX_LABELS, MAX_LABEL_CHARACTERS));
