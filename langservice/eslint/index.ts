/**
 * `detsim/eslint`: the rules of the editor as a plugin for ESLint, under the same names.
 *
 *     import detsim from 'detsim/eslint';
 *     export default [{ files: ['src/**'], ...detsim.configs.recommended }];
 *
 * The rules need the types that typescript-eslint's parser provides. A file is checked once for all
 * rules. Fixes are suggestions: ESLint's own fixes run without being asked.
 */

import type { ESLint, Linter, Rule } from 'eslint';
import { rules, type Finding, type RuleInfo } from '../../transformer/analyzer/check/index.js';
import { docsUrl } from '../findings.js';
import { typedFindings, withoutTypes } from './typed-findings.js';

const NAME = 'detsim';

function eslintRule(info: RuleInfo): Rule.RuleModule {
  return {
    meta: {
      type: 'problem',
      docs: { description: info.summary, url: docsUrl(info.code) },
      hasSuggestions: true,
      schema: [],
    },
    create: (context) => ({
      Program: () => {
        const found = typedFindings(context);
        if (found === undefined) withoutTypes(context);
        else
          found
            .filter(({ rule }) => rule.code === info.code)
            .forEach((one) => report(context, one));
      },
    }),
  };
}

function report(context: Rule.RuleContext, { rule, message, start, end, fixes }: Finding): void {
  const { sourceCode } = context;
  context.report({
    loc: { start: sourceCode.getLocFromIndex(start), end: sourceCode.getLocFromIndex(end) },
    message: `${message} (${rule.code})`,
    suggest: fixes.map(({ title, edits }) => ({
      desc: title,
      fix: (fixer) =>
        edits.map((edit) => fixer.replaceTextRange([edit.start, edit.end], edit.text)),
    })),
  });
}

const plugin = {
  meta: { name: NAME },
  rules: Object.fromEntries(rules.map((one) => [one.name, eslintRule(one)])),
} satisfies ESLint.Plugin;

const recommended: Linter.Config = {
  name: `${NAME}/recommended`,
  plugins: { [NAME]: plugin },
  rules: Object.fromEntries(
    rules.map(({ name, severity }) => [
      `${NAME}/${name}`,
      severity === 'error' ? ('error' as const) : ('warn' as const),
    ]),
  ),
};

export = { ...plugin, configs: { recommended } };
