const swc = ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }]

const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': swc },
  modulePathIgnorePatterns: ['<rootDir>/.data', '<rootDir>/.toolchain'],
}

/** One project per size of test (CONTRIBUTING.md): the suffix of the file says which. */
export default {
  // A test that takes seconds on a quiet machine takes many on a busy one.
  testTimeout: 20_000,
  projects: [
    { ...base, displayName: 'unit', testRegex: '(?<!\\.(int|e2e|fault))\\.test\\.ts$' },
    { ...base, displayName: 'int', testRegex: '\\.int\\.test\\.ts$' },
    { ...base, displayName: 'e2e', testRegex: '\\.e2e\\.test\\.ts$' },
    { ...base, displayName: 'fault', testRegex: '\\.fault\\.test\\.ts$' },
  ],
}
