if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(
    `The tests need Node 24; this is ${process.version}. Run them with .toolchain/node_modules/.bin/node, which npm run check installs.`,
  )
}

/** Plain Node modules: infra/src/test/native-runtime.ts says why. */
const base = {
  testEnvironment: '<rootDir>/infra/src/test/native-environment.ts',
  runtime: '<rootDir>/infra/src/test/native-runtime.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  modulePathIgnorePatterns: ['<rootDir>/.data', '<rootDir>/.toolchain', '<rootDir>/.test-stores'],
}

/** With a Postgres and a Redis. */
const withStores = {
  ...base,
  globalSetup: '<rootDir>/infra/src/test/global-setup.ts',
  globalTeardown: '<rootDir>/infra/src/test/global-teardown.ts',
}

/** Services run from a bundle. End-to-end files that break no process take a workspace each on a fleet that outlives them. */
const sharedFleets = {
  globalSetup: '<rootDir>/test-e2e/shared-fleet/setup.ts',
  globalTeardown: '<rootDir>/test-e2e/shared-fleet/teardown.ts',
}

/** One project per size of test (CONTRIBUTING.md): the suffix of the file says which. */
export default {
  // A test that takes seconds on a quiet machine takes many on a busy one.
  testTimeout: 120_000,
  // Node 24 can loop in its own clean-up of handles when a test process ends by itself.
  forceExit: true,
  projects: [
    {
      ...base,
      displayName: 'unit',
      testRegex: '(?<!\\.(int|e2e|long|fault|agent|clients|trainer|small-model|speech))\\.test\\.ts$',
    },
    { ...withStores, displayName: 'int', testRegex: '\\.int\\.test\\.ts$' },
    { ...withStores, ...sharedFleets, displayName: 'e2e', testRegex: '\\.e2e\\.test\\.ts$' },
    // Only `npm test -- long` runs it.
    { ...withStores, ...sharedFleets, displayName: 'long', testRegex: '\\.long\\.test\\.ts$' },
    // Software of others, installed for the test.
    { ...withStores, ...sharedFleets, displayName: 'clients', testRegex: '\\.clients\\.test\\.ts$' },
    // Only `npm run compatibility` runs it.
    { ...withStores, ...sharedFleets, displayName: 'compatibility', testRegex: '\\.compatibility\\.ts$' },
    // Only `npm run screenshots` runs it.
    { ...withStores, ...sharedFleets, displayName: 'screenshots', testRegex: '\\.screenshots\\.ts$' },
    // Only `npm run measure:dashboard` runs it.
    { ...withStores, ...sharedFleets, displayName: 'measure', testRegex: '\\.measure\\.ts$' },
    { ...withStores, ...sharedFleets, displayName: 'agent', testRegex: '\\.agent\\.test\\.ts$' },
    // Only `npm run test:trainers` runs it: it needs PyTorch.
    { ...withStores, ...sharedFleets, displayName: 'trainer', testRegex: '\\.trainer\\.test\\.ts$' },
    // Only `npm run test:speech` runs it: it needs models.
    { ...withStores, ...sharedFleets, displayName: 'speech', testRegex: '\\.speech\\.test\\.ts$' },
    // Only `npm run test:trainers -- --small-model` runs it: it needs the weights of a real model too.
    { ...withStores, ...sharedFleets, displayName: 'small-model', testRegex: '\\.small-model\\.test\\.ts$' },
    { ...withStores, ...sharedFleets, displayName: 'fault', testRegex: '\\.fault\\.test\\.ts$' },
  ],
}
