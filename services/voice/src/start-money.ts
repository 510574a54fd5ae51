import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@ratchet/db/connect-pool'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { CallCosts, CallMoney } from './calls/call-money.ts'
import { createCallCosts } from './money/call-costs.ts'
import { createCallMoney } from './money/create-call-money.ts'
import { createSliceSweep } from './money/finish-slices.ts'
import { createHttpCallLedger } from './money/http-call-ledger.ts'
import type { ModelRequests } from './money/model-requests.ts'
import { createPgModelRequests } from './money/pg-model-requests.ts'
import { createPgSlices } from './money/pg-slices.ts'
import { createPriceBook, loadRates, shippedRatesDir } from './money/price-book.ts'
import { createSliceCheckpoints } from './money/slice-checkpoints.ts'

/** US dollars, to nano-dollars. */
const Usd = z.coerce
  .number()
  .min(0)
  .max(1_000_000)
  .transform((usd) => Math.round(usd * 1e9))

/** Variables of processes that charge for calls. */
export const moneyConfig = {
  INFERENCE_URL: z.url({ protocol: /^https?$/ }),
  INFERENCE_KEYS: CallerKeys,
  /** Files of prices of speech recognition and voices; absent: those that ship with the service. */
  VOICE_RATES_DIR: z.string().min(1).default(shippedRatesDir),
  /** What this installation adds for each minute of a call, US dollars. */
  VOICE_USD_PER_MINUTE: Usd.default(0),
  /** What the calls of a workspace may cost in a day (UTC), US dollars, without language models; absent: what its wallet has. */
  VOICE_DAILY_SPEND_USD: Usd.optional(),
}
const MoneyConfig = z.object(moneyConfig)
export type MoneyConfig = z.output<typeof MoneyConfig>

export interface MoneyContext {
  readonly pool: Pool
  readonly logger: Logger
  readonly lifecycle: Lifecycle
  readonly now: () => Date
  /** UUID of the worker; null in a process that holds no calls. */
  readonly ownerId: string | null
}

export interface StartedMoney {
  readonly money: CallMoney
  readonly costs: CallCosts
  readonly requests: ModelRequests
}

const checkpointMs = 1_000
const sweepMs = 10_000
/** A caller waits for the first slice, and a call for the next one. */
const clocks = { firstByteMs: 3_000, idleMs: 3_000, totalMs: 5_000 }

/** Money of calls in the ledger of inference. Every process charges what workers left. */
export async function startMoney(config: MoneyConfig, context: MoneyContext): Promise<StartedMoney> {
  const { pool, logger, lifecycle, now, ownerId } = context
  const { INFERENCE_URL: url, INFERENCE_KEYS: keys } = config
  const connection = { audience: 'inference', url, keys, connections: 8, clocks } as const
  const inference = connectService(connection, { ...lifecycle, now })
  const dailyCapNano = config.VOICE_DAILY_SPEND_USD === undefined ? null : BigInt(config.VOICE_DAILY_SPEND_USD)
  const ledger = createHttpCallLedger({ inference, now, dailyCapNano })
  const journal = createPgSlices(pool)
  const requests = createPgModelRequests(pool)
  const onLate = (err: unknown) =>
    logger.warn({ event: 'call_charged_later', err }, 'a slice of a call is charged later')
  const onError = (err: unknown) =>
    logger.warn({ event: 'call_money_failed', err }, 'money of calls was not read or written')
  const checkpoints = ownerId === null ? null : createSliceCheckpoints({ ownerId, journal, ledger, onError })
  if (checkpoints !== null) {
    lifecycle.onStop(repeatEvery({ everyMs: checkpointMs, work: checkpoints.flush, onError }))
  }
  const { sweep } = createSliceSweep({ journal, ledger, onLate })
  lifecycle.onStop(repeatEvery({ everyMs: sweepMs, work: sweep, onError }))
  const prices = createPriceBook(await loadRates(config.VOICE_RATES_DIR), config.VOICE_USD_PER_MINUTE)
  const nowMs = () => performance.now()
  return {
    requests,
    money: createCallMoney({ journal, ledger, checkpoints, prices, onLate, nowMs, delay: (ms) => delay(ms) }),
    costs: createCallCosts({ journal, requests, ledger, onError }),
  }
}
