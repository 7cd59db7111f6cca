import type { Rule } from 'eslint';

export declare const plainObjectRule: Rule.RuleModule;
