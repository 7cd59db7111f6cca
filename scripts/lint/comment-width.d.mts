import type { Rule } from 'eslint';

export declare const commentWidthRule: Rule.RuleModule;
