import { parseLedgerUrls } from '@ratchet/db/ledger-urls'
import { migrate } from '@ratchet/db/migrate'
import { buildWeb } from '../bundle/build-web.ts'
import { bundleServices } from '../bundle/bundle-services.ts'
import { answerCalls } from '../processes/helper-process.ts'
import { seedDemo } from './seed.ts'

/*
 * A program: what a start does before it starts services. In a process of its own, because the clients of the database
 * and the sources that are hashed take 100 MB, which the supervisor of a fleet would keep.
 */

export interface MigrateAll {
  readonly databaseUrl: string
  /** Databases of other ledgers, as in LEDGER_DATABASE_URLS; empty for none. */
  readonly ledgerUrls: string
}

/** Also migrates the databases of other ledgers, which the operator runs. @returns names of the applied migrations */
async function migrateAll({ databaseUrl, ledgerUrls }: MigrateAll): Promise<readonly string[]> {
  const others = ledgerUrls === '' ? [] : [...parseLedgerUrls(ledgerUrls, databaseUrl).values()]
  const applied: string[] = []
  for (const url of [databaseUrl, ...others]) applied.push(...(await migrate(url)))
  return applied
}

const steps = { migrateAll, seedDemo, buildWeb: () => buildWeb(), bundleServices: () => bundleServices() } as const

export type PreparationSteps = typeof steps

answerCalls(steps)
