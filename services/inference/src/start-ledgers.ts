import path from 'node:path'
import { ledgerInvariants } from '@ratchet/db/audit-ledger'
import { type ConnectOptions, connectPool, type Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool, requestTimeouts } from '@ratchet/db/connect-process-pool'
import { checkPlaces, mainLedger } from '@ratchet/db/ledger-urls'
import { type Lifecycle, runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { Logger } from 'pino'
import { createPgAccounts } from './billing/pg-accounts.ts'
import { createPgCorrect } from './billing/pg-correct.ts'
import { createPgCredit } from './billing/pg-credit.ts'
import { type AccountsOfLedger, type AllAccounts, createShardedAccounts } from './billing/sharded-accounts.ts'
import type { CallHolds } from './call-money/call-holds.ts'
import { createPgCallHolds } from './call-money/pg-call-holds.ts'
import { type CallHoldsOfLedger, createShardedCallHolds } from './call-money/sharded-call-holds.ts'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import { createAudits } from './ledger/audits.ts'
import { checkRefusals } from './ledger/check-refusals.ts'
import { createExactWallets } from './ledger/exact-wallets.ts'
import type { Ledger } from './ledger/ledger.ts'
import { createPgRecalls } from './ledger/pg-escrow-store.ts'
import { createPgWallets } from './ledger/pg-wallets.ts'
import { createPgWorkspaceLedgers } from './ledger/pg-workspace-ledgers.ts'
import { createShardedLedger } from './ledger/sharded-ledger.ts'
import { createShardedWallets, type Wallets, type WalletsOfLedger } from './ledger/sharded-wallets.ts'
import type { SpillRedis } from './ledger/spill.ts'
import type { WorkspaceLedgers } from './ledger/workspace-ledgers.ts'
import { type LedgerTiming, startLedger } from './start-ledger.ts'
import type { JobHolds } from './training-money/job-holds.ts'
import { createPgJobHolds } from './training-money/pg-job-holds.ts'
import { createShardedJobHolds, type JobHoldsOfLedger } from './training-money/sharded-job-holds.ts'

export interface LedgersContext {
  readonly config: Pick<InferenceConfig, 'DATABASE_URL' | 'DATABASE_SILENCE_MS' | 'LEDGER_DATABASE_URLS' | 'SPILL_DIR'>
  readonly logger: Logger
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly events: Pick<InferenceEvents, 'ledger' | 'audited' | 'auditFailed' | 'showLedger'>
  /** The pool of the main ledger, with the options of {@link ledgerDatabase}. */
  readonly mainPool: Pool
  readonly redis: SpillRedis | null
  readonly now: () => Date
  /** A UUID of this process, new for every start. Its heartbeats in all ledgers have it. */
  readonly ownerId: string
  readonly timing?: Partial<LedgerTiming>
}

/** Options of the pool of a ledger. */
export const ledgerDatabase = {
  role: 'ratchet_inference',
  max: 11,
  statementTimeoutMs: 2_000,
  queryTimeoutMs: 2_000,
  connectTimeoutMs: 1_000,
} as const

const auditEveryMs = 300_000

export interface StartedLedgers {
  readonly ledger: Ledger
  readonly wallets: Wallets
  readonly accounts: AllAccounts
  readonly jobHolds: JobHolds
  readonly callHolds: CallHolds
}

interface OneLedger extends WalletsOfLedger, AccountsOfLedger, JobHoldsOfLedger, CallHoldsOfLedger {
  readonly ledger: Ledger
}

/**
 * Starts the ledgers of one process: the one in the main database, and those of LEDGER_DATABASE_URLS. Without any of
 * those, requests go to the main one directly, without a search for the ledger of their workspace.
 *
 * @throws RangeError when two ledgers have the same database
 */
export async function startLedgers(context: LedgersContext): Promise<StartedLedgers> {
  const { DATABASE_URL, LEDGER_DATABASE_URLS: others } = context.config
  checkPlaces(others, DATABASE_URL)
  const stops: Stop[][] = []
  // all at once, so that one that is unavailable delays no other
  context.lifecycle.onStop(() => Promise.all(stops.map((each) => runStops(each, context.logger))))
  const start = ([name, url]: readonly [string, string]) => {
    const own: Stop[] = []
    stops.push(own)
    return startOne(context, { name, url, onStop: (stop) => own.push(stop) })
  }
  const [main, ...rest] = await Promise.all([start([mainLedger, DATABASE_URL]), ...[...others].map(start)])
  const ledgers = [main, ...rest]
  const { workspaces } = main
  const wallets = createShardedWallets(ledgers, workspaces)
  const accounts = createShardedAccounts(ledgers, workspaces)
  const jobHolds = createShardedJobHolds(ledgers, workspaces)
  const callHolds = createShardedCallHolds(ledgers, workspaces)
  const beside = { wallets, accounts, jobHolds, callHolds }
  if (rest.length === 0) return { ledger: main.ledger, ...beside }
  const byName = new Map(ledgers.map(({ name, ledger }) => [name, ledger]))
  return { ledger: createShardedLedger({ ledgers: byName, workspaces }), ...beside }
}

interface Place extends Pick<Lifecycle, 'onStop'> {
  readonly name: string
  readonly url: string
}

async function startOne(context: LedgersContext, place: Place): Promise<OneLedger> {
  const { config, logger, events, mainPool, redis, ownerId, timing } = context
  const { name, onStop } = place
  const silenceMs = config.DATABASE_SILENCE_MS
  const readPool = connect(context, place, { role: 'ratchet_inference', max: 2, ...requestTimeouts })
  // people's pages read longer than requests may wait
  const pagePool = connect(context, place, { role: 'ratchet_inference', max: 2, ...requestTimeouts })
  const ledger = await startLedger({
    name,
    pool: name === mainLedger ? mainPool : connect(context, place, ledgerDatabase),
    auditPool: connectAuditPool(place),
    redis,
    spillDir: name === mainLedger ? config.SPILL_DIR : path.join(config.SPILL_DIR, name),
    ownerId,
    logger,
    onEvent: events.ledger,
    onStop,
    timing: { holdSilenceMs: silenceMs, ...timing },
  })
  events.showLedger(name, ledger.waiting)
  const audits = createAudits({
    ...ledger,
    checked: ledgerInvariants.length,
    now: context.now,
    onAudit: (report) => events.audited(name, report),
  })
  const onError = (error: unknown) => events.auditFailed(name, error)
  onStop(repeatEvery({ everyMs: auditEveryMs, work: audits.again, onError }))
  const workspaces: WorkspaceLedgers = createPgWorkspaceLedgers({ pool: readPool, silenceMs })
  const wallets = createPgWallets({ pool: readPool, silenceMs })
  const holding = {
    pool: readPool,
    exact: createExactWallets({ store: createPgRecalls({ pool: readPool }) }),
    onEvent: events.ledger,
  }
  const own = {
    name,
    workspaces,
    wallets,
    callHolds: createPgCallHolds(holding),
    jobHolds: createPgJobHolds({
      ...holding,
      newId: () => uuidV7(context.now().getTime()),
      keepMs: dayMs,
    }),
    accounts: createPgAccounts(pagePool),
    credit: createPgCredit(mainPool, { name, pool: pagePool }),
    correct: createPgCorrect({ main: mainPool, ledger: { name, pool: pagePool }, wallets }),
    lastAudit: audits.last,
    audit: audits.lastOrNow,
  }
  return { ...own, ledger: checkRefusals(ledger, { name, workspaces }) }
}

function connect(
  { logger }: LedgersContext,
  { url, onStop }: Place,
  options: Omit<ConnectOptions, 'databaseUrl' | 'onIdleError'>,
): Pool {
  return connectProcessPool({ databaseUrl: url, ...options }, { logger, onStop })
}

/** The audit reads whole tables. Its statements may take long, and those of requests must not wait behind them. */
function connectAuditPool({ url, onStop }: Place): Pool {
  const timeouts = { statementTimeoutMs: 60_000, queryTimeoutMs: 61_000, connectTimeoutMs: 5_000 }
  const pool = connectPool({ databaseUrl: url, role: 'ratchet_inference', max: 1, ...timeouts })
  onStop(() => pool.end())
  return pool
}
