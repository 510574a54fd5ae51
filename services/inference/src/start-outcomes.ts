import { connectProcessPool, workerTimeouts } from '@ratchet/db/connect-process-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Logger } from 'pino'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import { createOutcomeCounts } from './outcomes/count-outcomes.ts'
import { createPgOutcomes } from './outcomes/pg-outcomes.ts'
import type { OutcomeRecorder } from './outcomes/record-outcome.ts'
import { createOutcomeReports } from './outcomes/report-outcomes.ts'

export interface OutcomesContext {
  readonly config: Pick<InferenceConfig, 'DATABASE_URL'>
  readonly logger: Logger
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly events: Pick<InferenceEvents, 'outcomes'>
  /** Identifies this process from its start to its end. */
  readonly reporter: string
}

const reportEveryMs = 1_000

/** Counts how requests end, and stores the counts every second. They are in the main database, whatever the ledger. */
export function startOutcomes({ config, logger, lifecycle, events, reporter }: OutcomesContext): OutcomeRecorder {
  const options = { databaseUrl: config.DATABASE_URL, role: 'ratchet_inference', max: 1, ...workerTimeouts } as const
  const store = createPgOutcomes(connectProcessPool(options, { logger, ...lifecycle }))
  const counts = createOutcomeCounts(() => events.outcomes({ kind: 'dropped' }))
  const reports = createOutcomeReports({ take: counts.take, store: store.add, reporter, onEvent: events.outcomes })
  const onError = (cause: unknown) => events.outcomes({ kind: 'unavailable', cause })
  lifecycle.onStop(() => reports.report())
  lifecycle.onStop(repeatEvery({ everyMs: reportEveryMs, work: reports.report, onError }))
  void store.sweep().catch(onError)
  lifecycle.onStop(repeatEvery({ everyMs: hourMs, work: store.sweep, onError }))
  return counts
}
