import { go } from './go.ts';
import { java } from './java.ts';
import { javascript } from './javascript.ts';
import type { Language } from './language.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import { shell } from './shell.ts';

/** The languages that `--language` takes. */
export const languageNames = ['javascript', 'python', 'go', 'java', 'php', 'rust', 'shell'] as const;
export type LanguageName = (typeof languageNames)[number];

/** Every language that a sample can be written in. One that is missing does not compile. */
export const languages: Readonly<Record<LanguageName, Language>> = {
  javascript,
  python,
  go,
  java,
  php,
  rust,
  shell,
};
