import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { createFitsSchema } from './create-checks.ts'
import type { ChecksDeps } from './run-checks.ts'

/** Checks for tests in which no script runs. */
export const checksWithoutScripts: ChecksDeps = {
  fitsSchema: createFitsSchema(),
  runScript: () => Promise.reject(new Error('no script runs in this test')),
  slicedWork: createSlicedWork(),
}
