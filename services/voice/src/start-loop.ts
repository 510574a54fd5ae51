import type { Pool } from '@ratchet/db/connect-pool'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { type OutboxAttempt, startOutbox } from '@ratchet/work-kit/outbox/publish-outbox'
import { createWebhookPublisher } from '@ratchet/work-kit/outbox/publish-webhook-event'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createPgCanaries } from './canaries/pg-canaries.ts'
import { watchCanaries } from './canaries/watch-canaries.ts'
import { judgeCalls } from './judgements/judge-call.ts'
import { createPgVerdicts } from './judgements/pg-verdicts.ts'
import { createRequireCallJudge } from './judgements/require-call-judge.ts'
import { createPgNotices } from './notices/pg-notices.ts'

const url = z.url({ protocol: /^https?$/ })

/** Services that judge calls, and decide about canaries. */
export const loopConfig = {
  LOGGING_URL: url,
  LOGGING_KEYS: CallerKeys,
  JUDGING_URL: url,
  JUDGING_KEYS: CallerKeys,
  ALIAS_URL: url,
  ALIAS_KEYS: CallerKeys,
}
const LoopConfig = z.object(loopConfig)

export interface LoopContext {
  readonly pool: Pool
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly now: () => Date
  readonly newId: () => string
  readonly onError: (error: unknown, call?: { readonly callId: string }) => void
}

const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }
const judgeEveryMs = 1_000
const watchEveryMs = 2_000

/** Has calls judged when they have ended, and watches the canaries of agents. */
export function startLoop(config: z.output<typeof LoopConfig>, context: LoopContext) {
  const { pool, logger, lifecycle, now, newId, onError } = context
  const common = { connections: 8, clocks }
  const caller = { ...lifecycle, now }
  const { LOGGING_URL, LOGGING_KEYS, JUDGING_URL, JUDGING_KEYS, ALIAS_URL, ALIAS_KEYS } = config
  const logging = connectService({ ...common, audience: 'logging', url: LOGGING_URL, keys: LOGGING_KEYS }, caller)
  const judging = connectService({ ...common, audience: 'judging', url: JUDGING_URL, keys: JUDGING_KEYS }, caller)
  const alias = connectService({ ...common, audience: 'alias', url: ALIAS_URL, keys: ALIAS_KEYS }, caller)
  const canaries = createPgCanaries(pool)
  const verdicts = createPgVerdicts(pool)
  const judged = { verdicts, logging, judging, onError }
  const watched = { canaries, judging, alias, now, newId, onError }
  lifecycle.onStop(repeatEvery({ everyMs: judgeEveryMs, work: () => judgeCalls(judged), onError }))
  lifecycle.onStop(repeatEvery({ everyMs: watchEveryMs, work: () => watchCanaries(watched), onError }))
  startOutbox(
    { outbox: createPgNotices(pool), publish: createWebhookPublisher(alias), now, onAttempt: onNotice(logger) },
    { onStop: lifecycle.onStop, logger, changes: never },
  )
  return { canaries, verdicts, requireCallJudge: createRequireCallJudge(judging) }
}

/** Nothing announces events of calls; they are searched for every second. */
const never: WorkChanges = { isListening: () => false, onChange: () => undefined }

function onNotice(logger: Logger): (attempt: OutboxAttempt) => void {
  return ({ kind, rowId: noticeId }) => {
    if (kind === 'refused')
      logger.error({ event: 'voice_notice_refused', noticeId }, 'the alias service refused an event')
    if (kind === 'expired') logger.error({ event: 'voice_notice_expired', noticeId }, 'an event expired after a day')
  }
}
