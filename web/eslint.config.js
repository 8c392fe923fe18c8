// Likely mistakes. Types are checked by svelte-check and tsc, the layout is prettier's.
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import { defineConfig } from 'eslint/config'
import ts from 'typescript-eslint'
import svelteConfig from './svelte.config.js'

export default defineConfig(
  { ignores: ['src/protocol/'] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    rules: {
      // TypeScript knows which names exist.
      'no-undef': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      // Our sets and maps are replaced as a whole (`$state.raw`), never changed in place.
      'svelte/prefer-svelte-reactivity': 'off',
      // It takes the words of the reason after `--` for names of warnings.
      'svelte/no-unused-svelte-ignore': 'off',
    },
  },
)
