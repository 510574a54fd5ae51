import { bundleServices } from '@ratchet/infra/bundle/bundle-services'

const variable = 'RATCHET_E2E_BUNDLE'

/** Bundles the services once for all test files of a run, which start them by the dozen. */
export async function provideBundle(): Promise<void> {
  process.env[variable] ??= await bundleServices()
}

/** The folder of the bundled services; undefined outside a run of the end-to-end tests. */
export function providedBundle(): string | undefined {
  return process.env[variable]
}
