import tseslint from 'typescript-eslint';

/** Lint guards what the compiler cannot see: floating promises, stray any, unhandled switch cases. */
export default tseslint.config(
  { ignores: ['dist/', 'data/', 'node_modules/', 'coverage/', 'site/dist/'] },
  ...tseslint.configs.recommended,
  {
    files: ['src/**/*.ts', 'src/**/*.tsx', 'test/**/*.ts', 'examples/**/*.ts', 'bench/**/*.ts', 'site/**/*.ts'],
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'src/inspector/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      'prefer-const': 'error',
      eqeqeq: 'error',
    },
  },
);
