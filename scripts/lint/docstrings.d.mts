import type { Rule } from 'eslint';

export declare const docstringRule: Rule.RuleModule;
